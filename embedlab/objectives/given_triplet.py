"""Triplet loss of given negatives: an anchor lies nearer to its positive than to its own negatives (Sentence-BERT)."""

from __future__ import annotations

from pydantic import Field

from embedlab.augmentations.base import GIVEN
from embedlab.config import Config
from embedlab.encoders.parts import read_views
from embedlab.errors import UnfitError
from embedlab.later import Tensor, nn, torch
from embedlab.objectives.base import Objective, Tokens


class GivenTripletConfig(Config):
    """How much nearer the positive has to be."""

    margin: float = Field(
        5.0, ge=0.0, le=100.0, description="How much closer the positive has to be than the negative (m)."
    )


class GivenTriplet(Objective):
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

    def __init__(self, config: GivenTripletConfig, encoder: nn.Module):
        super().__init__()
        self.config = config

    def forward(self, encoder: nn.Module, views: list[Tokens], groups: Tensor | None = None) -> dict[str, Tensor]:
        """Anchors, positives and at least one view of negatives."""
        if len(views) < 3:
            raise UnfitError(
                "E-UNFIT", "A triplet needs a negative text, but these pairs have none. Specify its column."
            )
        anchors, positives, *negatives = (vectors.float() for vectors in read_views(encoder, views))
        near = euclidean(anchors, positives)  # (batch,)
        short = torch.stack([(near - euclidean(anchors, each) + self.config.margin).relu() for each in negatives])
        return {"loss": short.mean(), "satisfied": (short.detach() == 0).float().mean()}


def euclidean(one: Tensor, other: Tensor) -> Tensor:
    """Row by row, as torch measures it: with 1e-6 added to each difference, so that equal rows have a gradient.

    (batch, dim), (batch, dim) -> (batch,)
    """
    return torch.nn.functional.pairwise_distance(one, other)
