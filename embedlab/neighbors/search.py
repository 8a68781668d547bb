"""Exact nearest rows in chunks, on the device.

Products find candidates, differences order them. scikit-learn's brute force takes twice the time
(tests/benchmarks/neighbor_graph.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from embedlab.device import is_limited
from embedlab.later import Tensor, torch
from embedlab.neighbors.differences import (
    SHIFTED_ROWS,
    compared,
    may_be_equal,
    nearest_of_all,
    own_squares,
    squares_apart,
)
from embedlab.vectors.exact import usable

if TYPE_CHECKING:
    from embedlab.neighbors.selection import NearestCandidates

SPARE = 16  # candidates beyond k whose distances are computed anew
CHUNK_ROWS = 1024
TILE_ROWS = 2048
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
        squares = torch.cat([squares_apart(self.points[rows], q[:, None]) for q, rows in parts])
        order = compared(squares, own_squares(queries)[:, None]).sort(dim=1, stable=True).indices[:, :k]
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
        unsure = torch.nonzero(unseen <= may_be_equal(apart[:, -1] ** 2, own_squares(queries))).flatten()
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
