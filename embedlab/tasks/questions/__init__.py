"""The kinds of questions that the resident process answers: a dict in, a dict out."""

from embedlab.tasks.questions.neighbors import axes, flight, length, neighbors, row_neighbors, two_texts

KINDS = {
    "neighbors": neighbors,
    "row_neighbors": row_neighbors,
    "two_texts": two_texts,
    "axes": axes,
    "length": length,
    "flight": flight,
}
