"""The kinds of questions that the resident process answers: a dict in, a dict out."""

from embedlab.tasks.questions.cosines import axes, length, two_texts
from embedlab.tasks.questions.neighbors import flight, neighbors, row_neighbors

KINDS = {
    "neighbors": neighbors,
    "row_neighbors": row_neighbors,
    "two_texts": two_texts,
    "axes": axes,
    "length": length,
    "flight": flight,
}
