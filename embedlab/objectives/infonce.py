"""InfoNCE with in-batch negatives (text crops, dropout pairs and elongation train with it)."""

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from embedlab.config import Config
from embedlab.objectives.base import Objective, Tokens
from embedlab.objectives.heads import projection_head


class InfoNCEConfig(Config):
    """How hard near negatives are pushed away, and where the loss looks."""

    temperature: float = Field(0.05, ge=0.001, le=10.0, description="Smaller punishes near negatives harder (τ).")
    projection_head: bool = Field(
        False, description="Train through a head (dim → 512 → 128) that is thrown away afterwards."
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
        self.head = projection_head(encoder.dim) if config.projection_head else nn.Identity()

    def forward(self, encoder: nn.Module, views: list[Tokens]) -> dict[str, Tensor]:
        """Anchors and positives go through the encoder separately, so that dropout differs."""
        anchors, positives = (self.head(encoder(tokens)).float() for tokens in views)  # (batch, dim) each
        similarity = cosine_matrix(anchors=anchors, positives=positives)
        return {
            "loss": info_nce(similarity, temperature=self.config.temperature),
            "found_positive": found_positive(similarity),
        }


def cosine_matrix(*, anchors: Tensor, positives: Tensor) -> Tensor:
    """Cosine of every anchor with every positive.  (batch, dim), (batch, dim) -> (batch, batch)"""
    return F.normalize(anchors, dim=1, eps=1e-8) @ F.normalize(positives, dim=1, eps=1e-8).T


def info_nce(similarity: Tensor, *, temperature: float) -> Tensor:
    """Cross-entropy of finding the diagonal, one direction: anchor to positives.  (batch, batch) -> ()"""
    return F.cross_entropy(similarity / temperature, torch.arange(len(similarity), device=similarity.device))


def found_positive(similarity: Tensor) -> Tensor:
    """Share of anchors whose nearest positive is their own.  (batch, batch) -> ()"""
    nearest = similarity.detach().argmax(dim=1)  # (batch,)
    return (nearest == torch.arange(len(similarity), device=similarity.device)).float().mean()
