"""Cosines that follow people's scores: by squared error (Sentence-BERT), or by order alone (CoSENT)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from embedlab.augmentations.base import SCORED
from embedlab.config import Config, NoSettings
from embedlab.encoders.parts import read_views
from embedlab.encoders.pooling import unit_length
from embedlab.later import F, Tensor, torch
from embedlab.objectives.base import Objective, Tokens

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class CosineMSE(Objective[NoSettings]):
    """The cosine of the two texts is fitted to the score, from 0 to 1."""

    key = "cosine-mse"
    title = "Cosine error"
    sentence = "The cosine of two texts should equal the score that people gave them, from 0 to 1."
    formula = r"\left(\cos(a_i, b_i) - s_i\right)^2"
    paper = "Sentence-BERT, section 3 (regression)"
    cites = ("reimers2019sbert",)
    needs = frozenset({"scores"})
    takes = SCORED

    def forward(self, encoder: Encoder, views: list[Tokens], *, targets: Tensor) -> dict[str, Tensor]:
        """targets: (batch,), the scores from 0 to 1"""
        cosines = pair_cosines(encoder, views)
        return {"loss": F.mse_loss(cosines, targets), "correlation": correlation(cosines, targets)}


class CoSENTConfig(Config):
    """How strongly a wrong order is penalised."""

    temperature: float = Field(
        0.05,
        ge=0.001,
        le=10.0,
        description="Smaller values penalize wrongly ordered pairs more; 1/20 is a scale of 20.",
    )


class CoSENT(Objective[CoSENTConfig]):
    """Only the order counts: of any two pairs of the batch, the one with the higher score has the higher cosine."""

    key = "cosent"
    title = "CoSENT"
    sentence = "Of any two pairs in the batch, the one that people scored higher should have the higher cosine."
    formula = r"\log\left(1 + \sum_{s_i > s_j} e^{(\cos_j - \cos_i)/\tau}\right)"
    paper = "CoSENT (Su 2022)"
    cites = ("su2022cosent",)
    needs = frozenset({"scores"})
    takes = SCORED
    config_class = CoSENTConfig

    def forward(self, encoder: Encoder, views: list[Tokens], *, targets: Tensor) -> dict[str, Tensor]:
        """targets: (batch,), the scores from 0 to 1"""
        cosines = pair_cosines(encoder, views)
        too_high = (cosines.unsqueeze(0) - cosines.unsqueeze(1)) / self.config.temperature  # [i, j]: of j above i
        wrong = too_high[targets.unsqueeze(1) > targets.unsqueeze(0)]
        loss = torch.logsumexp(torch.cat([wrong, wrong.new_zeros(1)]), dim=0)
        return {"loss": loss, "correlation": correlation(cosines, targets)}


def pair_cosines(encoder: Encoder, views: list[Tokens]) -> Tensor:
    """The cosine of the two texts of each pair.  -> (batch,)"""
    one, other = (vectors.float() for vectors in read_views(encoder, views))
    with torch.autocast(one.device.type, enabled=False):
        return (unit_length(one) * unit_length(other)).sum(dim=1)


def correlation(cosines: Tensor, targets: Tensor) -> Tensor:
    """Pearson's correlation, logged while training; 0 if either side is constant. (batch,), (batch,) -> ()"""
    one, other = (each.detach() - each.detach().mean() for each in (cosines, targets))
    return (one * other).sum() / (one.norm() * other.norm()).clamp_min(1e-12)
