"""How far embeddings fill their space: the two numbers by which a collapse is seen."""

from dataclasses import dataclass

import numpy as np

SAMPLE = 512  # texts; the effective rank depends on their number, so it is fixed and shown


@dataclass(frozen=True)
class Spread:
    """``effective_rank``: exp of the entropy of the singular values' shares; ``std``: 1 isotropic, 0 collapsed."""

    effective_rank: float
    std: float
    texts: int


def spread_of(embeddings: np.ndarray) -> Spread:
    """Of finite, non-zero vectors.  (texts, dim)"""
    lengths = np.linalg.norm(embeddings, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    embeddings = embeddings[usable].astype(np.float64)
    return Spread(effective_rank(embeddings), dimension_std(embeddings), int(usable.sum()))


def effective_rank(embeddings: np.ndarray) -> float:
    """exp of the entropy of σᵢ/Σσ of the centred matrix, 0 when all vectors are equal.  (texts, dim)"""
    if len(embeddings) == 0:
        return 0.0
    centred = embeddings - embeddings.mean(axis=0)
    values = singular_values(centred)
    if values.sum() <= 1e-9 * max(1.0, float(np.abs(embeddings).max()) * len(embeddings)):
        return 0.0
    shares = values / values.sum()
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def singular_values(matrix: np.ndarray) -> np.ndarray:
    """By the smaller matrix of products, several times sooner than by decomposing.  (rows, dim) -> (min(rows, dim),)

    What rounding leaves of zero is zero.
    """
    products = matrix @ matrix.T if len(matrix) <= matrix.shape[1] else matrix.T @ matrix
    squares = np.linalg.eigvalsh(products)
    floor = squares.max(initial=0.0) * len(squares) * np.finfo(np.float64).eps
    return np.sqrt(np.where(squares > floor, squares, 0.0))


def dimension_std(embeddings: np.ndarray) -> float:
    """Mean standard deviation of a dimension of the vectors at length 1, times √dim.  (texts, dim)"""
    if len(embeddings) == 0:
        return 0.0
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return float(unit.std(axis=0).mean() * np.sqrt(embeddings.shape[1]))
