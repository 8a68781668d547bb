"""How vectors lie in their space, as numbers; none has a good direction of its own."""

import numpy as np

from embedlab.vectors.directions import are_directions
from embedlab.vectors.ties import compared


def effective_rank(embeddings: np.ndarray) -> float:
    """exp of the entropy of σᵢ/Σσ of the centred matrix, 0 when all vectors are equal.  (texts, dim)"""
    if len(embeddings) == 0:
        return 0.0
    values = singular_values(embeddings - embeddings.mean(axis=0))
    if values.sum() <= 1e-9 * max(1.0, float(np.abs(embeddings).max()) * len(embeddings)):
        return 0.0
    shares = values / values.sum()
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def singular_values(matrix: np.ndarray) -> np.ndarray:
    """By the smaller matrix of products, several times sooner than by decomposing.  (rows, dim) -> (min(rows, dim),)

    What rounding leaves of zero is zero.
    """
    matrix = np.asarray(matrix, np.float64)
    squares = np.linalg.eigvalsh(matrix @ matrix.T if len(matrix) <= matrix.shape[1] else matrix.T @ matrix)
    return np.sqrt(np.where(are_directions(squares, squares.shape), squares, 0.0))


def dimension_std(embeddings: np.ndarray) -> float:
    """Mean standard deviation of a dimension of the vectors at length 1, times √dim.  (texts, dim)"""
    if len(embeddings) == 0:
        return 0.0
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return float(unit.std(axis=0).mean() * np.sqrt(embeddings.shape[1]))


def variance_shares(embeddings: np.ndarray, most: int) -> np.ndarray:
    """The share of variance along each of the first principal components, largest first (SemCSE, B.2).

    All nought where the vectors are equal.  (texts, dim) -> (min(most, texts, dim),)
    """
    squares = np.sort(singular_values(embeddings - embeddings.mean(axis=0)) ** 2)[::-1]
    return squares[:most] / squares.sum() if squares.sum() > 0 else squares[:most]


def cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Cosine of each pair of rows, not a number where one is zero.  first, second: (pairs, dim) -> (pairs,)"""
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)


def mean_cosine(embeddings: np.ndarray) -> float:
    """Of all pairs of different rows; 0 for isotropic directions, 1 where all are the same.  (texts, dim)"""
    unit = unit_rows(embeddings)
    texts = len(unit)
    return float((np.square(unit.sum(axis=0)).sum() - texts) / (texts * (texts - 1)))


def uniformity(embeddings: np.ndarray) -> float:
    """log mean exp(−2‖x−y‖²) over pairs of different rows at length 1: lower is spread wider, 0 where all are equal.

    Wang and Isola 2020.  (texts, dim)
    """
    unit = unit_rows(embeddings)
    closeness = np.exp(4 * np.minimum(unit @ unit.T, 1) - 4)  # ‖x−y‖² = 2 − 2 cos
    texts = len(unit)
    return float(np.log((closeness.sum() - closeness.trace()) / (texts * (texts - 1))))


def alignment(first: np.ndarray, second: np.ndarray) -> float:
    """Mean ‖x−y‖² of positive pairs at length 1, from 0 to 4 (Wang and Isola 2020).  first, second: (pairs, dim)"""
    return float(np.square(unit_rows(first) - unit_rows(second)).sum(axis=1).mean())


def k_occurrence(neighbors: np.ndarray) -> np.ndarray:
    """How often each row is among the neighbors of another.  neighbors: (rows, k), −1 for none -> (rows,)"""
    return np.bincount(neighbors[neighbors >= 0], minlength=len(neighbors))


def hubness(embeddings: np.ndarray, k: int = 10) -> float | None:
    """Skewness of how often each row is among the k nearest of others, by cosine; for few rows.  (texts, dim)

    0 where every text is as popular as the next; None with k others or fewer.
    """
    from scipy.stats import skew

    if len(embeddings) <= k + 1:
        return None
    unit = unit_rows(embeddings)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -np.inf)
    apart = compared(np.maximum(2 - 2 * cosine, 0), 1.0)  # ties in file order
    times = k_occurrence(np.argsort(apart, axis=1, kind="stable")[:, :k])
    return float(skew(times)) if times.std() else 0.0


def linear_cka(first: np.ndarray, second: np.ndarray) -> float:
    """How alike two sets of vectors of the same texts are, up to rotation and scale, by the unbiased HSIC.

    1 where one is the other rotated, about 0 where they are independent; not a number below four texts or without any
    variance (Kornblith 2019; Song 2012).  first: (texts, dim), second: (texts, other dim)
    """
    if len(first) < 4:
        return float("nan")
    one, other = (_products(np.asarray(each, np.float64)) for each in (first, second))
    scale = _hsic(one, one) * _hsic(other, other)
    return float(_hsic(one, other) / np.sqrt(scale)) if scale > 0 else float("nan")


def unit_rows(embeddings: np.ndarray) -> np.ndarray:
    """At length 1, in float64.  (texts, dim), none of them zero"""
    embeddings = np.asarray(embeddings, np.float64)
    return embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)


def _products(embeddings: np.ndarray) -> np.ndarray:
    """Inner products of the centred rows, none with itself.  (texts, dim) -> (texts, texts)"""
    centred = embeddings - embeddings.mean(axis=0)
    products = centred @ centred.T
    np.fill_diagonal(products, 0)
    return products


def _hsic(one: np.ndarray, other: np.ndarray) -> float:
    texts = len(one)
    sums = one.sum(axis=0), other.sum(axis=0)
    total = (one * other).sum() + sums[0].sum() * sums[1].sum() / ((texts - 1) * (texts - 2))
    return total - 2 * sums[0] @ sums[1] / (texts - 2)  # times n(n − 3), which the quotient of two loses
