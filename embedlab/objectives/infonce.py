"""InfoNCE with in-batch negatives (text crops, dropout pairs, elongation), and the ranking of given pairs (MNRL)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from embedlab.augmentations.base import GIVEN
from embedlab.config import Config, may_be_empty
from embedlab.encoder_catalog.catalog import EncoderReference
from embedlab.encoders.parts import read_views
from embedlab.encoders.pooling import unit_length
from embedlab.later import F, Tensor, nn, torch
from embedlab.objectives.base import Objective, Tokens

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

INFONCE = "InfoNCE with in-batch negatives"  # how a methods paragraph names it


class InfoNCEConfig(Config):
    """How strongly close negatives are pushed away, what counts as a negative, and where the loss is computed."""

    temperature: float = Field(0.05, ge=0.001, le=10.0, description="Smaller values penalize close negatives more (τ).")
    form: Literal["one way", "both ways", "nt-xent"] = Field(
        "one way",
        description="Each anchor against all positives, as in the papers; also each positive against all anchors; or "
        "NT-Xent: each view against all other views of the batch, symmetric.",
    )
    head: Literal["none", "projection", "mlp"] = Field(
        "none",
        description="Train through a head that is discarded afterwards: dim → 512 → 128 (crops paper), or one layer "
        "with tanh (SimCSE).",
    )
    same_class: Literal["masked", "positives"] = Field(
        "masked",
        description="If pairs are made from labels: the other texts of the anchor's class are left out of its "
        "negatives, or each of them is also a positive (SupCon, Khosla et al. 2020, L_out).",
    )


class InfoNCE(Objective[InfoNCEConfig]):
    """Each anchor has to find its positive among all positives of the batch, except those of its own class."""

    key = "infonce"
    title = "InfoNCE"
    sentence = "Pull the two views of a text together and push it away from the other texts of the batch."
    formula = r"-\log\frac{e^{\cos(z_i, z_i^+)/\tau}}{\sum_j e^{\cos(z_i, z_j^+)/\tau}}"
    paper = "crops, equation 1; SimCSE"
    cites = ("oord2018cpc",)
    config_class = InfoNCEConfig

    def __init__(self, config: InfoNCEConfig, encoder: Encoder):
        super().__init__(config, encoder)
        dim = encoder.dim
        self.head: nn.Module = nn.Identity()
        if config.head == "projection":  # evaluation reads the encoder's output (crops paper, section 5)
            self.head = nn.Sequential(nn.Linear(dim, 512), nn.ReLU(), nn.Linear(512, 128))
        elif config.head == "mlp":  # SimCSE's on [CLS], in training only (its ``mlp_only_train``)
            self.head = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())

    def forward(self, encoder: Encoder, views: list[Tokens], groups: Tensor | None = None) -> dict[str, Tensor]:
        """Dropout differs for each text of each view. groups: (batch,)"""
        anchors, positives = (self.head(vectors).float() for vectors in read_views(encoder, views))  # (batch, dim) each
        similarity = cosine_matrix(anchors=anchors, positives=positives)
        same, attract = same_group(groups), self.config.same_class == "positives"
        contrast = partial(info_nce, temperature=self.config.temperature, same=same, attract=attract)
        if self.config.form == "nt-xent":
            temperature = self.config.temperature
            loss = nt_xent(anchors=anchors, positives=positives, temperature=temperature, same=same, attract=attract)
        elif self.config.form == "both ways":
            loss = (contrast(similarity) + contrast(similarity.T)) / 2
        else:
            loss = contrast(similarity)
        return {"loss": loss, "found_positive": found_positive(similarity, same)}


class RankingConfig(Config):
    """How strongly close negatives are pushed away, and which are left out as false negatives."""

    temperature: float = Field(
        0.05, ge=0.001, le=10.0, description="Smaller values penalize close negatives more (τ); 1/20 is a scale of 20."
    )
    guide: EncoderReference | None = may_be_empty(
        "none",
        "An encoder, such as mini: negatives that it finds closer to the anchor than the positive are "
        "left out (GIST, Solatorio 2024).",
    )
    guide_margin: float = Field(
        0.0, ge=0.0, le=2.0, description="Also leave out negatives whose cosine is less than this below the positive's."
    )
    guide_margin_is: Literal["absolute", "relative"] = Field(
        "absolute", description="The margin is a difference of cosines, or a share of the positive's cosine."
    )


class Ranking(Objective[RankingConfig]):
    """One-directional InfoNCE, with the given negatives of all anchors as further candidates.

    The same values as sentence-transformers' MultipleNegativesRankingLoss, but for pairs of one batch that have the
    same anchor: there the other pair's positive is no negative. With a guide the same as its GISTEmbedLoss without
    ``contrast_anchors`` and ``contrast_positives``: anchors against positives and given negatives.
    """

    key = "ranking"
    title = "Ranking (MNRL)"
    sentence = "An anchor has to find its positive among the positives of the batch and the given negatives."
    formula = r"-\log\frac{e^{\cos(a_i, p_i)/\tau}}{\sum_j e^{\cos(a_i, p_j)/\tau} + \sum_j e^{\cos(a_i, n_j)/\tau}}"
    paper = "Henderson et al. 2017; the NLI baseline of TSDAE, SimCSE and LA(SER)³"
    cites = ("henderson2017ranking",)
    takes = GIVEN
    config_class = RankingConfig

    def forward(
        self, encoder: Encoder, views: list[Tokens], groups: Tensor | None = None, guide: Tensor | None = None
    ) -> dict[str, Tensor]:
        """Anchors, positives, then any number of views of negatives.  groups: (batch,), guide: (batch, views, dim)"""
        anchors, *candidates = (vectors.float() for vectors in read_views(encoder, views))  # (batch, dim) each
        similarity = cosine_matrix(anchors=anchors, positives=torch.cat(candidates))  # (batch, candidates · batch)
        diagonal = torch.arange(len(anchors), device=anchors.device)
        same = same_group(groups)
        scores = similarity / self.config.temperature
        if same is not None:
            others = same & ~torch.eye(len(anchors), dtype=torch.bool, device=anchors.device)
            scores = scores.masked_fill(F.pad(others, (0, scores.shape[1] - len(anchors))), float("-inf"))
        terms: dict[str, Tensor] = {}
        if guide is not None:
            is_false = false_negatives(guide, self.config)
            scores = scores.masked_fill(is_false, float("-inf"))
            terms["left_out"] = is_false.float().mean()
        return {
            "loss": F.cross_entropy(scores, diagonal),
            "found_positive": found_positive(similarity[:, : len(anchors)], same),
            **terms,
        }


def cosine_matrix(*, anchors: Tensor, positives: Tensor) -> Tensor:
    """Cosine of every anchor with every positive.  (batch, dim), (batch, dim) -> (batch, batch)

    Never in bf16: at a temperature of 0.05 its rounding would move the exponent by several hundredths.
    """
    with torch.autocast(anchors.device.type, enabled=False):
        return unit_length(anchors) @ unit_length(positives).T


def false_negatives(guide: Tensor, config: RankingConfig) -> Tensor:
    """Which candidates of an anchor a guide finds closer to it than its positive, less the margin.

    guide: (batch, views, dim) -> (batch, (views - 1) · batch) bool, ordered by view; the positive itself never is
    """
    anchors, *candidates = guide.unbind(dim=1)
    similarity = cosine_matrix(anchors=anchors, positives=torch.cat(candidates))
    of_positive = similarity.diagonal().unsqueeze(1)  # (batch, 1)
    margin = config.guide_margin * (of_positive.abs() if config.guide_margin_is == "relative" else 1.0)
    diagonal = torch.arange(len(guide), device=guide.device).unsqueeze(1)
    return (similarity > of_positive - margin).scatter(1, diagonal, False)


def same_group(groups: Tensor | None) -> Tensor | None:
    """Which texts of a batch share a class, each with itself. (batch,) of int -> (batch, batch), bool"""
    return None if groups is None else groups.unsqueeze(1) == groups.unsqueeze(0)


def info_nce(similarity: Tensor, *, temperature: float, same: Tensor | None = None, attract: bool = False) -> Tensor:
    """Cross-entropy of finding the diagonal, one direction: anchor to positives.  (batch, batch) -> ()

    ``same`` as ``same_group`` gives it: those texts leave the sum of an anchor, or with ``attract`` are its positives.
    """
    diagonal = torch.arange(len(similarity), device=similarity.device)
    return _cross_entropy(similarity / temperature, diagonal, same=same, attract=attract)


def nt_xent(
    *, anchors: Tensor, positives: Tensor, temperature: float, same: Tensor | None = None, attract: bool = False
) -> Tensor:
    """SimCLR's form: every view finds its partner among the other 2·batch − 1.  (batch, dim), (batch, dim) -> ()

    Both views of a text are of its class: ``same`` and ``attract`` as in ``info_nce``.
    """
    both = torch.cat([anchors, positives])  # (2·batch, dim)
    similarity = cosine_matrix(anchors=both, positives=both)
    is_itself = torch.eye(len(both), dtype=torch.bool, device=both.device)
    partner = torch.arange(len(both), device=both.device).roll(len(anchors))
    scores = (similarity / temperature).masked_fill(is_itself, float("-inf"))
    return _cross_entropy(
        scores, partner, same=None if same is None else same.repeat(2, 2) & ~is_itself, attract=attract
    )


def _cross_entropy(scores: Tensor, partner: Tensor, *, same: Tensor | None, attract: bool) -> Tensor:
    """Cross-entropy of finding one's partner, or the mean over all of the class. (n, m), (n,), (n, m) -> ()"""
    if same is None:
        return F.cross_entropy(scores, partner)
    if attract:  # SupCon's L_out: the mean over the positives stands outside of the logarithm
        logarithms = F.log_softmax(scores, dim=1).masked_fill(~same, 0)  # 0 · −∞ is no number
        return -(logarithms.sum(dim=1) / same.sum(dim=1)).mean()
    is_partner = F.one_hot(partner, scores.shape[1]).bool()
    return F.cross_entropy(scores.masked_fill(same & ~is_partner, float("-inf")), partner)


def found_positive(similarity: Tensor, same: Tensor | None = None) -> Tensor:
    """The share of anchors whose nearest positive is their own or one of their class. (batch, batch) -> ()"""
    nearest = similarity.detach().argmax(dim=1)  # (batch,)
    if same is not None:
        return same.gather(1, nearest.unsqueeze(1)).float().mean()
    return (nearest == torch.arange(len(similarity), device=similarity.device)).float().mean()
