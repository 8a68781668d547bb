"""kNN and linear accuracy after every layer, by mean, [CLS], [SEP] and a token (crops paper, Figures 2, 5b and S1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import LAYERS, Diagnostic, DiagnosticResult, EncoderView, phrases_of_states
from embedlab.distance import COSINE, DISTANCES
from embedlab.errors import CorpusError
from embedlab.measurement import ByDistance, ResultPart, of_each
from embedlab.metrics.knn import knn_by_both
from embedlab.metrics.layer_rows import LayerAccuracy, LayerResult, best_of, place_in_words
from embedlab.metrics.linear_probe import probe
from embedlab.metrics.split import Split, rows_of_splits, sampled_splits
from embedlab.metrics.votes import KNNResult, measured_share
from embedlab.numbers import count, percent

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

    rows: np.ndarray  # (texts,) corpus rows, growing
    splits: tuple[Split, ...]  # of places in ``rows``: ten folds, or the test texts alone
    split: Split  # the test texts, by which a linear probe is measured
    by_pooling: dict[str, list[np.ndarray]]  # layers + 1 of (texts, dim) each
    of: int  # labelled texts, of which these are all or a sample


class MeasuredLayer(LayerResult):
    """The accuracies after one layer with one pooling."""

    layer: int
    pooling: str


class LayerCurve(ResultPart):
    """One row per layer and pooling; layer 0 is the output of the embedding block.

    ``texts``: those measured, of ``of`` labelled ones; ``protocol``: whose ``test_texts`` were tested among them.
    """

    rows: list[MeasuredLayer]
    pooling: str  # the encoder's own
    protocol: str
    texts: int
    of: int
    test_texts: int
    sampled: bool
    flat_because: str | None


class Layerwise(Diagnostic):
    """The layers at which the classes separate."""

    key = "layers"
    title = "Layers"
    group = LAYERS
    question = "Which layer of the encoder knows the topic?"
    sentence = (
        "kNN accuracy of the text's vector taken after every layer, on the texts of the result. The last layer's are "
        "the encoder's own vectors; those below it are pooled and normalized as these are."
    )
    paper = "crops paper, section 5 and Figure 5b"
    needs = frozenset({"labels"})
    unit = "kNN accuracy"
    cites = ("crops",)
    config_class = LayerwiseConfig

    @staticmethod
    def measure(view: EncoderView, config: LayerwiseConfig) -> DiagnosticResult:
        """Measure the accuracy after every layer for each pooling of the encoder."""
        return DiagnosticResult(curve_of(embedded_layers(view, config), view, config).model_dump())

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """Name the best layer by cosine, of all poolings."""
        phrases = {}
        for state, each in results.items():
            curve = LayerCurve.model_validate(each.values)
            best = best_of(curve.rows, lambda row: row.knn.by(COSINE).value, own_pooling=curve.pooling)
            last = max(row.layer for row in curve.rows)
            phrases[state] = f"with {percent(best.knn.by(COSINE).value)} after {place_in_words(best, last)}"
        first = LayerCurve.model_validate(next(iter(results.values())).values)
        sample = f" Measured on a sample of {count(first.texts)} of the {count(first.of)} labeled texts."
        highest = f"kNN accuracy ({DISTANCES[COSINE]}) is highest {phrases_of_states(phrases)}."
        return highest + sample * first.sampled


def embedded_layers(view: EncoderView, config: LayerwiseConfig) -> LayerEmbeddings:
    """Read the labelled texts, or a stratified sample of them, in one pass."""
    labels, split = view.labels, view.split
    if split is None or labels is None:
        raise CorpusError(
            "W-NO-LABELS", "Layers needs labels to measure kNN accuracy, but there are none. Choose a label column."
        )
    of_all = view.folds or (split,)
    splits = sampled_splits(of_all, labels, size=config.at_most, seed=config.seed)
    rows = rows_of_splits(splits)
    further = [] if config.token is None else [f"token-{config.token}"]
    poolings = list(dict.fromkeys([*POOLINGS, view.encoder.pooling, *further]))  # its own: the encoder's vectors
    probed = Split(train=np.intersect1d(rows, split.train), test=np.intersect1d(rows, split.test))
    return LayerEmbeddings(
        rows=rows,
        splits=tuple(each.among(rows) for each in splits),
        split=probed.among(rows),
        by_pooling=view.layers(rows, poolings),
        of=len(rows_of_splits(of_all)),
    )


def curve_of(embedded: LayerEmbeddings, view: EncoderView, config: LayerwiseConfig) -> LayerCurve:
    """Measure the accuracy of each layer by each pooling."""
    labels = view.labels_and_split[0][embedded.rows]
    measured: list[MeasuredLayer] = []
    for pooling, layers in embedded.by_pooling.items():
        last: ByDistance[KNNResult] | None = None
        rows: list[MeasuredLayer] = []
        for layer in reversed(range(len(layers))):  # the last one first: the others are set against it
            done, of = len(measured) + len(rows), len(embedded.by_pooling) * len(layers)
            view.progress("Measuring accuracy after every layer", done, of)
            accuracy = knn_by_both(embeddings=layers[layer], labels=labels, splits=embedded.splits)
            last = last or accuracy
            linear = None
            if config.linear:
                linear = probe(embeddings=layers[layer], labels=labels, split=embedded.split).correct
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
        pooling=view.encoder.pooling,
        protocol=embedded.splits[0].protocol,
        texts=texts,
        of=embedded.of,
        test_texts=sum(len(split.test) for split in embedded.splits),
        sampled=texts < embedded.of,
        flat_because=None if view.encoder.layers else ONE_LAYER,
    )


def _against_last(result: KNNResult, last: KNNResult) -> LayerAccuracy:
    gained, lost = (result.correct & ~last.correct).sum(), (~result.correct & last.correct).sum()
    return LayerAccuracy(**result.measurement.model_dump(), gained=int(gained), lost=int(lost))
