"""InfoNCE with in-batch negatives (text crops, dropout pairs and elongation train with it)."""

from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from embedlab.config import Config
from embedlab.objectives.base import Objective, Tokens
from embedlab.objectives.heads import projection_head, training_mlp


class InfoNCEConfig(Config):
    """How hard near negatives are pushed away, what counts as one, and where the loss looks."""

    temperature: float = Field(0.05, ge=0.001, le=10.0, description="Smaller punishes near negatives harder (τ).")
    form: Literal["one way", "both ways", "nt-xent"] = Field(
        "one way",
        description="Each anchor among all positives, as in the papers; each positive among all anchors as well; or "
        "NT-Xent: each view among all other views of the batch, symmetric.",
    )
    head: Literal["none", "projection", "mlp"] = Field(
        "none",
        description="Train through a head that is thrown away afterwards: dim → 512 → 128 (crops paper), or one layer "
        "with tanh (SimCSE).",
    )


class InfoNCE(Objective):
    """Each anchor has to find its positive among all positives of the batch."""

    key = "infonce"
    title = "InfoNCE"
    sentence = "Pull the two views of a text together and push it away from the other texts of the batch."
    formula = r"-\log\frac{e^{\cos(z_i, z_i^+)/\tau}}{\sum_j e^{\cos(z_i, z_j^+)/\tau}}"
    paper = "crops, equation 1; SimCSE"
    config_class = InfoNCEConfig

    def __init__(self, config: InfoNCEConfig, encoder: nn.Module):
        super().__init__()
        self.config = config
        heads = {"none": lambda _: nn.Identity(), "projection": projection_head, "mlp": training_mlp}
        self.head = heads[config.head](encoder.dim)

    def forward(self, encoder: nn.Module, views: list[Tokens]) -> dict[str, Tensor]:
        """Anchors and positives go through the encoder separately, so that dropout differs."""
        anchors, positives = (self.head(encoder(tokens)).float() for tokens in views)  # (batch, dim) each
        similarity = cosine_matrix(anchors=anchors, positives=positives)
        temperature = self.config.temperature
        if self.config.form == "nt-xent":
            loss = nt_xent(anchors=anchors, positives=positives, temperature=temperature)
        elif self.config.form == "both ways":
            loss = (info_nce(similarity, temperature=temperature) + info_nce(similarity.T, temperature=temperature)) / 2
        else:
            loss = info_nce(similarity, temperature=temperature)
        return {"loss": loss, "found_positive": found_positive(similarity)}


def cosine_matrix(*, anchors: Tensor, positives: Tensor) -> Tensor:
    """Cosine of every anchor with every positive.  (batch, dim), (batch, dim) -> (batch, batch)

    Never in bf16: at a temperature of 0.05 its rounding would move the exponent by several hundredths.
    """
    with torch.autocast(anchors.device.type, enabled=False):
        return F.normalize(anchors, dim=1, eps=1e-8) @ F.normalize(positives, dim=1, eps=1e-8).T


def info_nce(similarity: Tensor, *, temperature: float) -> Tensor:
    """Cross-entropy of finding the diagonal, one direction: anchor to positives.  (batch, batch) -> ()"""
    return F.cross_entropy(similarity / temperature, torch.arange(len(similarity), device=similarity.device))


def nt_xent(*, anchors: Tensor, positives: Tensor, temperature: float) -> Tensor:
    """SimCLR's form: every view finds its partner among the other 2·batch − 1.  (batch, dim), (batch, dim) -> ()"""
    both = torch.cat([anchors, positives])  # (2·batch, dim)
    similarity = cosine_matrix(anchors=both, positives=both)
    is_itself = torch.eye(len(both), dtype=torch.bool, device=both.device)
    partner = torch.arange(len(both), device=both.device).roll(len(anchors))
    return F.cross_entropy((similarity / temperature).masked_fill(is_itself, float("-inf")), partner)


def found_positive(similarity: Tensor) -> Tensor:
    """Share of anchors whose nearest positive is their own.  (batch, batch) -> ()"""
    nearest = similarity.detach().argmax(dim=1)  # (batch,)
    return (nearest == torch.arange(len(similarity), device=similarity.device)).float().mean()
