"""kNN and linear accuracy after every layer, by mean, [CLS], [SEP] and a token (crops paper, Figures 2, 5b and S1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import LAYERS, Diagnostic, DiagnosticResult, EncoderView, phrases_of_states
from embedlab.distance import COSINE, DISTANCES, Distance
from embedlab.encoders.embed import embed_layers
from embedlab.errors import CorpusError
from embedlab.measurement import ByDistance, ResultPart, of_each
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.layer_rows import LayerAccuracy, LayerResult
from embedlab.metrics.linear_probe import probe
from embedlab.metrics.split import Split, sampled_rows
from embedlab.metrics.votes import KNNResult, measured_share
from embedlab.numbers import percent

POOLINGS = ("mean", "cls", "last")
ONE_LAYER = "This encoder is a bare token-embedding layer: it has one layer, so there is one point and no curve."


class LayerwiseConfig(Config):
    """How many texts to read through every layer, and what to measure."""

    at_most: int = Field(
        5000,
        ge=10,
        le=100_000,
        description="Maximum number of labeled texts; from more, a stratified sample is drawn and reported.",
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the sample.")
    token: int | None = Field(
        None, ge=1, le=511, description="A token, counted from 0, whose vector is also read; 7 in the paper."
    )
    linear: bool = Field(False, description="Also train a linear probe after every layer, which takes some minutes.")


@dataclass(frozen=True)
class LayerEmbeddings:
    """Labelled texts read through every layer in one pass."""

    rows: np.ndarray  # (texts,) corpus rows, those that are searched first
    split: Split  # places in ``rows``
    by_pooling: dict[str, np.ndarray]  # each (layers + 1, texts, dim)
    of: int  # labelled texts, of which these are all or a sample


class MeasuredLayer(LayerResult):
    """The accuracies after one layer with one pooling."""

    layer: int
    pooling: str


class LayerCurve(ResultPart):
    """One row per layer and pooling; layer 0 is the output of the embedding block."""

    rows: list[MeasuredLayer]
    texts: int
    test_texts: int
    sampled: bool
    flat_because: str | None


class Layerwise(Diagnostic):
    """The layers at which the classes separate."""

    key = "layers"
    title = "Layers"
    group = LAYERS
    question = "Which layer of the encoder knows the topic?"
    sentence = "kNN accuracy of the text's vector taken after every layer."
    paper = "crops paper, section 5 and Figure 5b"
    needs = frozenset({"labels"})
    unit = "kNN accuracy"
    cites = ("crops",)
    config_class = LayerwiseConfig

    @staticmethod
    def measure(view: EncoderView, config: LayerwiseConfig) -> DiagnosticResult:
        """Accuracy on the split, or on a sample of it, after every layer for each pooling of the encoder."""
        return DiagnosticResult(curve_of(embedded_layers(view, config), view, config).model_dump())

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """By cosine, with the first pooling."""
        phrases = {}
        for state, each in results.items():
            curve = LayerCurve.model_validate(each.values)
            rows = [row for row in curve.rows if row.pooling == curve.rows[0].pooling]
            best = max(rows, key=lambda row: (row.knn.by(COSINE).value, row.layer))
            phrases[state] = f"with {percent(best.knn.by(COSINE).value)} after layer {best.layer} of {rows[-1].layer}"
        return f"kNN accuracy ({DISTANCES[COSINE]}) is highest {phrases_of_states(phrases)}."


def embedded_layers(view: EncoderView, config: LayerwiseConfig) -> LayerEmbeddings:
    """One pass over the labelled texts, or over a stratified sample of them."""
    labels, split = view.labels, view.split
    if split is None or labels is None:
        raise CorpusError(
            "W-NO-LABELS", "Layers needs labels to measure kNN accuracy, but there are none. Choose a label column."
        )
    sample = sampled_rows(split, labels, size=config.at_most, seed=config.seed)
    rows = np.concatenate([sample.train, sample.test])
    part = Split(train=np.arange(len(sample.train)), test=np.arange(len(sample.train), len(rows)))
    further = [] if config.token is None else [f"token-{config.token}"]
    by_pooling = embed_layers(
        view.encoder,
        [view.texts[row] for row in rows],
        device=view.device,
        poolings=tuple(dict.fromkeys([*POOLINGS, view.encoder.pooling, *further])),  # its own: the encoder's output
        progress=view.progress,
    )
    return LayerEmbeddings(rows, part, by_pooling, of=len(split.train) + len(split.test))


def curve_of(embedded: LayerEmbeddings, view: EncoderView, config: LayerwiseConfig) -> LayerCurve:
    """The accuracies of each layer by each pooling."""
    labels, part = view.labels_and_split[0][embedded.rows], embedded.split
    measured: list[MeasuredLayer] = []
    for pooling, layers in embedded.by_pooling.items():
        last: ByDistance[KNNResult] | None = None
        rows: list[MeasuredLayer] = []
        for layer in reversed(range(len(layers))):  # the last one first: the others are set against it
            done, of = len(measured) + len(rows), len(embedded.by_pooling) * len(layers)
            view.progress("Measuring accuracy after every layer", done, of)
            accuracy = ByDistance.of(partial(_accuracy, layers[layer], labels, part))
            last = last or accuracy
            linear = probe(embeddings=layers[layer], labels=labels, split=part).correct if config.linear else None
            rows.append(
                MeasuredLayer(
                    layer=layer,
                    pooling=pooling,
                    knn=of_each(_against_last, accuracy, last),
                    zero_vectors=accuracy.either.zero_vectors,
                    linear=None if linear is None else measured_share(linear),
                )
            )
        measured += reversed(rows)
    texts = len(embedded.rows)
    return LayerCurve(
        rows=measured,
        texts=texts,
        test_texts=len(part.test),
        sampled=texts < embedded.of,
        flat_because=None if view.encoder.layers else ONE_LAYER,
    )


def _accuracy(embeddings: np.ndarray, labels: np.ndarray, split: Split, distance: Distance) -> KNNResult:
    return knn_accuracy(embeddings=embeddings, labels=labels, split=split, distance=distance)


def _against_last(result: KNNResult, last: KNNResult) -> LayerAccuracy:
    gained, lost = (result.correct & ~last.correct).sum(), (~result.correct & last.correct).sum()
    return LayerAccuracy(**result.measurement.model_dump(), gained=int(gained), lost=int(lost))
