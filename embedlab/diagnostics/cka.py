"""How far fine-tuning moved each layer: likeness of its vectors (CKA), and distance of its weights."""

from __future__ import annotations

import numpy as np

from embedlab.diagnostics.base import LAYERS, DiagnosticResult, EncoderView, SampleConfig
from embedlab.diagnostics.picture import Picture, Series, rounded
from embedlab.encoders.embed import embed_layers
from embedlab.errors import EmbedlabError, UnfitError
from embedlab.later import torch
from embedlab.numbers import counted
from embedlab.statistics.geometry import linear_cka

MOST_TEXTS = 2000  # their inner products are held at once


class CKA:
    """Each layer beside the same layer of the untouched encoder."""

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
    def measure(looked: EncoderView, config: SampleConfig) -> DiagnosticResult:
        """Of mean-pooled vectors; the untouched encoder is like itself."""
        other = looked.untouched or looked
        layers = other.encoder.layers + 1
        if looked.encoder.layers + 1 != layers:
            raise UnfitError(
                "E-LAYERS",
                f"Layers are compared one by one, but one encoder has {looked.encoder.layers}, the other {layers - 1}.",
            )
        alike, moved = [1.0] * layers, [0.0] * layers
        rows = looked.sample(min(config.texts, MOST_TEXTS), config.seed)
        if other is not looked:
            one, two = (_mean_of_layers(each, rows) for each in (other, looked))  # (layers, texts, dim)
            alike = [linear_cka(*pair) for pair in zip(one, two, strict=True)]
            moved = _moved_weights(other.encoder, looked.encoder)
        values = {"layers": list(range(layers)), "cka": rounded(alike), "weights": moved, "texts": len(rows)}
        values["last"] = values["cka"][-1]
        x, title = values["layers"], "Similarity of each layer to itself before"
        pictures = [
            Picture("lines", title, "layer (0 = token embeddings)", "linear CKA", (Series("", x, values["cka"]),))
        ]
        if moved is not None:
            line = Series("", x, rounded(moved))
            title = "How far the weights of each layer moved"
            pictures.append(Picture("lines", title, "layer (0 = token embeddings)", "share of their norm", (line,)))
        return DiagnosticResult(values, tuple(pictures))

    @staticmethod
    def in_words(found: dict[str, DiagnosticResult]) -> str:
        """The layer that moved farthest, where any moved visibly."""
        if "after" not in found or None in found["after"]["cka"]:
            return "There is no fine-tuned encoder to compare this one with."
        alike, texts = found["after"]["cka"], counted(found["after"]["texts"], "text")
        shown = [f"{value:.3f}" for value in alike]
        least, last = shown[int(np.argmin(alike))], len(alike) - 1
        if float(least) == 1:
            return f"No layer moved visibly: on {texts} the CKA of each layer with itself before is {least}."
        *others, layer = (str(place) for place, value in enumerate(shown) if value == least)
        which, whose = (f"Layers {', '.join(others)} and {layer}", "their") if others else (f"Layer {layer}", "its")
        of_last = "" if shown[-1] == least else f"; that of the last layer is {shown[-1]}"
        return f"{which} of {last} moved farthest: {whose} CKA with before is {least} on {texts}{of_last}."


def _mean_of_layers(looked: EncoderView, rows: np.ndarray) -> np.ndarray:
    texts = [looked.texts[row] for row in rows]
    found = embed_layers(
        looked.encoder, texts, device=looked.device, poolings=("mean",), progress=looked.progress
    )  # pooling -> (layers, texts, dim)
    return found["mean"]


def _moved_weights(before, after) -> list[float] | None:
    """‖after − before‖ / ‖before‖ of each block; None where layers share their weights or shapes differ."""
    try:
        blocks = list(zip(before.blocks(), after.blocks(), strict=True))
    except (EmbedlabError, ValueError):
        return None
    if len(blocks) != before.layers + 1:
        return None
    found = []
    with torch.no_grad():
        for one, other in blocks:
            if [each.shape for each in one] != [each.shape for each in other]:
                return None
            apart = sum(
                float((b.cpu().double() - a.cpu().double()).square().sum()) for a, b in zip(one, other, strict=True)
            )
            whole = sum(float(a.cpu().double().square().sum()) for a in one)
            found.append(round((apart / whole) ** 0.5, 6) if whole else 0.0)
    return found
