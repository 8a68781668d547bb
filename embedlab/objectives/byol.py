"""BYOL: predict the output of a slowly moving copy of the encoder for the other view (UNSEE, sections 3.5 and 6)."""

from __future__ import annotations

from embedlab.encoders.pooling import unit_length
from embedlab.later import Tensor
from embedlab.objectives.wiring import NonContrastive, NonContrastiveConfig


class BYOL(NonContrastive[NonContrastiveConfig]):
    """With the single wiring it is BSL's objective, with dropout as the augmentation (UNSEE, section 6)."""

    key = "byol"
    title = "BYOL"
    sentence = (
        "Predict, from one view of a text, the embedding of the other view by a slowly following copy of the encoder."
    )
    formula = r"\sum_{\text{both ways}} \Big(2 - 2\,\frac{1}{n}\sum_i \cos(x_i, y_i)\Big)"
    paper = "UNSEE, sections 3.5 and 6; BYOL; BSL"
    cites = ("unsee",)

    def direction(self, *, online: Tensor, target: Tensor) -> dict[str, Tensor]:
        """One term.  (batch, dim), (batch, dim) -> ()"""
        return {"loss": byol_loss(online=online, target=target)}


def byol_loss(*, online: Tensor, target: Tensor) -> Tensor:
    """Squared distance of unit vectors, 2 − 2 cos, averaged over the batch: 0 to 4. (batch, dim), (batch, dim) -> ()"""
    cosines = (unit_length(online) * unit_length(target)).sum(dim=1)  # (batch,)
    return 2 - 2 * cosines.mean()
