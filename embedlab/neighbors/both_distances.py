"""The nearest rows by both distances from one matrix of products, for the live points of a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from embedlab.device import is_limited
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.later import Tensor, torch
from embedlab.neighbors.differences import compared, may_be_equal, nearest_of_all, own_squares, squares_apart
from embedlab.neighbors.search import PRODUCT_ERROR, SPARE
from embedlab.vectors.exact import have_length_one, usable

BOTH_CHUNK_ROWS = 512
AT_ONCE = 8  # queries whose candidates' vectors stay in the processor's cache
SMALLEST = 1e-30  # lengths below count as this, so that nothing is divided by zero


def nearest_by_both(
    *, queries: np.ndarray, base: np.ndarray, k: int, device: str = "cpu"
) -> dict[Distance, np.ndarray]:
    """The k nearest rows of ``base`` for each query by either distance, nearest first; -1 for none.

    queries: (queries, dim), base: (rows, dim) -> (queries, min(k, rows)) each. Float32 products choose k + 16
    candidates, exact differences order them: as ``NeighborSearch`` finds, ties in file order (``ties.compared``). Zero
    and non-finite vectors are nobody's neighbor and have none.
    """
    k = min(k, len(base))
    nearest = {distance: np.full((len(queries), k), -1) for distance in (EUCLIDEAN, COSINE)}
    rows, query_rows = np.flatnonzero(usable(base)), np.flatnonzero(usable(queries))
    if not len(rows) or not len(query_rows) or not k:
        return nearest
    if is_limited(device):  # which has no float64
        device = "cpu"
    are_units = have_length_one(base, rows) and have_length_one(queries, query_rows)  # then both order them alike
    searched = _Searched(torch.from_numpy(np.ascontiguousarray(base[rows], np.float32)).to(device), k)
    for start in range(0, len(query_rows), BOTH_CHUNK_ROWS):
        chunk = query_rows[start : start + BOTH_CHUNK_ROWS]
        vectors = torch.from_numpy(np.ascontiguousarray(queries[chunk], np.float32)).to(device)
        moved = vectors - searched.offset
        products = moved @ searched.shifted.T  # (queries, rows)
        near = searched.by_euclidean(vectors, moved, products)
        nearest[EUCLIDEAN][chunk, : searched.few] = rows[near.cpu().numpy()]
        if not are_units:
            near = searched.by_cosine(vectors, moved, products)
        nearest[COSINE][chunk, : searched.few] = rows[near.cpu().numpy()]
    return nearest


class _Searched:
    """The rows among which ``nearest_by_both`` searches, and what it needs of each."""

    def __init__(self, points: Tensor, k: int):
        self.points = points  # (rows, dim)
        self.few, self.many = min(k, len(points)), min(k + SPARE, len(points))
        self.offset = points.mean(dim=0)  # a shift changes no distance and saves digits
        self.shifted = points - self.offset
        self.squares = (self.shifted**2).sum(dim=1)  # (rows,)

    @cached_property
    def exact_lengths(self) -> Tensor:
        """(rows,) float64"""
        return own_squares(self.points).sqrt().clamp_min(SMALLEST)

    @cached_property
    def lengths(self) -> Tensor:
        """(rows,) float32"""
        return self.exact_lengths.to(self.points)

    @cached_property
    def along(self) -> Tensor:
        """Products with the offset. (rows,)"""
        return self.points @ self.offset

    @cached_property
    def units(self) -> Tensor:
        """(rows, dim) float64"""
        return self.points.double() / self.exact_lengths[:, None]

    def by_euclidean(self, vectors: Tensor, moved: Tensor, products: Tensor) -> Tensor:
        """The nearest rows of each vector, of which ``moved`` is without the offset. -> (queries, few)"""
        values = (products * -2).add_(self.squares)  # squared distances, less the query's own square
        moved_squares = (moved**2).sum(dim=1, keepdim=True)
        last, candidates = values.topk(self.many, dim=1, largest=False)
        near, exact = _ordered(candidates, vectors, self.points, None)

        def optimistic(part: Tensor, values: Tensor, squares: Tensor) -> Tensor:
            return values + moved_squares[part] - PRODUCT_ERROR * (moved_squares[part] + squares)

        bounds = may_be_equal(exact[:, self.few - 1], own_squares(vectors))[:, None]
        unsure = self._unsure(last[:, -1:], values, bounds, optimistic, (self.squares, self.squares.max()))
        if len(unsure):
            nobody = torch.full_like(unsure, -1)
            near[unsure, : self.few] = nearest_of_all(self.points, vectors[unsure], nobody, self.few)[0]
        return near[:, : self.few]

    def by_cosine(self, vectors: Tensor, moved: Tensor, products: Tensor) -> Tensor:
        """Return the same by cosine."""
        # q·b = (q - o)·(b - o) + b·o + (q - o)·o
        values = (products + self.along + (moved @ self.offset)[:, None]) / self.lengths
        own_lengths = own_squares(vectors).sqrt().clamp_min(SMALLEST)[:, None]
        units = vectors.double() / own_lengths
        last, candidates = values.topk(self.many, dim=1)
        near, exact = _ordered(candidates, units, self.points, self.exact_lengths)
        shift = self.offset.norm()
        errors = PRODUCT_ERROR * (self.squares.sqrt() + shift) / self.lengths  # of products with a query of length one
        reach = (moved.norm(dim=1, keepdim=True) + shift) / own_lengths

        def optimistic(part: Tensor, values: Tensor, errors: Tensor) -> Tensor:
            return 2 - 2 * (values / own_lengths[part] + reach[part] * errors)

        bounds = may_be_equal(exact[:, self.few - 1], torch.ones_like(exact[:, 0]))[:, None]
        unsure = self._unsure(last[:, -1:], values, bounds, optimistic, (errors, errors.max()))
        if len(unsure):
            nobody = torch.full_like(unsure, -1)
            near[unsure, : self.few] = nearest_of_all(self.units, units[unsure], nobody, self.few)[0]
        return near[:, : self.few]

    def _unsure(
        self, last: Tensor, values: Tensor, bounds: Tensor, optimistic: Callable[..., Tensor], errors: tuple
    ) -> Tensor:
        """The queries to which a row that is no candidate may be as near as the k-th. -> (n,)

        First judged by the last candidate and the largest error of all rows, then by each row and its own error.
        """
        everyone = torch.arange(len(values), device=values.device)
        if self.many == len(self.points):
            return everyone[:0]
        unsure = everyone[(optimistic(everyone, last, errors[1]) <= bounds).flatten()]
        possible = optimistic(unsure, values[unsure], errors[0]) <= bounds[unsure]
        return unsure[possible.sum(dim=1) > self.many]


def _ordered(near: Tensor, queries: Tensor, points: Tensor, lengths: Tensor | None) -> tuple[Tensor, Tensor]:
    """Candidates sorted by distance, ties in file order, and their squared distances.

    near: (queries, candidates), of rows of ``points``; lengths: to divide these by, for cosine; queries are divided
    """
    near = near.sort(dim=1).values
    squares = []
    for rows, targets in zip(near.split(AT_ONCE), queries.split(AT_ONCE), strict=True):
        candidates = points[rows].double()  # (queries, candidates, dim)
        if lengths is not None:
            candidates /= lengths[rows][:, :, None]
        squares.append(squares_apart(candidates, targets[:, None]))
    apart = torch.cat(squares)
    order = compared(apart, own_squares(queries)[:, None]).sort(dim=1, stable=True).indices
    return near.gather(1, order), apart.gather(1, order)
