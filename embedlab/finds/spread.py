"""Texts for labels by hand, spread over the corpus: k-means++ (Arthur and Vassilvitskii 2007) on TF-IDF → SVD."""

from collections.abc import Sequence

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.metrics.tfidf import svd_embeddings, tfidf_embeddings

WANTED = 60  # labels: about ten minutes
ASKED = 2 * WANTED  # at most, so that others follow those that are skipped
FROM = 5_000  # texts that are looked at, of more a sample: ten seconds on two cores
SEED = 45
_SAME = 1e-9  # squared distance of vectors of length one that differ by rounding alone


def texts_to_label(corpus: Corpus) -> np.ndarray:
    """Rows without a label in the order in which to ask for one: each text once, far from those with a label.

    -> (at most ASKED,) int
    """
    rng = np.random.default_rng(SEED)
    rows = corpus.kept
    rows = rows[np.sort(np.unique(corpus.copies[rows], return_index=True)[1])]  # the first of equal texts
    rows = np.sort(rng.permutation(rows)[:FROM])
    labelled = np.isin(rows, corpus.labelled) if corpus.info.has_two_classes else np.zeros(len(rows), bool)
    embeddings = svd_embeddings(tfidf_embeddings([corpus.texts[row] for row in rows]))
    drawn = spread(embeddings, ASKED, rng, first=np.flatnonzero(labelled))
    left = np.setdiff1d(np.flatnonzero(~labelled), drawn)
    return rows[[*drawn, *rng.permutation(left)][:ASKED]]  # of texts with one vector, as without a word, any


def spread(embeddings: np.ndarray, count: int, rng: np.random.Generator, *, first: Sequence[int] = ()) -> list[int]:
    """Rows drawn one after another, each by its squared distance to the nearest row drawn before.

    Begins beside those of ``first``, else anywhere, and ends where all others have the vector of a drawn one.
    embeddings: (texts, dim) -> at most ``count`` rows
    """
    drawn: list[int] = []
    nearest = np.full(len(embeddings), np.inf)

    def take(row: int) -> None:
        np.minimum(nearest, np.square(embeddings - embeddings[row]).sum(axis=1), out=nearest)
        nearest[row] = 0.0

    for row in first:
        take(row)
    while len(drawn) < min(count, len(embeddings)):
        if not len(first) and not drawn:
            row = int(rng.integers(len(embeddings)))
        elif (total := np.where(nearest > _SAME, nearest, 0.0).sum()) > 0:
            row = int(rng.choice(len(embeddings), p=np.where(nearest > _SAME, nearest, 0.0) / total))
        else:
            break
        take(row)
        drawn.append(row)
    return drawn
