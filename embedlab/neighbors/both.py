"""Nearest rows by Euclidean distance and by cosine from one matrix of products, for what is asked again and again."""

from __future__ import annotations

import numpy as np

from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.later import Tensor, torch
from embedlab.metrics.exact import have_length_one, usable
from embedlab.neighbors.search import SPARE

CHUNK_ROWS = 512
AT_ONCE = 32  # queries whose candidates' vectors stay in the processor's cache
SMALLEST = 1e-30  # lengths below count as this, so that nothing is divided by zero


def nearest_by_both(
    *, queries: np.ndarray, base: np.ndarray, k: int, device: str = "cpu"
) -> dict[Distance, np.ndarray]:
    """The k nearest rows of ``base`` for each query by either distance, nearest first; -1 where there is none.

    queries: (queries, dim), base: (rows, dim) -> (queries, min(k, rows)) each. Float32 products choose k + 16
    candidates, exact differences order them: as ``nearest`` finds, but for more than sixteen rows that products cannot
    tell apart. Zero and non-finite vectors are nobody's neighbor and have none.
    """
    k = min(k, len(base))
    nearest = {distance: np.full((len(queries), k), -1) for distance in (EUCLIDEAN, COSINE)}
    rows, query_rows = np.flatnonzero(usable(base)), np.flatnonzero(usable(queries))
    if not len(rows) or not len(query_rows) or not k:
        return nearest
    points = torch.from_numpy(np.ascontiguousarray(base[rows], np.float32)).to(device)  # (rows, dim)
    offset = points.mean(dim=0)  # a shift changes no distance and saves digits
    shifted = points - offset
    squares, lengths, along = (shifted**2).sum(dim=1), _lengths(points), points @ offset  # (rows,) each
    units = points / lengths[:, None]
    are_units = have_length_one(base, rows) and have_length_one(queries, query_rows)  # then both order them alike
    few, many = min(k, len(rows)), min(k + SPARE, len(rows))
    for start in range(0, len(query_rows), CHUNK_ROWS):
        chunk = query_rows[start : start + CHUNK_ROWS]
        vectors = torch.from_numpy(np.ascontiguousarray(queries[chunk], np.float32)).to(device)
        moved = vectors - offset
        products = moved @ shifted.T  # (queries, rows)
        euclidean = (squares - 2 * products).topk(many, dim=1, largest=False).indices
        nearest[EUCLIDEAN][chunk, :few] = rows[_ordered(euclidean, vectors, points)[:, :few].cpu().numpy()]
        if are_units:
            nearest[COSINE][chunk] = nearest[EUCLIDEAN][chunk]
            continue
        # q·b = (q - o)·(b - o) + q·o + b·o - o·o, of which q·o - o·o is the same for all rows
        cosine = ((products + along + moved @ offset.unsqueeze(1)) / lengths).topk(many, dim=1).indices
        own_units = vectors / _lengths(vectors)[:, None]
        nearest[COSINE][chunk, :few] = rows[_ordered(cosine, own_units, units)[:, :few].cpu().numpy()]
    return nearest


def _lengths(vectors: Tensor) -> Tensor:
    return vectors.norm(dim=1).clamp_min(SMALLEST)


def _ordered(near: Tensor, queries: Tensor, points: Tensor) -> Tensor:
    """Candidates by their distance, equal ones in file order.  near: (queries, candidates), of rows of ``points``"""
    near = near.sort(dim=1).values
    parts = zip(near.split(AT_ONCE), queries.split(AT_ONCE), strict=True)
    apart = torch.cat([(points[rows] - asker[:, None]).norm(dim=2) for rows, asker in parts])
    return near.gather(1, apart.sort(dim=1, stable=True).indices)
