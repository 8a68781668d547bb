"""Training-only networks above the encoder."""

from __future__ import annotations

from embedlab.later import nn


def training_mlp(dim: int) -> nn.Sequential:
    """Linear, tanh: SimCSE's head on [CLS], in training only (its ``mlp_only_train``)."""
    return nn.Sequential(nn.Linear(dim, dim), nn.Tanh())


def projection_head(dim: int, hidden: int = 512, out: int = 128) -> nn.Sequential:
    """Linear, ReLU, Linear: the loss reads its output, evaluation reads the encoder's (crops paper, section 5)."""
    return nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, out))


def projector(dim: int, *, blocks: int, width: int) -> nn.Sequential:
    """UNSEE's "MLP layers", adopted from BSL: blocks one after the other, each ``width`` × dim units wide inside."""
    return nn.Sequential(*(projector_block(dim, width * dim) for _ in range(blocks)))


def projector_block(dim: int, hidden: int) -> nn.Sequential:
    """One "MLP layer" of UNSEE: three linear layers, one batch normalisation.  (batch, dim) -> (batch, dim)"""
    return nn.Sequential(
        nn.Linear(dim, hidden),
        nn.BatchNorm1d(hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, dim),
    )
