"""Token vectors to start from: which tokens stand near each other more often than by chance."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from embedlab.vectors.directions import one_blas_thread, signs_of

WINDOW = 50  # tokens to each side: wide, so that tokens of one topic come close, not only those of one use
_SMOOTHING = 0.75  # of the contexts' frequencies
_SCALE = 0.02  # standard deviation of the vectors, as of BERT's random ones


def ppmi(streams: Sequence[np.ndarray], vocabulary_size: int) -> sp.csr_matrix:
    """Return the positive pointwise mutual information of tokens within a window (Levy et al. 2015, section 2.1).

    Of contexts the smoothed frequency counts (section 3.2).  streams: of (tokens,) -> (vocabulary, vocabulary)
    """
    counts = np.zeros(vocabulary_size**2, dtype=np.int64)
    for tokens in streams:
        ids = tokens.astype(np.int64)
        for distance in range(1, WINDOW + 1):
            counts += np.bincount(ids[:-distance] * vocabulary_size + ids[distance:], minlength=vocabulary_size**2)
    together = counts.reshape(vocabulary_size, vocabulary_size)
    together = sp.csr_matrix(together + together.T).astype(np.float64)
    of_word = np.asarray(together.sum(axis=1)).ravel()
    of_context = of_word**_SMOOTHING
    pairs = together.tocoo()
    expected = of_word[pairs.row] * of_context[pairs.col] / of_context.sum()
    information = np.log(pairs.data / expected)
    positive = information > 0
    where = (pairs.row[positive], pairs.col[positive])
    return sp.csr_matrix((information[positive], where), shape=together.shape)


def vectors_of(information: sp.csr_matrix, dim: int, *, seed: int) -> np.ndarray:
    """Return a vector for each token: its left singular directions by the root of their values.

    Tokens that never occur keep small random vectors.  -> float32 (vocabulary, dim)
    """
    from sklearn.utils.extmath import randomized_svd

    with one_blas_thread():
        left, values, _ = randomized_svd(information, dim, n_iter=4, random_state=seed, flip_sign=False)
    table = left * signs_of(left) * np.sqrt(values)
    table *= _SCALE / np.sqrt(np.mean(table**2))
    absent = ~table.any(axis=1)
    table[absent] = np.random.default_rng(seed).normal(0, _SCALE, (int(absent.sum()), dim))
    return table.astype(np.float32)
