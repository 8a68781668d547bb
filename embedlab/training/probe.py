"""Which texts a live map shows: those that live points embed anyway, each class by its share, then further ones."""

import numpy as np

from embedlab.metrics.shares import by_share


def probe_rows(corpus, sampled: np.ndarray, *, size: int, seed: int) -> np.ndarray:
    """At most ``size`` kept rows: of ``sampled`` if there are enough, else all of these and further ones.

    sampled: (rows,) -> (texts,), in file order
    """
    rng = np.random.default_rng(seed)
    if len(sampled) >= size:
        return np.sort(by_share(sampled, corpus.labels, size, rng))
    further = by_share(np.setdiff1d(corpus.kept, sampled), corpus.labels, size - len(sampled), rng)
    return np.sort(np.concatenate([sampled, further]).astype(np.int64))
