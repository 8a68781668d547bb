"""Exact nearest rows in chunks, on the device, by one distance or by both.

Products find candidates, differences order them. scikit-learn's brute force takes twice the time
(tests/benchmarks/neighbor_graph.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from embedlab.device import is_limited
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.later import Tensor, torch
from embedlab.vectors.exact import have_length_one, usable

if TYPE_CHECKING:
    from embedlab.neighbors.selection import NearestCandidates

SPARE = 16  # candidates beyond k whose distances are computed anew
CHUNK_ROWS = 1024
TILE_ROWS = 2048
SHIFTED_ROWS = 16_384  # shifted at once, in float64
CHUNK_NUMBERS = 2**25
EXACT_NUMBERS = 2**22
SAME = 2e-5  # squared distances this close (relative) are the same, distances within 1e-5
PRODUCT_ERROR = 16 * float(np.finfo(np.float32).eps)  # of a squared distance, by the squared norms


class NeighborSearch:
    """Vectors prepared for many queries: float32 products find candidates, exact distances sort them.

    Zero and non-finite vectors are nobody's neighbor and have none.
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
        exact = torch.cat([torch.linalg.vector_norm(self.points[rows] - q[:, None], dim=2) for q, rows in parts])
        order = exact.sort(dim=1, stable=True)
        indices, apart = candidates.gather(1, order.indices)[:, :k], order.values[:, :k]
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
        unseen = farthest - PRODUCT_ERROR * (own_square + self.squares.max())
        unsure = (apart[:, -1] > 0) & (unseen.to(apart) < apart[:, -1] ** 2 * (1 - SAME))
        for query in torch.nonzero(unsure).flatten().tolist():
            own_row = None if itself is None else itself[query]
            indices[query], apart[query] = self._among_all(queries[query], own_row, indices.shape[1])
        apart = apart / self.scale if self.distance == "euclidean" else apart**2 / 2  # |u-v|² = 2 (1 - cos)
        return self.rows[indices.cpu().numpy()], apart.cpu().numpy()

    def _among_all(self, query: Tensor, own_row: Tensor | None, k: int) -> tuple[Tensor, Tensor]:
        """One query against every row by differences, for queries on which products cannot decide."""
        apart = torch.cat([torch.linalg.vector_norm(part - query, dim=1) for part in self.points.split(4096)])
        if own_row is not None:
            apart[own_row] = torch.inf
        order = apart.sort(stable=True)
        return order.indices[:k], order.values[:k]

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
    candidates, exact differences order them: as ``NeighborSearch`` finds, but for more than sixteen rows that products
    cannot tell apart. Zero and non-finite vectors are nobody's neighbor and have none.
    """
    k = min(k, len(base))
    nearest = {distance: np.full((len(queries), k), -1) for distance in (EUCLIDEAN, COSINE)}
    rows, query_rows = np.flatnonzero(usable(base)), np.flatnonzero(usable(queries))
    if not len(rows) or not len(query_rows) or not k:
        return nearest
    points = torch.from_numpy(np.ascontiguousarray(base[rows], np.float32)).to(device)  # (rows, dim)
    offset = points.mean(dim=0)  # a shift changes no distance and saves digits
    shifted = points - offset
    squares = (shifted**2).sum(dim=1)  # (rows,)
    are_units = have_length_one(base, rows) and have_length_one(queries, query_rows)  # then both order them alike
    if not are_units:
        lengths, along = points.norm(dim=1).clamp_min(SMALLEST), points @ offset  # (rows,) each
        units = points / lengths[:, None]
    few, many = min(k, len(rows)), min(k + SPARE, len(rows))
    for start in range(0, len(query_rows), BOTH_CHUNK_ROWS):
        chunk = query_rows[start : start + BOTH_CHUNK_ROWS]
        vectors = torch.from_numpy(np.ascontiguousarray(queries[chunk], np.float32)).to(device)
        moved = vectors - offset
        products = moved @ shifted.T  # (queries, rows)
        euclidean = (products * -2).add_(squares).topk(many, dim=1, largest=False).indices
        nearest[EUCLIDEAN][chunk, :few] = rows[_ordered(euclidean, vectors, points)[:, :few].cpu().numpy()]
        if are_units:
            nearest[COSINE][chunk] = nearest[EUCLIDEAN][chunk]
            continue
        # q·b = (q - o)·(b - o) + q·o + b·o - o·o, of which q·o - o·o is the same for all rows
        cosine = ((products + along + moved @ offset.unsqueeze(1)) / lengths).topk(many, dim=1).indices
        own_units = vectors / vectors.norm(dim=1).clamp_min(SMALLEST)[:, None]
        nearest[COSINE][chunk, :few] = rows[_ordered(cosine, own_units, units)[:, :few].cpu().numpy()]
    return nearest


def _ordered(near: Tensor, queries: Tensor, points: Tensor) -> Tensor:
    """Candidates sorted by distance, ties in file order. near: (queries, candidates), of rows of ``points``"""
    near = near.sort(dim=1).values
    parts = zip(near.split(AT_ONCE), queries.split(AT_ONCE), strict=True)
    apart = torch.cat([(points[rows] - asker[:, None]).norm(dim=2) for rows, asker in parts])
    return near.gather(1, apart.sort(dim=1, stable=True).indices)
