"""Exact nearest rows in chunks, on the device, by one distance or by both.

Products find candidates, differences order them. scikit-learn's brute force takes twice the time
(tests/benchmarks/neighbor_graph.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from embedlab.device import is_limited
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.later import Tensor, torch
from embedlab.vectors.exact import have_length_one, usable
from embedlab.vectors.ties import CLOSE, HALF, MASK, WITHIN

if TYPE_CHECKING:
    from embedlab.neighbors.selection import NearestCandidates

SPARE = 16  # candidates beyond k whose distances are computed anew
CHUNK_ROWS = 1024
TILE_ROWS = 2048
SHIFTED_ROWS = 16_384  # shifted at once, in float64
CHUNK_NUMBERS = 2**25
EXACT_NUMBERS = 2**22
PRODUCT_ERROR = 16 * float(np.finfo(np.float32).eps)  # of a squared distance, by the squared norms


class NeighborSearch:
    """Vectors prepared for many queries: float32 products find candidates, exact distances sort them.

    Ties are in file order (``ties.compared``), on a CPU and on a GPU alike: a query to which more rows than its
    candidates may be as near is measured against all rows. Zero and non-finite vectors are nobody's neighbor and have
    none.
    """

    def __init__(self, embeddings: np.ndarray, *, distance: str = "euclidean", device: str = "cpu"):
        self.distance = distance
        self.rows = np.flatnonzero(usable(embeddings))
        self.total = len(embeddings)
        points = torch.from_numpy(np.ascontiguousarray(embeddings[self.rows], dtype=np.float32))  # a copy of its own
        # a power of two changes no digit and keeps the squares of huge and tiny vectors in range
        largest = max(points.max().item(), -points.min().item()) if len(points) else 1.0
        self.scale = 2.0 ** -int(np.clip(np.frexp(largest)[1], -126, 126))
        self.exact_device = "cpu" if is_limited(device) else device  # which has no float64
        self.points = self._measured(points).to(self.exact_device)
        self.offset: Tensor | float = 0.0
        if distance == "euclidean" and len(points):  # a shift changes no distance and saves digits
            self.offset = self.points.mean(dim=0, dtype=torch.float64)
        self.quick = torch.empty(self.points.shape, dtype=torch.float32, device=device)  # (rows, dim)
        self.squares = torch.empty(len(self.points), dtype=torch.float32, device=device)  # (rows,)
        for start in range(0, len(self.points), SHIFTED_ROWS):
            part = slice(start, start + SHIFTED_ROWS)
            self.quick[part] = (self.points[part] - self.offset).to(torch.float32)
            self.squares[part] = (self.quick[part] ** 2).sum(dim=1)

    @property
    def chunk_rows(self) -> int:
        """How many queries are answered in one chunk."""
        return max(1, min(CHUNK_ROWS, CHUNK_NUMBERS // max(len(self.rows), 1)))

    def nearest(self, queries: np.ndarray, *, k: int) -> tuple[np.ndarray, np.ndarray]:
        """queries: (queries, dim) -> indices and distances (queries, min(k, rows)), -1 and infinity where none is"""
        k = min(k, self.total)
        indices = np.full((len(queries), k), -1, np.int32)
        distances = np.full((len(queries), k), np.inf, np.float32)
        query_rows = np.flatnonzero(usable(queries))
        vectors = torch.from_numpy(np.array(queries[query_rows], dtype=np.float32, order="C"))
        vectors = self._measured(vectors).to(self.exact_device)
        for start in range(0, len(query_rows), self.chunk_rows):
            chunk = slice(start, start + self.chunk_rows)
            near, apart = self.chunk(vectors[chunk], None, k)
            indices[query_rows[chunk], : near.shape[1]] = near
            distances[query_rows[chunk], : near.shape[1]] = apart
        return indices, distances

    def chunk(self, queries: Tensor, itself: Tensor | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Nearest rows of prepared vectors; ``itself`` names the point that each query is, to be excluded."""
        k = min(k, len(self.rows) - (itself is not None))
        if k < 1:
            return np.empty((len(queries), 0), int), np.empty((len(queries), 0))
        return (self.on_cpu if self.quick.device.type == "cpu" else self.at_once)(queries, itself, k)

    def at_once(self, queries: Tensor, itself: Tensor | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The same with the whole matrix of products, which suits a GPU."""
        others = len(self.rows) - (itself is not None)
        quick = (queries - self.offset).to(self.quick)
        near = torch.addmm(self.squares, quick, self.quick.T, alpha=-2)  # (queries, rows), less the query's own square
        if itself is not None:
            near[torch.arange(len(near)), itself] = torch.inf
        nearness, candidates = near.topk(min(k + SPARE, others), dim=1, largest=False)
        candidates = candidates.sort(dim=1).values.to(self.exact_device)
        few = max(1, EXACT_NUMBERS // (candidates.shape[1] * queries.shape[1]))
        parts = zip(queries.split(few), candidates.split(few), strict=True)
        squares = torch.cat([_squares_apart(self.points[rows], q[:, None]) for q, rows in parts])
        order = _compared(squares, _own_squares(queries)[:, None]).sort(dim=1, stable=True).indices[:, :k]
        indices, apart = candidates.gather(1, order), squares.gather(1, order).sqrt()
        seen_all = nearness.shape[1] == others
        farthest = torch.full_like(nearness[:, -1], torch.inf) if seen_all else nearness[:, -1] + (quick**2).sum(dim=1)
        return self.checked(queries, itself, indices, apart, farthest)

    def on_cpu(self, queries: Tensor, itself: Tensor | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The same tile by tile, without holding the whole matrix of products."""
        from embedlab.neighbors.selection import NearestCandidates

        quick = (queries - self.offset).to(self.quick)
        query_lengths = (quick**2).sum(dim=1).numpy()
        left_out = np.full(len(queries), -1) if itself is None else itself.numpy()
        candidates = NearestCandidates(len(queries), min(k + SPARE, len(self.rows) - (itself is not None)))
        for start in range(0, len(self.rows), TILE_ROWS):
            tile = slice(start, start + TILE_ROWS)
            candidates.see(
                (quick @ self.quick[tile].T).numpy(),
                at=slice(None),
                query_lengths=query_lengths,
                row_lengths=self.squares[tile].numpy(),
                first=start,
                itself=left_out,
            )
        return self.settled(candidates, queries, itself, k)

    def graph_on_cpu(self, k: int, progress: Callable[[int, int], None]) -> tuple[np.ndarray, np.ndarray]:
        """The nearest other points of all points: each product is computed once and serves both of its rows."""
        from embedlab.neighbors.selection import NearestCandidates

        total = len(self.rows)
        k = min(k, total - 1)
        if k < 1:
            return np.empty((total, 0), int), np.empty((total, 0))
        candidates = NearestCandidates(total, min(k + SPARE, total - 1))
        itself, squares = np.arange(total), self.squares.numpy()
        tiles = [slice(start, min(start + TILE_ROWS, total)) for start in range(0, total, TILE_ROWS)]
        for number, one in enumerate(tiles):
            for other in tiles[number:]:
                products = self.quick[one] @ self.quick[other].T  # (tile, tile)
                sides = [(one, other, products)] + ([(other, one, products.T.contiguous())] if other != one else [])
                for at, rows, tile in sides:
                    candidates.see(
                        tile.numpy(), at=at, query_lengths=squares[at], row_lengths=squares[rows], first=rows.start,
                        itself=itself[at],
                    )  # fmt: skip
            done = total**2 - (total - one.stop) ** 2
            progress(done * total // total**2, total)
        return self.settled(candidates, self.points, torch.from_numpy(itself), k)

    def settled(
        self, candidates: NearestCandidates, queries: Tensor, itself: Tensor | None, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Candidates measured by differences; queries are searched again where products cannot decide."""
        indices, squares, farthest = candidates.settled(self.points.numpy(), queries.contiguous().numpy(), k)
        apart = torch.from_numpy(squares).sqrt()
        return self.checked(queries, itself, torch.from_numpy(indices), apart, torch.from_numpy(farthest))

    def checked(
        self, queries: Tensor, itself: Tensor | None, indices: Tensor, apart: Tensor, farthest: Tensor
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows and distances; a query to which an unseen row may be nearer is measured against all rows."""
        own_square = ((queries - self.offset).to(self.quick) ** 2).sum(dim=1)
        unseen = (farthest - PRODUCT_ERROR * (own_square + self.squares.max())).to(apart)
        unsure = torch.nonzero(unseen <= _may_be_equal(apart[:, -1] ** 2, _own_squares(queries))).flatten()
        if len(unsure):
            own_rows = torch.full_like(unsure, -1) if itself is None else itself.to(unsure)[unsure]
            indices[unsure], squares = self._among_all(queries[unsure], own_rows, indices.shape[1])
            apart[unsure] = squares.sqrt()
        apart = apart / self.scale if self.distance == "euclidean" else apart**2 / 2  # |u-v|² = 2 (1 - cos)
        return self.rows[indices.cpu().numpy()], apart.cpu().numpy()

    def _among_all(self, queries: Tensor, own_rows: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """Queries against every row by differences, where products cannot decide. -> (queries, k) rows, squares"""
        return nearest_of_all(self.points, queries, own_rows, k)

    def _measured(self, vectors: Tensor) -> Tensor:
        """Vectors prepared for their distance: in range for Euclidean, normalised in float64 for cosine."""
        if self.distance == "euclidean" or len(vectors) == 0:
            return vectors.mul_(self.scale)  # always a copy of our own
        vectors = vectors.double() / vectors.abs().amax(dim=1, keepdim=True)
        return vectors / vectors.norm(dim=1, keepdim=True)


BOTH_CHUNK_ROWS = 512
AT_ONCE = 32  # queries whose candidates' vectors stay in the processor's cache
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
        return _own_squares(self.points).sqrt().clamp_min(SMALLEST)

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
        own_squares = (moved**2).sum(dim=1, keepdim=True)
        last, candidates = values.topk(self.many, dim=1, largest=False)
        near, exact = _ordered(candidates, vectors, self.points, None)

        def optimistic(part: Tensor, values: Tensor, squares: Tensor) -> Tensor:
            return values + own_squares[part] - PRODUCT_ERROR * (own_squares[part] + squares)

        bounds = _may_be_equal(exact[:, self.few - 1], _own_squares(vectors))[:, None]
        unsure = self._unsure(last[:, -1:], values, bounds, optimistic, (self.squares, self.squares.max()))
        if len(unsure):
            nobody = torch.full_like(unsure, -1)
            near[unsure, : self.few] = nearest_of_all(self.points, vectors[unsure], nobody, self.few)[0]
        return near[:, : self.few]

    def by_cosine(self, vectors: Tensor, moved: Tensor, products: Tensor) -> Tensor:
        """The same by cosine."""
        # q·b = (q - o)·(b - o) + b·o + (q - o)·o
        values = (products + self.along + (moved @ self.offset)[:, None]) / self.lengths
        own_lengths = _own_squares(vectors).sqrt().clamp_min(SMALLEST)[:, None]
        units = vectors.double() / own_lengths
        last, candidates = values.topk(self.many, dim=1)
        near, exact = _ordered(candidates, units, self.points, self.exact_lengths)
        shift = self.offset.norm()
        errors = PRODUCT_ERROR * (self.squares.sqrt() + shift) / self.lengths  # of products with a query of length one
        reach = (moved.norm(dim=1, keepdim=True) + shift) / own_lengths

        def optimistic(part: Tensor, values: Tensor, errors: Tensor) -> Tensor:
            return 2 - 2 * (values / own_lengths[part] + reach[part] * errors)

        bounds = _may_be_equal(exact[:, self.few - 1], torch.ones_like(exact[:, 0]))[:, None]
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
    for rows, asked in zip(near.split(AT_ONCE), queries.split(AT_ONCE), strict=True):
        candidates = points[rows].double()  # (queries, candidates, dim)
        if lengths is not None:
            candidates /= lengths[rows][:, :, None]
        squares.append(_squares_apart(candidates, asked[:, None]))
    apart = torch.cat(squares)
    order = _compared(apart, _own_squares(queries)[:, None]).sort(dim=1, stable=True).indices
    return near.gather(1, order), apart.gather(1, order)


def nearest_of_all(points: Tensor, queries: Tensor, own_rows: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k nearest rows of each query and their squared distances, every row measured by differences.

    points: (rows, dim), queries: (queries, dim), own_rows: the row that each query is, or -1 -> 2 x (queries, k)
    """
    if points.device.type == "cpu":
        from embedlab.neighbors import selection

        near, squares = selection.nearest_of_all(points.numpy(), queries.numpy(), own_rows.numpy(), k)
        return torch.from_numpy(near), torch.from_numpy(squares)
    indices, nearest = [], []
    for query, own_row in zip(queries.split(1), own_rows.tolist(), strict=True):
        apart = torch.cat([_squares_apart(part, query) for part in points.split(4096)])
        if own_row >= 0:
            apart[own_row] = torch.inf
        order = _compared(apart, _own_squares(query)).sort(stable=True).indices[:k]
        indices.append(order)
        nearest.append(apart[order])
    return torch.stack(indices), torch.stack(nearest)


def _squares_apart(one: Tensor, other: Tensor) -> Tensor:
    """Squared distances along the last dimension, by differences in float64."""
    return (one.double() - other.double()).square().sum(dim=-1)


def _own_squares(vectors: Tensor) -> Tensor:
    """Squared lengths in float64, of a part of the rows at a time.  (rows, dim) -> (rows,)"""
    return torch.cat([part.double().square().sum(dim=1) for part in vectors.split(SHIFTED_ROWS)])


def _may_be_equal(squares: Tensor, own_squares: Tensor) -> Tensor:
    """As ``ties.highest_equal``, on the device."""
    return torch.maximum(squares * (1 + WITHIN), own_squares * (2 * CLOSE))


def _compared(squares: Tensor, own_squares: Tensor) -> Tensor:
    """As ``ties.compared``, on the device."""
    rounded = ((squares.view(torch.int64) + HALF) & MASK).view(torch.float64)
    return torch.where(squares <= own_squares * CLOSE, 0.0, rounded)
