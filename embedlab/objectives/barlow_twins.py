"""Barlow Twins: the cross-correlation of the two views becomes the identity (UNSEE, section 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from embedlab.later import Tensor, nn
from embedlab.objectives.wiring import NonContrastive, NonContrastiveConfig

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class BarlowTwinsConfig(NonContrastiveConfig):
    """The weight of redundancy, and how the two sides are built."""

    blocks: int = Field(
        4, ge=1, le=4, description="Blocks of the projector, of three linear layers each; 4 in the paper's best."
    )
    off_diagonal_weight: float = Field(
        0.0051, ge=0, le=10, description="Weight of the redundancy between dimensions (λ)."
    )
    affine: bool = Field(
        True,
        description="Scale and shift each standardized dimension by learned numbers, as the code of UNSEE does; off is "
        "the original Barlow Twins.",
    )


class BarlowTwins(NonContrastive[BarlowTwinsConfig]):
    """Both sides are standardised over the batch by one shared normalisation."""

    key = "barlow-twins"
    title = "Barlow Twins"
    sentence = "Make each dimension agree between the two views of a text and differ from all other dimensions."
    formula = r"\sum_{\text{both ways}} \Big(\sum_i (C_{ii} - 1)^2 + \lambda \sum_{i \ne j} C_{ij}^2\Big)"
    paper = "UNSEE, section 3.3; Barlow Twins"
    cites = ("zbontar2021barlow", "unsee")
    config_class = BarlowTwinsConfig

    def __init__(self, config: BarlowTwinsConfig, encoder: Encoder):
        super().__init__(config, encoder)
        self.normalisation = nn.BatchNorm1d(encoder.dim, affine=config.affine)

    def direction(self, *, online: Tensor, target: Tensor) -> dict[str, Tensor]:
        """``loss`` = invariance + weight · redundancy.  (batch, dim), (batch, dim) -> ()"""
        correlation = cross_correlation(online=self.normalisation(online), target=self.normalisation(target))
        invariance, redundancy = invariance_loss(correlation), redundancy_loss(correlation)
        loss = invariance + self.config.off_diagonal_weight * redundancy
        return {"loss": loss, "invariance": invariance, "redundancy": redundancy}


def cross_correlation(*, online: Tensor, target: Tensor) -> Tensor:
    """The cross-correlation of standardised dimensions over the batch.  (batch, dim), (batch, dim) -> (dim, dim)"""
    return online.T @ target / len(online)


def invariance_loss(correlation: Tensor) -> Tensor:
    """How far each dimension is from perfect correlation with itself. (dim, dim) -> ()"""
    return (correlation.diagonal() - 1).pow(2).sum()


def redundancy_loss(correlation: Tensor) -> Tensor:
    """How strongly dimensions correlate with each other. (dim, dim) -> ()"""
    return (correlation - correlation.diagonal().diag()).pow(2).sum()
