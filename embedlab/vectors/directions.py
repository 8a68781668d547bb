"""Directions of a matrix: how many there are, with which signs, and its truncated singular value decomposition."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

Matrix = Any  # (rows, dim): a dense array, or one of scipy's sparse matrices, which have no types
SEED = 42  # of the vector that the iteration starts from
_ALIKE = 1e-9  # entries of a direction this close (relative) are equally large


def are_directions(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return which singular values stand for a direction: those above ``eps * max(shape) * values.max()``.

    The rest is what rounding leaves of zero, and its directions are arbitrary. ``eps`` is that of the values' type,
    which must be the type they were computed in.  values: (n,), shape: of the matrix -> (n,) bool
    """
    floor = np.finfo(values.dtype).eps * max(shape) * values.max(initial=0.0)
    return values > floor


def signs_of(directions: np.ndarray) -> np.ndarray:
    """Return the signs that make the largest entry of each direction positive, the first of equally large ones.

    directions: (dim, directions) -> (directions,) of 1 and -1
    """
    sizes = np.abs(directions)
    largest = (sizes >= sizes.max(axis=0, initial=0.0) * (1 - _ALIKE)).argmax(axis=0)
    return np.where(directions[largest, np.arange(directions.shape[1])] < 0, -1.0, 1.0)


def truncated_svd(matrix: Matrix, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first right singular vectors and their singular values, largest first, at most ``most``.

    Directions beyond the rank are left out, signs are those of ``signs_of``, and the same matrix gives the same bits
    on the same machine, at any number of threads. Where the last one's singular value is also that of a direction that
    is left out, which of both is returned depends on the fixed starting vector.

    scikit-learn's ``TruncatedSVD`` is the same method (the Gram matrix by ARPACK, then an exact decomposition), but
    SciPy's ``svds`` restarts it with unseeded random vectors once the rank is reached.

    matrix: (rows, dim) -> (dim, directions), (directions,) float64
    """
    from scipy.linalg import svd

    matrix = matrix.astype(np.float64)
    with one_blas_thread():
        if most >= min(matrix.shape):
            dense = matrix.toarray() if hasattr(matrix, "tocsr") else matrix
            _, values, across = svd(dense, full_matrices=False)
            directions = across.T
        elif matrix.shape[0] >= matrix.shape[1]:
            basis = _leading_basis(matrix, most)  # (dim, most)
            _, values, across = svd(matrix @ basis, full_matrices=False)
            directions = basis @ across.T
        else:
            basis = _leading_basis(matrix.T, most)  # (rows, most)
            directions, values, _ = svd(matrix.T @ basis, full_matrices=False)
    real = np.flatnonzero(are_directions(values, matrix.shape))[:most]
    directions = directions[:, real]
    return directions * signs_of(directions), values[real]


def _leading_basis(tall: Matrix, count: int) -> np.ndarray:
    """Return an orthonormal basis of the leading right singular directions.  (rows, dim) -> (dim, count)"""
    from scipy.sparse.linalg import LinearOperator, eigsh

    dim, wide = tall.shape[1], tall.T.tocsr() if hasattr(tall, "tocsr") else tall.T
    gram = LinearOperator((dim, dim), matvec=lambda vector: wide @ (tall @ vector), dtype=np.float64)
    start = np.random.RandomState(SEED).uniform(-1, 1, dim)  # as scikit-learn starts
    _, basis = eigsh(gram, k=count, v0=start, rng=np.random.default_rng(SEED))
    return np.linalg.qr(basis)[0]


_lock = threading.Lock()
_limit: list[ExitStack] = []  # of the threads that are inside, one
_inside = 0


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy and SciPy multiply on one thread, because the last bits of a product depend on the number of threads.

    Blocks of several threads may overlap: the number of before is restored when the last one ends.
    """
    global _inside
    from threadpoolctl import threadpool_limits

    with _lock:
        if _inside == 0:
            _limit.append(ExitStack())
            _limit[0].enter_context(threadpool_limits(1, user_api="blas"))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.pop().close()
