"""Triplet loss with in-batch negatives: an anchor lies nearer to its positive than to others (SemCSE, section 3)."""

from __future__ import annotations

from pydantic import Field

from embedlab.config import Config
from embedlab.encoders.parts import read_views
from embedlab.later import Tensor, nn, torch
from embedlab.objectives.base import Objective, Tokens
from embedlab.objectives.infonce import same_group


class TripletConfig(Config):
    """How much nearer the positive has to be, and how strongly vectors are kept short."""

    margin: float = Field(
        1.0, ge=0.0, le=100.0, description="How much closer the positive has to be than each negative (m)."
    )
    anchor_norm_weight: float = Field(
        0.004, ge=0.0, le=10.0, description="Weight of the anchors' mean length, which keeps the space compact (1/250)."
    )


class Triplet(Objective):
    """Euclidean distances between vectors as they are, not normalised; the negatives are the other texts' positives."""

    key = "triplet"
    title = "Triplet"
    sentence = "An anchor has to be closer to its own positive than to the positives of the other texts, by a margin."
    formula = (
        r"\frac{1}{B(B-1)}\sum_{i \neq j} \max\left(0, \lVert a_i - p_i\rVert - \lVert a_i - p_j\rVert + m\right)"
        r" + \frac{\lambda}{B}\sum_i \lVert a_i\rVert"
    )
    paper = "SemCSE, section 3 and A.3"
    cites = ("semcse",)
    config_class = TripletConfig

    def __init__(self, config: TripletConfig, encoder: nn.Module):
        super().__init__()
        self.config = config

    def forward(self, encoder: nn.Module, views: list[Tokens], groups: Tensor | None = None) -> dict[str, Tensor]:
        """Anchors are the first view, positives the second.  groups: (batch,)"""
        anchors, positives = (vectors.float() for vectors in read_views(encoder, views))  # (batch, dim) each
        distance = distances(anchors=anchors, positives=positives)
        hinges = triplet_hinges(distance, margin=self.config.margin, same=same_group(groups))
        triplet = hinges.mean() if hinges.numel() else hinges.sum()  # a single text or class has no negatives
        anchor_norm = torch.linalg.vector_norm(anchors, dim=1).mean()
        return {
            "loss": triplet + self.config.anchor_norm_weight * anchor_norm,
            "triplet": triplet,
            "anchor_norm": anchor_norm,
            "satisfied": satisfied(hinges),
        }


def distances(*, anchors: Tensor, positives: Tensor) -> Tensor:
    """Euclidean distance of every anchor to every positive; its gradient is zero where they are equal.

    (batch, dim), (batch, dim) -> (batch, batch)
    """
    # From differences: |a|² + |p|² − 2ap would cancel for near vectors. vector_norm has subgradient 0 at 0.
    return torch.linalg.vector_norm(anchors.unsqueeze(1) - positives.unsqueeze(0), dim=2)


def triplet_hinges(distance: Tensor, *, margin: float, same: Tensor | None = None) -> Tensor:
    """How far each triple falls short of the margin, the zero ones included.  (batch, batch) -> (batch·(batch − 1),)

    Pairs of texts of one class (``same_group``) make no triple; then there are fewer.
    """
    short = (distance.diagonal().unsqueeze(1) - distance + margin).relu()  # (batch, batch)
    return short[~torch.eye(len(distance), dtype=torch.bool, device=distance.device) if same is None else ~same]


def satisfied(hinges: Tensor) -> Tensor:
    """Share of triples that keep the margin already.  (triples,) -> ()"""
    return (hinges.detach() == 0).float().sum() / max(1, hinges.numel())
