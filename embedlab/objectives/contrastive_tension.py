"""Contrastive Tension: two encoders agree on the same text and disagree on different ones; the second one is kept."""

from __future__ import annotations

import copy
import math
from functools import partial
from typing import TYPE_CHECKING

from pydantic import Field

from embedlab.augmentations.base import SAMPLED
from embedlab.config import Config, NoSettings
from embedlab.later import F, Tensor, nn, torch
from embedlab.objectives.base import Objective, Tokens
from embedlab.objectives.infonce import cosine_matrix, found_positive, info_nce, same_group

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


class ContrastiveTension(Objective[NoSettings]):
    """The dot product of the two encoders' vectors predicts whether the two texts of a pair are the same.

    The pairs come from the augmentation, and the loss has no constant.
    """

    key = "contrastive-tension"
    title = "Contrastive Tension"
    sentence = "Two encoders: their vectors agree on the same text and disagree on two different ones."
    formula = r"\sum_i \log\left(1 + e^{-y_i\, f_1(x_i)^\top f_2(x'_i)}\right), \quad y_i = +1 \text{ if } x_i = x'_i"
    paper = "TSDAE, section 5.3; Contrastive Tension (Carlsson et al. 2021)"
    cites = ("carlsson2021tension",)
    takes = SAMPLED

    def __init__(self, config: NoSettings, encoder: Encoder):
        super().__init__(config, encoder)
        self.first = copy.deepcopy(encoder)  # what is frozen in the encoder is frozen in its copy

    def forward(self, encoder: Encoder, views: list[Tokens]) -> dict[str, Tensor]:
        """The copy reads the first text of each pair, the saved encoder the second."""
        firsts, seconds = self.first(views[0]).float(), encoder(views[1]).float()  # (batch, dim) each
        scores = (firsts * seconds).sum(dim=1)  # (batch,)
        same = are_same(*views)
        told_apart = ((scores.detach() > 0) == same).float().mean()
        return {"loss": tension(scores, same), "told_apart": told_apart}

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        return self.first.parameter_groups()


class ContrastiveTensionInBatchConfig(Config):
    """How strongly close negatives are pushed away at the start."""

    temperature: float = Field(
        0.05, ge=0.001, le=10.0, description="Where the temperature starts; it is learned from there (1/20)."
    )


class ContrastiveTensionInBatch(Objective[ContrastiveTensionInBatchConfig]):
    """Each text under one encoder has to find itself among all texts under the other."""

    key = "contrastive-tension-in-batch"
    title = "Contrastive Tension, in-batch"
    sentence = "Two encoders: each text under one should find itself among all texts of the batch under the other."
    formula = (
        r"-\tfrac{1}{2}\left(\log\frac{e^{s\cos(f_1(x_i), f_2(x_i))}}{\sum_j e^{s\cos(f_1(x_i), f_2(x_j))}}"
        r" + \log\frac{e^{s\cos(f_1(x_i), f_2(x_i))}}{\sum_j e^{s\cos(f_1(x_j), f_2(x_i))}}\right)"
    )
    paper = "Contrastive Tension; its in-batch form in sentence-transformers"
    cites = ("carlsson2021tension", "reimers2019sbert")
    takes = SAMPLED
    config_class = ContrastiveTensionInBatchConfig

    def __init__(self, config: ContrastiveTensionInBatchConfig, encoder: Encoder):
        super().__init__(config, encoder)
        self.first = copy.deepcopy(encoder)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / config.temperature)))

    def forward(self, encoder: Encoder, views: list[Tokens], groups: Tensor | None = None) -> dict[str, Tensor]:
        """The copy reads the first view, the saved encoder the second. groups: (batch,)"""
        firsts, seconds = self.first(views[0]).float(), encoder(views[1]).float()  # (batch, dim) each
        similarity = cosine_matrix(anchors=firsts, positives=seconds)  # (batch, batch)
        scores = similarity * self.log_scale.exp()
        same = same_group(groups)
        contrast = partial(info_nce, temperature=1.0, same=same)
        loss = (contrast(scores) + contrast(scores.T)) / 2
        temperature = (-self.log_scale.detach()).exp()
        return {"loss": loss, "found_positive": found_positive(similarity, same), "temperature": temperature}

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        groups = self.first.parameter_groups()
        return {**groups, "dense": [*groups["dense"], self.log_scale]}


def tension(scores: Tensor, same: Tensor) -> Tensor:
    """Binary cross-entropy of "the texts are the same", summed over the pairs.  (batch,), (batch,) -> ()"""
    return F.binary_cross_entropy_with_logits(scores, same.to(scores.dtype), reduction="sum")


def are_same(one: Tokens, other: Tokens) -> Tensor:
    """Which rows contain the same text in both views, regardless of padding. -> (batch,), bool"""
    if "input_ids" not in one:
        return (one["vectors"] == other["vectors"]).all(dim=1)
    width = max(one["input_ids"].shape[1], other["input_ids"].shape[1])
    ids = [view["input_ids"].masked_fill(view["attention_mask"] == 0, -1) for view in (one, other)]  # no token is -1
    one_ids, other_ids = (F.pad(row, (0, width - row.shape[1]), value=-1) for row in ids)  # (batch, width)
    return (one_ids == other_ids).all(dim=1)
