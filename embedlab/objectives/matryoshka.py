"""Matryoshka: a loss of the first dimensions of each vector, once for each of several numbers of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from embedlab.config import NoSettings
from embedlab.encoders.parts import read_views
from embedlab.encoders.pooling import unit_length
from embedlab.errors import SettingsError
from embedlab.later import Tensor, torch
from embedlab.objectives.base import Objective, Tokens

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

_LOSSES = ("infonce", "ranking", "triplet", "given-triplet", "cosine-mse", "cosent")  # of vectors alone


class Matryoshka(Objective[NoSettings]):
    """The weighted sum of a loss over vectors cut to their first dimensions, each at length 1.

    The same values as sentence-transformers' MatryoshkaLoss (Kusupati et al. 2022). Texts are read once.
    """

    def __init__(self, loss: Objective[Any], weights: dict[int, float], encoder: Encoder):
        """``weights``: by the number of dimensions, at most those of the encoder."""
        super().__init__(NoSettings(), encoder)
        has_head = getattr(loss.config, "head", "none") != "none"
        if loss.key not in _LOSSES or has_head:
            why = "its loss looks through a head (set objective.head to none)" if has_head else "it compares no vectors"
            raise SettingsError(
                "E-MATRYOSHKA", f"Setting 'matryoshka' does not fit {loss.title}: {why}. Leave the setting out."
            )
        if max(weights) > encoder.dim:
            raise SettingsError(
                "E-DIMENSIONS",
                f"Setting 'matryoshka' names {max(weights):,} dimensions, but {encoder.reference} has "
                f"{encoder.dim:,}. Choose at most {encoder.dim:,}.",
            )
        self.loss, self.weights = loss, dict(sorted(weights.items(), reverse=True))

    def forward(self, encoder: Encoder, views: list[Tokens], **labels: Any) -> dict[str, Tensor]:
        """What is watched is that of the most dimensions."""
        vectors = [each.float() for each in read_views(encoder, views)]  # (batch, dim) each
        total = torch.zeros((), device=vectors[0].device)
        watched: dict[str, Tensor] = {}
        for dimensions, weight in self.weights.items():
            terms = self.loss(_Cut(vectors, dimensions), views, **labels)
            total = total + weight * terms["loss"]
            watched = watched or terms
        return watched | {"loss": total}


class _Cut:
    """Stands for an encoder that has read these views already: their vectors one after the other, cut."""

    parts = None

    def __init__(self, vectors: list[Tensor], dimensions: int):
        self.left = iter([unit_length(each[:, :dimensions]) for each in vectors])

    def __call__(self, tokens: Tokens) -> Tensor:
        return next(self.left)
