"""Which test texts have nearly a copy among their train texts, by words: the same for all encoders."""

import numpy as np

from embedlab.metrics.split import Split

SIMILAR = 0.9  # TF-IDF cosine
CHUNK_ROWS = 512


def near_duplicates(tfidf, splits: list[Split], *, similar: float = SIMILAR) -> np.ndarray:
    """True where a tested text has a TF-IDF cosine of 0.9 or more with a train text of its split.

    tfidf: (rows, words) sparse, unit rows (``tfidf_embeddings``) -> (rows,) bool, False where a row is not tested
    """
    found = np.zeros(tfidf.shape[0], bool)
    for split in splits:
        if len(split.train) == 0:
            continue
        columns = tfidf[split.train].T.tocsr()
        for start in range(0, len(split.test), CHUNK_ROWS):
            rows = split.test[start : start + CHUNK_ROWS]
            closest = (tfidf[rows] @ columns).max(axis=1).toarray().ravel()
            found[rows] = closest >= similar - 1e-6  # unit rows in float32
    return found
