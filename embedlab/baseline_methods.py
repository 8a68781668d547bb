"""The baselines by name, in display order: what pages, commands and reports state about them without loading one."""

from dataclasses import dataclass

from embedlab.counting import WORDS
from embedlab.registry import Registry


@dataclass(frozen=True)
class BaselineMethod:
    """A reference that any encoder must beat; ``class_path`` names its class in ``embedlab/baselines/``."""

    key: str
    title: str
    sentence: str
    class_path: str  # module.Class
    needs_words: bool = False  # a file of word vectors
    gives_vectors: bool = True  # False: scores for retrieval and reranking only
    is_sparse: bool = False  # a dimension for every word
    counts: bool = False  # words, or characters where a script has no blanks
    dash: str | None = None  # how its line beside every kNN accuracy is drawn; None: it has no such line
    prose_title: str = ""  # what a methods paragraph calls it
    printed: str | None = None  # what the papers' tables call it
    cites: tuple[str, ...] = ()  # keys of report/works.bib


_IDF = ("jones1972idf",)
BASELINE_METHODS = Registry(
    "baseline",
    [
        BaselineMethod(
            "tfidf",
            "TF-IDF",
            "Weighted word counts, no training.",
            "tfidf.TfIdf",
            is_sparse=True,
            counts=True,
            dash="dash",
            prose_title="TF-IDF",
            printed="TF-IDF",
            cites=_IDF,
        ),
        BaselineMethod(
            "svd",
            "TF-IDF → SVD-100",
            "TF-IDF in its 100 strongest directions, rows of length one.",
            "tfidf.SVD",
            counts=True,
            dash="dot",
            prose_title="TF-IDF reduced to 100 dimensions by SVD",
            printed="TF-IDF → SVD-100, L2",
            cites=_IDF,
        ),
        BaselineMethod(
            "svd-raw",
            "TF-IDF → SVD-100, raw",
            "TF-IDF in its 100 strongest directions, lengths unchanged.",
            "tfidf.UnscaledSVD",
            counts=True,
            printed="TF-IDF → SVD-100",
            cites=_IDF,
        ),
        BaselineMethod(
            "bm25",
            "BM25",
            "Counts shared words, rare ones more: for retrieval and reranking only.",
            "bm25.BM25",
            gives_vectors=False,
            counts=True,
        ),
        BaselineMethod(
            "static",
            "Static word vectors",
            "The average of a text's word vectors, from a GloVe or word2vec file.",
            "static_vectors.StaticVectors",
            needs_words=True,
        ),
        BaselineMethod(
            "random-projection",
            "Random projection",
            "TF-IDF squeezed into 768 random directions: what the width alone gives.",
            "tfidf.RandomProjection",
            counts=True,
        ),
    ],
)
REFERENCE_LINES = {part.key: part for part in BASELINE_METHODS if part.dash is not None}


def baseline_title(key: str, counted: str = WORDS) -> str:
    """``TF-IDF``, ``TF-IDF (characters)``, ``TF-IDF (64 tokens)``; an unknown baseline's key.

    counted: what it counts, as a reference line states it
    """
    if key not in BASELINE_METHODS:
        return key
    method = BASELINE_METHODS[key]
    if not method.counts or counted == WORDS:
        return method.title
    return f"{method.title} ({counted.removeprefix(f'{WORDS} of the first ')})"
