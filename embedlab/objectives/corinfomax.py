"""CorInfoMax: the views agree while the embeddings fill as large a volume as possible (UNSEE, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import Field

from embedlab.device import is_limited
from embedlab.encoders.pooling import unit_length
from embedlab.later import F, LateModule, Tensor, torch
from embedlab.objectives.wiring import NonContrastive, NonContrastiveConfig

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class CorInfoMaxConfig(NonContrastiveConfig):
    """The weights of agreement and volume, how volume is estimated, and how the two sides are built."""

    blocks: int = Field(
        4, ge=1, le=4, description="Blocks of the projector, of three linear layers each; 4 in the paper's best."
    )
    covariance_weight: float = Field(
        0.2, ge=0, le=10_000, description="Weight of the volume term; 1 in the original CorInfoMax."
    )
    invariance_weight: float = Field(
        2000.0,
        ge=0,
        le=100_000,
        description="Weight of the agreement of the two views; 500 in the original CorInfoMax.",
    )
    forgetting: float = Field(
        0.01,
        ge=0,
        lt=1,
        description="Share of the old mean and covariance that is kept at each update (λ); with the paper's 0.01, 99 % "
        "is the current batch.",
    )
    ridge: float = Field(
        1e-6, gt=0, le=1, description="Added to the diagonal of a covariance before its determinant is taken (ε)."
    )
    normalize: bool = Field(
        False, description="Normalize both sides to length 1 first, an option of the original CorInfoMax; off in UNSEE."
    )


class CorInfoMax(NonContrastive[CorInfoMaxConfig]):
    """Both directions of a step update the same running covariances, one after the other, as in UNSEE's code."""

    key = "corinfomax"
    title = "CorInfoMax"
    sentence = "Let the two views of a text agree while the embeddings fill as much of the space as they can."
    formula = (
        r"\sum_{\text{both ways}} \Big(\alpha\,\mathrm{MSE}(x, y) - \tfrac{\beta}{d}\,"
        r"[\log\det(R_x + \varepsilon I) + \log\det(R_y + \varepsilon I)]\Big)"
    )
    paper = "UNSEE, section 3.2; CorInfoMax"
    cites = ("ozsoy2022corinfomax", "unsee")
    config_class = CorInfoMaxConfig

    def __init__(self, config: CorInfoMaxConfig, encoder: Encoder):
        super().__init__(config, encoder)
        self.online_moments = RunningMoments(encoder.dim, forgetting=config.forgetting)
        self.target_moments = RunningMoments(encoder.dim, forgetting=config.forgetting)

    def direction(self, *, online: Tensor, target: Tensor) -> dict[str, Tensor]:
        """``loss`` is the weighted sum of both terms.  (batch, dim), (batch, dim) -> ()"""
        if self.config.normalize:
            online, target = unit_length(online), unit_length(target)
        volumes = [
            log_volume(moments(vectors), ridge=self.config.ridge)
            for moments, vectors in ((self.online_moments, online), (self.target_moments, target))
        ]
        covariance = -torch.stack(volumes).sum().to(online.dtype).to(online.device)
        invariance = F.mse_loss(online, target)
        loss = self.config.covariance_weight * covariance + self.config.invariance_weight * invariance
        return {"loss": loss, "invariance": invariance, "covariance": covariance}


class RunningMoments(LateModule):
    """Mean and covariance of a stream of batches, in float64; initially 0 and the identity."""

    mean: Tensor  # (dim,)
    covariance: Tensor  # (dim, dim)

    def __init__(self, dim: int, *, forgetting: float):
        super().__init__()
        self.forgetting = forgetting
        self.register_buffer("mean", torch.zeros(dim, dtype=torch.float64))
        self.register_buffer("covariance", torch.eye(dim, dtype=torch.float64))

    def forward(self, vectors: Tensor) -> Tensor:
        """The covariance including this batch, with its gradient; stored while training. (batch, dim) -> (dim, dim)"""
        vectors = vectors.to(self.mean.device).to(self.mean.dtype)
        mean = updated(self.mean, vectors.mean(dim=0), forgetting=self.forgetting)
        centred = vectors - mean
        covariance = updated(self.covariance, centred.T @ centred / len(vectors), forgetting=self.forgetting)
        if self.training:
            self.mean, self.covariance = mean.detach(), covariance.detach()
        return covariance

    def _apply(self, fn: Callable, recurse: bool = True) -> RunningMoments:
        # without float64 (MPS) the moments stay on the CPU, and the batch comes to them
        return self if is_limited(fn(torch.empty(0)).device) else super()._apply(fn, recurse)


def updated(old: Tensor, batch: Tensor, *, forgetting: float) -> Tensor:
    """forgetting · old + (1 − forgetting) · batch, of equal shapes."""
    return forgetting * old + (1 - forgetting) * batch


def log_volume(covariance: Tensor, *, ridge: float) -> Tensor:
    """log det(covariance + ridge · I) per dimension.  (dim, dim) -> ()"""
    identity = torch.eye(len(covariance), dtype=covariance.dtype, device=covariance.device)
    return torch.logdet(covariance + ridge * identity) / len(covariance)
