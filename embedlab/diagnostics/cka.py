"""How far fine-tuning moved each layer: similarity of its vectors (CKA), and change of its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from embedlab.diagnostics.base import LAYERS, Diagnostic, DiagnosticResult, EncoderView, SampleConfig
from embedlab.errors import EmbedlabError, UnfitError
from embedlab.later import torch
from embedlab.numbers import counted
from embedlab.picture import Picture, Series, rounded
from embedlab.statistics.geometry import linear_cka

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

MOST_TEXTS = 2000  # their inner products are held at once


class CKA(Diagnostic):
    """Each layer compared with the same layer of the untouched encoder."""

    key = "cka"
    title = "How far each layer moved"
    group = LAYERS
    question = "Which layers did fine-tuning change?"
    sentence = (
        "Linear CKA between a layer before and after: 1 if the vectors were at most rotated and scaled, about 0 if "
        "nothing is left of them; and how far the layer's weights moved, as a share of their norm. A layer can move "
        "far and still encode the same: kNN accuracy after every layer shows whether it matters."
    )
    paper = "Kornblith et al. 2019; crops paper, section 5, which freezes layers to ask the same"
    cites = ("kornblith2019cka", "crops")
    unit = "CKA"
    number = ("last", "CKA of the last layer")
    config_class = SampleConfig

    @staticmethod
    def measure(view: EncoderView, config: SampleConfig) -> DiagnosticResult:
        """On mean-pooled vectors; the untouched encoder equals itself."""
        other = view.untouched or view
        layers = other.encoder.layers + 1
        if view.encoder.layers + 1 != layers:
            raise UnfitError(
                "E-LAYERS",
                f"Layers are compared one by one, but one encoder has {view.encoder.layers}, the other {layers - 1}.",
            )
        alike = [1.0] * layers
        moved: list[float] | None = [0.0] * layers
        rows = view.sample(min(config.texts, MOST_TEXTS), config.seed)
        if other is not view:
            one, two = (each.layers(rows, ["mean"])["mean"] for each in (other, view))
            alike = [linear_cka(*pair) for pair in zip(one, two, strict=True)]
            moved = _moved_weights(other.encoder, view.encoder)
        x, cka, title = list(range(layers)), rounded(alike), "Similarity of each layer to itself before"
        values = {"layers": x, "cka": cka, "weights": moved, "texts": len(rows), "last": cka[-1]}
        pictures = [Picture("lines", title, "layer (0 = token embeddings)", "linear CKA", (Series("", x, cka),))]
        if moved is not None:
            line = Series("", x, rounded(moved))
            title = "How far the weights of each layer moved"
            pictures.append(Picture("lines", title, "layer (0 = token embeddings)", "share of their norm", (line,)))
        return DiagnosticResult(values, *pictures)

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The layer that moved farthest, if any moved visibly."""
        if "after" not in results or None in results["after"]["cka"]:
            return "There is no fine-tuned encoder to compare this one with."
        alike, texts = results["after"]["cka"], counted(results["after"]["texts"], "text")
        written = [f"{value:.3f}" for value in alike]
        least, last = written[int(np.argmin(alike))], len(alike) - 1
        if float(least) == 1:
            return f"No layer moved visibly: on {texts} the CKA of each layer with itself before is {least}."
        *others, layer = (str(number) for number, value in enumerate(written) if value == least)
        which, whose = (f"Layers {', '.join(others)} and {layer}", "their") if others else (f"Layer {layer}", "its")
        of_last = "" if written[-1] == least else f"; that of the last layer is {written[-1]}"
        return f"{which} of {last} moved farthest: {whose} CKA with before is {least} on {texts}{of_last}."


def _moved_weights(before: Encoder, after: Encoder) -> list[float] | None:
    """‖after − before‖ / ‖before‖ of each block; None where layers share their weights or shapes differ."""
    try:
        blocks = list(zip(before.blocks(), after.blocks(), strict=True))
    except (EmbedlabError, ValueError):
        return None
    if len(blocks) != before.layers + 1:
        return None
    shares = []
    with torch.no_grad():
        for one, other in blocks:
            if [each.shape for each in one] != [each.shape for each in other]:
                return None
            apart = sum(
                float((b.cpu().double() - a.cpu().double()).square().sum()) for a, b in zip(one, other, strict=True)
            )
            whole = sum(float(a.cpu().double().square().sum()) for a in one)
            shares.append(round((apart / whole) ** 0.5, 6) if whole else 0.0)
    return shares
