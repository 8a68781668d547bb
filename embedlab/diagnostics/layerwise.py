"""kNN accuracy after every layer, by mean, [CLS] and [SEP] (crops paper, Figure 2)."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import LAYERS, Looked, told_of_each
from embedlab.distance import COSINE, DISTANCES, at_distance
from embedlab.encoders.embed import embed_layers
from embedlab.errors import CorpusError
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import Split, sampled_rows

POOLINGS = ("mean", "cls", "last")


class LayerwiseConfig(Config):
    """How many texts are read through every layer."""

    at_most: int = Field(
        5000, ge=10, le=100_000, description="Labelled texts; of more, a stratified sample is taken and said."
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Random numbers of the sample.")


@dataclass(frozen=True)
class LayerCurve:
    """One row per layer and pooling; layer 0 is the output of the embedding block.

    ``gained`` test texts are right after this layer and wrong after the last one, ``lost`` the other way.
    """

    rows: list[dict]  # layer, pooling, value, standard_error, gained, lost, and these by cosine as value_cosine, …
    texts: int
    test_texts: int
    sampled: bool
    flat_because: str | None

    def as_json(self) -> dict:
        """Plain values."""
        return dict(vars(self))


class Layerwise:
    """Where in the encoder the classes come apart."""

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
    def measure(looked: Looked, config: LayerwiseConfig) -> LayerCurve:
        """kNN accuracy by the split, or by a sample of it, after every layer for each pooling the encoder has."""
        labels, split, progress = looked.labels, looked.split, looked.progress
        if split is None or labels is None:
            raise CorpusError(
                "W-NO-LABELS",
                "Layers needs labels to measure kNN accuracy, but found none. Choose a label column.",
            )
        labelled = len(split.train) + len(split.test)
        sample = sampled_rows(split, labels, size=config.at_most, seed=config.seed)
        rows = np.concatenate([sample.train, sample.test])
        part = Split(train=np.arange(len(sample.train)), test=np.arange(len(sample.train), len(rows)))
        found = embed_layers(
            looked.encoder,
            [looked.texts[row] for row in rows],
            device=looked.device,
            poolings=POOLINGS,
            progress=progress,
        )  # pooling -> (layers + 1, texts, dim)
        measured = []
        for pooling, layers in found.items():
            last = {}
            for layer in reversed(range(len(layers))):  # the last one first: the others are set against it
                progress("Measuring kNN accuracy after every layer", len(measured), len(found) * len(layers))
                values = {}
                for distance in DISTANCES:
                    found_by = knn_accuracy(
                        embeddings=layers[layer], labels=labels[rows], split=part, distance=distance
                    )
                    right, of_last = found_by.correct, last.setdefault(distance, found_by.correct)
                    values[at_distance("value", distance)] = found_by.value
                    values[at_distance("standard_error", distance)] = found_by.standard_error
                    values[at_distance("gained", distance)] = int((right & ~of_last).sum())
                    values[at_distance("lost", distance)] = int((~right & of_last).sum())
                measured.append({"layer": layer, "pooling": pooling, **values})
        measured.sort(key=lambda row: (POOLINGS.index(row["pooling"]), row["layer"]))
        return LayerCurve(
            rows=measured,
            texts=len(rows),
            test_texts=len(sample.test),
            sampled=len(rows) < labelled,
            flat_because=one_layer(looked.encoder),
        )

    @staticmethod
    def in_words(found: dict[str, LayerCurve]) -> str:
        """By cosine, of the pooling that comes first."""
        value, said = at_distance("value", COSINE), {}
        for state, curve in found.items():
            rows = [row for row in curve.rows if row["pooling"] == curve.rows[0]["pooling"]]
            best = max(rows, key=lambda row: (row[value], row["layer"]))
            said[state] = f"with {100 * best[value]:.1f} % after layer {best['layer']} of {rows[-1]['layer']}"
        return f"kNN accuracy by {DISTANCES[COSINE]} is highest {told_of_each(said)}."


def one_layer(encoder) -> str | None:
    """Why there is no curve over layers, or None."""
    if encoder.layers:
        return None
    return "This encoder is a bare token-embedding layer: it has one layer, so there is one point and no curve."
