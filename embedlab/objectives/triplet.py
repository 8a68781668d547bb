"""Triplet losses: an anchor has to be closer to its positive than to the negatives of the batch, or to given ones.

In-batch negatives as in SemCSE, section 3; given negatives as in Sentence-BERT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from embedlab.augmentations.base import GIVEN
from embedlab.config import Config
from embedlab.encoders.parts import read_views
from embedlab.errors import UnfitError
from embedlab.later import F, Tensor, torch
from embedlab.objectives.base import Objective, Tokens
from embedlab.objectives.infonce import same_group

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class TripletConfig(Config):
    """The margin, and how strongly vector norms are limited."""

    margin: float = Field(
        1.0, ge=0.0, le=100.0, description="How much closer the positive has to be than each negative (m)."
    )
    anchor_norm_weight: float = Field(
        0.004, ge=0.0, le=10.0, description="Weight of the anchors' mean length, which keeps the space compact (1/250)."
    )


class Triplet(Objective[TripletConfig]):
    """Euclidean distances between unnormalised vectors; the negatives are the other texts' positives."""

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

    def forward(self, encoder: Encoder, views: list[Tokens], groups: Tensor | None = None) -> dict[str, Tensor]:
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


class GivenTripletConfig(Config):
    """How much nearer the positive has to be."""

    margin: float = Field(
        5.0, ge=0.0, le=100.0, description="How much closer the positive has to be than the negative (m)."
    )


class GivenTriplet(Objective[GivenTripletConfig]):
    """Euclidean distances of vectors as they are; the mean over the negatives of a pair where it has several."""

    key = "given-triplet"
    title = "Triplet of given negatives"
    sentence = "An anchor has to be closer to its positive than to its given negatives, by a margin."
    formula = r"\max\left(0, \lVert a - p\rVert - \lVert a - n\rVert + m\right)"
    paper = "Sentence-BERT, section 3"
    cites = ("reimers2019sbert",)
    needs = frozenset({"negatives"})
    takes = GIVEN
    config_class = GivenTripletConfig

    def forward(self, encoder: Encoder, views: list[Tokens], groups: Tensor | None = None) -> dict[str, Tensor]:
        """Anchors, positives and at least one view of negatives."""
        if len(views) < 3:
            raise UnfitError(
                "E-UNFIT", "A triplet needs a negative text, but these pairs have none. Specify its column."
            )
        anchors, positives, *negatives = (vectors.float() for vectors in read_views(encoder, views))
        # to each difference torch adds 1e-6, so that equal rows have a gradient
        near = F.pairwise_distance(anchors, positives)  # (batch,)
        short = torch.stack(
            [(near - F.pairwise_distance(anchors, each) + self.config.margin).relu() for each in negatives]
        )
        return {"loss": short.mean(), "satisfied": (short.detach() == 0).float().mean()}
