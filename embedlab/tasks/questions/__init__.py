"""The kinds of questions that the resident process answers: a dict in, a dict out."""

from embedlab.tasks.questions.axes import axes
from embedlab.tasks.questions.length import length
from embedlab.tasks.questions.neighbors import neighbors, row_neighbors
from embedlab.tasks.questions.two_texts import two_texts

KINDS = {
    "neighbors": neighbors,
    "row_neighbors": row_neighbors,
    "two_texts": two_texts,
    "axes": axes,
    "length": length,
}
