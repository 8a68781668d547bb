"""Cosines of random pairs, of pairs with one label, and with different labels."""

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import GEOMETRY, Diagnostic, DiagnosticResult, EncoderView, value_in_words
from embedlab.diagnostics.pairs import pairs_of_classes, positions_by_label
from embedlab.picture import Picture, density
from embedlab.statistics.geometry import cosines


class CosinesConfig(Config):
    """How many pairs to compare."""

    pairs: int = Field(5000, ge=10, le=100_000, description="Number of pairs of each kind.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the random draw.")


class Cosines(Diagnostic):
    """How similar texts are to each other."""

    key = "cosines"
    title = "Pairwise cosines"
    group = GEOMETRY
    question = "How similar are two texts?"
    sentence = (
        "Cosine of random pairs, of pairs with the same label and with different labels. Where the two curves are "
        "apart, similarity separates the labels. A high mean alone only shows that all vectors share a direction, "
        "not that texts are similar."
    )
    paper = "Ethayarajh 2019; SemCSE paper, B.2"
    cites = ("ethayarajh2019",)
    unit = "cosine"
    number = ("mean", "Mean cosine")
    config_class = CosinesConfig

    @staticmethod
    def measure(view: EncoderView, config: CosinesConfig) -> DiagnosticResult:
        """Over texts with a usable vector."""
        rng = np.random.default_rng(config.seed)
        rows = view.usable(view.rows)
        labels = None if view.unread_labels is None else view.unread_labels[rows]
        kinds = {
            "random": pairs_of_classes([np.arange(len(rows))], config.pairs, rng),
            "same_label": pairs_of_classes(positions_by_label(labels), config.pairs, rng),
        }
        if labels is not None:
            drawn, pair_labels = kinds["random"], labels[kinds["random"]]
            both_labelled = np.array([one is not None and other is not None for one, other in pair_labels], bool)
            kinds["different_label"] = drawn[both_labelled & (pair_labels[:, 0] != pair_labels[:, 1])]
        by_kind = {kind: cosines(*(view.vectors[rows[side]] for side in pairs.T)) for kind, pairs in kinds.items()}
        of_all = by_kind["random"]
        values = {"mean": _mean(of_all), "sd": float(of_all.std()) if len(of_all) else None, "pairs": len(of_all)}
        values |= {f"{kind}_mean": _mean(by_kind.get(kind, of_all[:0])) for kind in ("same_label", "different_label")}
        names = {"random": "random pairs", "same_label": "same label", "different_label": "different labels"}
        drawn_kinds = ["same_label", "different_label"] if len(by_kind["same_label"]) else ["random"]
        curves = tuple(density(names[kind], by_kind[kind]) for kind in drawn_kinds)
        return DiagnosticResult(values, Picture("lines", "Cosines of pairs of texts", "cosine", "density", curves))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """Means of random pairs, and by label if there are labels."""
        overall = f"The mean cosine of two texts drawn at random is {value_in_words(results, 'mean')}."
        if any(each["same_label_mean"] is None or each["different_label_mean"] is None for each in results.values()):
            return overall
        apart = {
            state: DiagnosticResult({"apart": (each["same_label_mean"] or 0) - (each["different_label_mean"] or 0)})
            for state, each in results.items()
        }
        least, *_, most = sorted([0.0, *(round(each["apart"] or 0, 2) for each in apart.values()), 0.0])
        if least == most:
            return f"{overall} Pairs with the same label are about as similar as others."
        if least < 0:
            same, others = (value_in_words(results, f"{which}_label_mean") for which in ("same", "different"))
            return f"{overall} Of pairs with the same label it is {same}; of other pairs, {others}."
        return f"{overall} Pairs with the same label are more similar than others by {value_in_words(apart, 'apart')}."


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None
