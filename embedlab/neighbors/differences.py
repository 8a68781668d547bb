"""Distances by differences in float64 on the device, and which of them are equal."""

from __future__ import annotations

from embedlab.later import Tensor, torch
from embedlab.vectors.ties import CLOSE, HALF, MASK, WITHIN

SHIFTED_ROWS = 16_384  # shifted or measured at once, in float64


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
        apart = torch.cat([squares_apart(part, query) for part in points.split(4096)])
        if own_row >= 0:
            apart[own_row] = torch.inf
        order = compared(apart, own_squares(query)).sort(stable=True).indices[:k]
        indices.append(order)
        nearest.append(apart[order])
    return torch.stack(indices), torch.stack(nearest)


def squares_apart(one: Tensor, other: Tensor) -> Tensor:
    """Squared distances along the last dimension, by differences in float64."""
    return (one.double() - other.double()).square().sum(dim=-1)


def own_squares(vectors: Tensor) -> Tensor:
    """Squared lengths in float64, of a part of the rows at a time.  (rows, dim) -> (rows,)"""
    return torch.cat([part.double().square().sum(dim=1) for part in vectors.split(SHIFTED_ROWS)])


def may_be_equal(squares: Tensor, own_squares: Tensor) -> Tensor:
    """As ``ties.highest_equal``, on the device."""
    return torch.maximum(squares * (1 + WITHIN), own_squares * (2 * CLOSE))


def compared(squares: Tensor, own_squares: Tensor) -> Tensor:
    """As ``ties.compared``, on the device."""
    rounded = ((squares.view(torch.int64) + HALF) & MASK).view(torch.float64)
    return torch.where(squares <= own_squares * CLOSE, 0.0, rounded)
