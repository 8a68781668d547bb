"""One encoder read in every way: poolings, layer averages, post-processing, distances (crops paper, S2 and S4)."""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import READ_OUT, Diagnostic, DiagnosticResult, EncoderView, phrases_of_states
from embedlab.distance import DISTANCES, Distance
from embedlab.errors import CorpusError, NonFiniteError
from embedlab.metrics.knn import KNN, knn_accuracy
from embedlab.metrics.split import Split, sampled_rows
from embedlab.numbers import percent
from embedlab.picture import Picture, Series, rounded
from embedlab.postprocessing import POSTPROCESSING
from embedlab.postprocessing.base import unit_length
from embedlab.statistics.separable import compared
from embedlab.statistics.verdict import FEWEST_TEXTS

POOLINGS = ("mean", "cls", "last", "max")
POOLED = {"mean": "mean", "cls": "[CLS]", "last": "[SEP]", "max": "max"}
RAW, UNIT, FLOW = "none", "normalise", "flow"


class ReadoutConfig(Config):
    """How many texts to read, and whether to include the slow step."""

    at_most: int = Field(
        3000, ge=10, le=50_000, description="Maximum number of labeled texts; from more, a stratified sample is drawn."
    )
    flow: bool = Field(False, description="Also fit BERT-flow to each pooling; it takes minutes.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the sample.")


class Readout(Diagnostic):
    """kNN accuracy of every read-out of one encoder, on one split."""

    key = "readout"
    title = "Ways to read an encoder"
    group = READ_OUT
    question = "Is there a better way to read this encoder?"
    sentence = (
        "kNN accuracy of the same texts with every pooling, the last layer, the mean of the first and the last and "
        "the mean of all layers, raw, centered, whitened or at length 1, with both distances. Ways not separable from "
        "the best are marked, at 5 % for all of them together. The best of many is chosen on the same texts it is "
        "measured on: take it as a hint, and measure again elsewhere."
    )
    paper = "crops paper, Tables S2 and S4"
    cites = ("crops",)
    needs = frozenset({"labels"})
    unit = "kNN accuracy"
    number = ("best", "Best read-out (kNN accuracy)")
    config_class = ReadoutConfig

    @staticmethod
    def measure(view: EncoderView, config: ReadoutConfig) -> DiagnosticResult:
        """With a single pass through the encoder."""
        labels, split = view.labels_and_split
        sample = sampled_rows(split, labels, size=config.at_most, seed=config.seed)
        rows = np.concatenate([sample.train, sample.test])
        part = Split(train=np.arange(len(sample.train)), test=np.arange(len(sample.train), len(rows)))
        ways, units, read = [], {}, []
        for pooling, by_layer in view.layers(rows, POOLINGS).items():
            first, last = by_layer[0], by_layer[-1]
            read.append((pooling, "last layer", last))
            share_a_space = first.shape == last.shape and not view.encoder.has_dense
            if len(by_layer) > 1 and share_a_space:
                read.append((pooling, "first and last", (first + last) / 2))
                read.append((pooling, "all layers", np.mean(by_layer, axis=0)))
        for done, (pooling, layers, vectors) in enumerate(read):
            view.progress("Measuring every read-out", done, len(read))
            for step, changed in _steps(vectors, config):
                for distance in DISTANCES:
                    accuracy = knn_accuracy(embeddings=changed, labels=labels[rows], split=part, distance=distance)
                    way = _Way(pooling, layers, step, distance)
                    units[way.name] = {"rows": accuracy.test_rows, "correct": accuracy.correct}
                    measured = {"value": accuracy.value, "standard_error": accuracy.standard_error}
                    ways.append({"name": way.name, **way._asdict(), **measured})
        standings = compared(
            values={way["name"]: way["value"] for way in ways},
            units=units,
            difference=KNN.difference,
            fewest=FEWEST_TEXTS,
        ).standings
        ways = [{**way, "mark": standings[way["name"]].mark} for way in ways]
        ways.sort(key=lambda way: -way["value"])
        values = {"ways": ways, "best": ways[0]["value"], "test_texts": len(part.test), "texts": len(rows)}
        bars = Series("", [way["name"] for way in ways], rounded([way["value"] for way in ways]))
        return DiagnosticResult(values, Picture("bars", "Ways to read", "", "kNN accuracy", (bars,)))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The best read-out, and how many cannot be told apart from it."""
        phrases = {}
        for state, each in results.items():
            best = each["ways"][0]
            others = sum(way["mark"] == "not separable" for way in each["ways"])
            tried = len(each["ways"]) - 1
            phrases[state] = f"{best['name']} ({percent(best['value'])}, {others} of {tried} others as good)"
        return f"The best read-out is {phrases_of_states(phrases)}."


class _Way(NamedTuple):
    pooling: str
    layers: str
    step: str
    distance: Distance

    @property
    def name(self) -> str:
        return ", ".join([POOLED[self.pooling], self.layers, *([] if self.step == RAW else [self.step]), self.distance])


def _steps(vectors: np.ndarray, config: ReadoutConfig) -> list[tuple[str, np.ndarray]]:
    """Raw, at length 1, and after each post-processing step that these vectors allow."""
    variants, rows = [(RAW, vectors)], np.arange(len(vectors))
    lengths = np.linalg.norm(vectors, axis=1)
    if (lengths > 0).all() and np.isfinite(lengths).all():
        variants.append((UNIT, unit_length(vectors).astype(np.float32)))
    for step in POSTPROCESSING:
        if step.key == FLOW and not config.flow:
            continue
        try:
            variants.append((step.key, step.fit_transform(vectors, rows, step.config_class()).embeddings))
        except (CorpusError, NonFiniteError):
            continue  # a step that needs vectors that differ
    return variants
