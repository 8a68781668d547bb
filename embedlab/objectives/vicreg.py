"""VICReg: variance, invariance and covariance, each with its own weight (UNSEE, section 3.4)."""

from __future__ import annotations

from pydantic import Field

from embedlab.later import F, Tensor
from embedlab.objectives.wiring import NonContrastive, NonContrastiveConfig


class VICRegConfig(NonContrastiveConfig):
    """What the three wishes weigh, and how the two sides are built."""

    blocks: int = Field(
        3,
        ge=1,
        le=4,
        description="Blocks of the projector, of three linear layers each; the paper reports 3, its code has 4.",
    )
    invariance_weight: float = Field(25.0, ge=0, le=10_000, description="The two views agree (λ).")
    variance_weight: float = Field(25.0, ge=0, le=10_000, description="Each dimension varies between texts (μ).")
    covariance_weight: float = Field(1.0, ge=0, le=10_000, description="No two dimensions vary together (ν).")


class VICReg(NonContrastive[VICRegConfig]):
    """With a target network the terms of its side are constants: only the online side learns from them."""

    key = "vicreg"
    title = "VICReg"
    sentence = (
        "Let the two views of a text agree, each dimension vary between texts, and no two dimensions vary together."
    )
    formula = (
        r"\sum_{\text{both ways}} \Big(\lambda\,\mathrm{MSE}(x, y) + \tfrac{\mu}{2}\,[v(x) + v(y)] "
        r"+ \nu\,[c(x) + c(y)]\Big)"
    )
    paper = "UNSEE, section 3.4; VICReg"
    cites = ("bardes2022vicreg", "unsee")
    config_class = VICRegConfig

    def direction(self, *, online: Tensor, target: Tensor) -> dict[str, Tensor]:
        """``loss`` is the weighted sum of the three terms.  (batch, dim), (batch, dim) -> ()"""
        config = self.config
        invariance = F.mse_loss(online, target)
        variance = (variance_loss(online) + variance_loss(target)) / 2
        covariance = covariance_loss(online) + covariance_loss(target)
        loss = (
            config.invariance_weight * invariance
            + config.variance_weight * variance
            + config.covariance_weight * covariance
        )
        return {"loss": loss, "invariance": invariance, "variance": variance, "covariance": covariance}


def variance_loss(z: Tensor, eps: float = 1e-4) -> Tensor:
    """How far the std of each dimension falls short of 1, on average.  (batch, dim) -> ()"""
    return F.relu(1 - (z.var(dim=0) + eps).sqrt()).mean()


def covariance_loss(z: Tensor) -> Tensor:
    """Squared covariances of different dimensions, per dimension.  (batch, dim) -> ()"""
    centred = z - z.mean(dim=0)
    covariance = centred.T @ centred / (len(z) - 1)  # (dim, dim)
    return (covariance - covariance.diagonal().diag()).pow(2).sum() / z.shape[1]
