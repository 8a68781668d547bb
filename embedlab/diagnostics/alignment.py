"""Alignment and uniformity: how close positive pairs are, and how evenly vectors are spread (Wang and Isola 2020)."""

import random

import numpy as np
from pydantic import Field

from embedlab.augmentations.crop import CropConfig, two_crops
from embedlab.config import Config
from embedlab.diagnostics.base import GEOMETRY, Diagnostic, DiagnosticResult, EncoderView, SampleConfig, value_in_words
from embedlab.picture import Picture, density
from embedlab.statistics.geometry import alignment, cosines, uniformity


class AlignmentConfig(Config):
    """How many pairs of crops to make if no scored pairs are given."""

    pairs: int = Field(500, ge=10, le=20_000, description="Number of texts of which two crops are compared.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed for drawing texts and crops.")


class Alignment(Diagnostic):
    """Mean ‖x−y‖² of positives."""

    key = "alignment"
    title = "Alignment"
    group = GEOMETRY
    question = "Are two texts with the same meaning close together?"
    sentence = (
        "Mean squared distance of positive pairs at length 1, from 0 to 4: scored pairs above 4 of 5 where a file of "
        "pairs is given, else two fixed crops of one text. An encoder that gives all texts the same vector is "
        "perfectly aligned: read it together with uniformity."
    )
    paper = "Wang and Isola 2020"
    cites = ("wang2020uniformity",)
    unit = "squared distance"
    number = ("alignment", "Alignment")
    config_class = AlignmentConfig

    @staticmethod
    def measure(view: EncoderView, config: AlignmentConfig) -> DiagnosticResult:
        """On the scored pairs, otherwise on crops."""
        pairs, kind = _positives(view, config)
        texts = [pair[side] for side in (0, 1) for pair in pairs]
        one, other = np.split(view.embed(texts) if texts else np.empty((0, 1), np.float32), 2)
        has_direction = (np.linalg.norm(one, axis=1) > 0) & (np.linalg.norm(other, axis=1) > 0)
        if not has_direction.any():
            return DiagnosticResult({"alignment": None, "pairs": 0, "positives": kind})
        curve = density("", 2 - 2 * cosines(one[has_direction], other[has_direction]))
        title = "Squared distance of positive pairs at length 1"
        picture = Picture("lines", title, "‖x−y‖² (2 is a right angle)", "density", (curve,))
        values = {
            "alignment": alignment(one[has_direction], other[has_direction]),
            "pairs": int(has_direction.sum()),
            "positives": kind,
        }
        return DiagnosticResult(values, picture)

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The number, and the kind of pairs."""
        first = next(iter(results.values()))
        if first["alignment"] is None:
            return "No positive pair was found: no text has two crops, and no scored pairs were given."
        pairs = f"{first['pairs']:,} {first['positives']}"
        return f"The mean squared distance of positives ({pairs}) is {value_in_words(results, 'alignment')}."


def _positives(view: EncoderView, config: AlignmentConfig) -> tuple[list[tuple[str, str]], str]:
    if view.alike is not None:
        return view.alike, f"pairs with a score above {view.alike_above}"
    rng, crop_pairs = random.Random(config.seed), list[tuple[str, str]]()
    for row in view.sample(8 * config.pairs, config.seed):  # not every text has two crops
        if (pair := two_crops(view.texts[row], CropConfig(), rng)) is not None:
            crop_pairs.append(pair)
        if len(crop_pairs) == config.pairs:
            break
    return crop_pairs, "pairs of crops of one text"


class Uniformity(Diagnostic):
    """log mean exp(−2‖x−y‖²)."""

    key = "uniformity"
    title = "Uniformity"
    group = GEOMETRY
    question = "Are the vectors spread over the whole sphere?"
    sentence = (
        "Logarithm of the mean of exp(−2‖x−y‖²) over all pairs of texts, at length 1: 0 if all texts are one point, "
        "about −4 if they are spread evenly over many dimensions. Rotating all vectors changes nothing. Spread alone "
        "is easy: random vectors are the most uniform. Read it together with alignment."
    )
    paper = "Wang and Isola 2020"
    cites = ("wang2020uniformity",)
    unit = "log"
    number = ("uniformity", "Uniformity")
    config_class = SampleConfig

    @staticmethod
    def measure(view: EncoderView, config: SampleConfig) -> DiagnosticResult:
        """Over all pairs of a sample."""
        rows = view.usable(view.sample(config.texts, config.seed))
        if len(rows) < 2:
            return DiagnosticResult({"uniformity": None, "texts": len(rows)})
        one, other = np.array_split(np.random.default_rng(config.seed).permutation(rows)[: 2 * (len(rows) // 2)], 2)
        curve = density("", 2 - 2 * cosines(view.vectors[one], view.vectors[other]))
        title = "Squared distance of random pairs at length 1"
        picture = Picture("lines", title, "‖x−y‖² (2 is a right angle)", "density", (curve,))
        return DiagnosticResult({"uniformity": uniformity(view.vectors[rows]), "texts": len(rows)}, picture)

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The number, and the meaning of its extremes."""
        return f"Uniformity is {value_in_words(results, 'uniformity')}: 0 is one point, −4 an even spread."
