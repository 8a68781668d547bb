"""Ranking of given pairs: an anchor finds its positive among those of the batch and all given negatives (MNRL)."""

from __future__ import annotations

from pydantic import Field

from embedlab.augmentations.base import GIVEN
from embedlab.config import Config
from embedlab.encoders.parts import read_views
from embedlab.later import F, Tensor, nn, torch
from embedlab.objectives.base import Objective, Tokens
from embedlab.objectives.infonce import cosine_matrix, found_positive, same_group


class RankingConfig(Config):
    """How hard near negatives are pushed away."""

    temperature: float = Field(
        0.05, ge=0.001, le=10.0, description="Smaller values penalise close negatives more (τ); 1/20 is a scale of 20."
    )


class Ranking(Objective):
    """InfoNCE one way, with the given negatives of all anchors as further candidates of each.

    The same values as sentence-transformers' MultipleNegativesRankingLoss, but for pairs of one batch that have the
    same anchor: there the other pair's positive is no negative.
    """

    key = "ranking"
    title = "Ranking (MNRL)"
    sentence = "An anchor has to find its positive among the positives of the batch and the given negatives."
    formula = r"-\log\frac{e^{\cos(a_i, p_i)/\tau}}{\sum_j e^{\cos(a_i, p_j)/\tau} + \sum_j e^{\cos(a_i, n_j)/\tau}}"
    paper = "Henderson et al. 2017; the NLI baseline of TSDAE, SimCSE and LA(SER)³"
    cites = ("henderson2017ranking",)
    takes = GIVEN
    config_class = RankingConfig

    def __init__(self, config: RankingConfig, encoder: nn.Module):
        super().__init__()
        self.config = config

    def forward(self, encoder: nn.Module, views: list[Tokens], groups: Tensor | None = None) -> dict[str, Tensor]:
        """Anchors, positives, then any number of views of negatives.  groups: (batch,)"""
        anchors, *candidates = (vectors.float() for vectors in read_views(encoder, views))  # (batch, dim) each
        similarity = cosine_matrix(anchors=anchors, positives=torch.cat(candidates))  # (batch, candidates · batch)
        own = torch.arange(len(anchors), device=anchors.device)
        same = same_group(groups)
        scores = similarity / self.config.temperature
        if same is not None:
            others = same & ~torch.eye(len(anchors), dtype=torch.bool, device=anchors.device)
            scores = scores.masked_fill(F.pad(others, (0, scores.shape[1] - len(anchors))), float("-inf"))
        found = found_positive(similarity[:, : len(anchors)], same)
        return {"loss": F.cross_entropy(scores, own), "found_positive": found}
