"""Results after a layer as stored, their numbers by one distance, and the best layer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from embedlab.distance import DISTANCES, Distance
from embedlab.encoder_catalog.names import pooling_name
from embedlab.measurement import TEN_FOLDS, ByDistance, Difference, LayerValue, Measurement, ResultPart
from embedlab.metrics.ten_fold import fold_difference
from embedlab.numbers import count, in_percent, percent
from embedlab.statistics.intervals import LEVEL, counted_shares
from embedlab.statistics.verdict import FEWEST_TEXTS

STATES = ("before", "after")


class LayerAccuracy(Measurement):
    """``gained`` test texts are right after this layer and wrong after the last, ``lost`` the reverse."""

    gained: int
    lost: int


class LayerResult(ResultPart):
    """One encoder after one layer; ``linear`` if a probe was requested."""

    knn: ByDistance[LayerAccuracy]
    zero_vectors: int
    linear: Measurement | None = Field(None, exclude_if=lambda probe: probe is None)


class LayerRow(ResultPart):
    """Both encoders after one layer, with one pooling; None for an encoder that was not measured."""

    layer: int
    pooling: str
    before: LayerResult | None
    after: LayerResult | None

    @property
    def results(self) -> dict[str, LayerResult]:
        """Of each measured encoder, by its state."""
        return {state: each for state, each in zip(STATES, (self.before, self.after), strict=True) if each is not None}


class LayerSettings(ResultPart):
    """What was measured besides kNN accuracy of the usual poolings."""

    token: int | None = None
    linear: bool = False


class LayerCurves(ResultPart):
    """The contents of ``layers.json``: one row per layer and pooling.

    ``texts`` of the ``of`` labelled ones were measured, and by this ``protocol`` ``test_texts`` of them tested: by
    those of the run's result.
    """

    layers: tuple[LayerRow, ...]
    settings: LayerSettings = LayerSettings()
    no_maps: str | None = None  # why no maps could be drawn
    protocol: str
    texts: int
    of: int
    test_texts: int
    sampled: bool
    pooling: str  # the encoder's own
    flat_because: str | None

    @property
    def poolings(self) -> list[str]:
        """The measured ones, in order."""
        return list(dict.fromkeys(row.pooling for row in self.layers))

    @property
    def own_pooling(self) -> str:
        """The encoder's own pooling, or the first if that was not measured."""
        return self.pooling if self.pooling in self.poolings else self.poolings[0]

    def knn(self, distance: Distance) -> list[LayerValue]:
        """kNN accuracy by this distance."""
        return self._values(lambda result: result.knn.by(distance))

    @property
    def linear(self) -> list[LayerValue]:
        """Linear accuracy; empty for a run that was not probed."""
        return [each for each in self._values(lambda result: result.linear) if each.before is not None]

    def _values(self, measured: Callable[[LayerResult], Measurement | None]) -> list[LayerValue]:
        return [
            LayerValue(
                row.layer, row.pooling, *(None if each is None else measured(each) for each in (row.before, row.after))
            )
            for row in self.layers
        ]


OPENINGS = {"before": "Before", "after": "After fine-tuning"}
ALONE = "As it is"  # of an encoder that nothing was trained from


class OfLayer(Protocol):
    """What belongs to a layer and a pooling."""

    @property
    def layer(self) -> int:
        """Counted from the token embeddings, 0."""

    @property
    def pooling(self) -> str:
        """The key of the pooling."""


L = TypeVar("L", bound=OfLayer)


def best_of(layers: Sequence[L], value: Callable[[L], float], *, own_pooling: str) -> L:
    """Return the layer with the highest value: of equal ones the last, and of that the one by the encoder's pooling.

    Headlines, numbers, diagnostics and lessons name the layer that this function returns.
    """
    return max(layers, key=lambda each: (value(each), each.layer, each.pooling == own_pooling))


def place_in_words(layer: OfLayer, last: int) -> str:
    """Return ``layer 2 of 4 by mean pooling``."""
    return f"layer {layer.layer} of {last} by {pooling_name(layer.pooling)} pooling"


@dataclass(frozen=True)
class BestLayer:
    """Shares by one distance; ``difference`` is the best layer minus the last one by the same pooling.

    Its interval is widened, because the best of ``compared`` was picked: the level is 1 − 5 %/(compared − 1).
    """

    pooling: str
    layer: int
    last: int
    value: float
    last_value: float
    is_clear: bool
    compared: int
    difference: Difference


def best_layer(curves: LayerCurves, *, pooling: str | None, state: str, distance: Distance) -> BestLayer | None:
    """Return the best layer for one pooling, or over all if None; ``before`` or ``after``.

    None if the encoder was not measured.
    """
    rows = [row for row in curves.layers if pooling in (None, row.pooling) and state in row.results]
    if not rows:
        return None

    def measured(row: LayerRow) -> LayerAccuracy:
        return row.results[state].knn.by(distance)

    top = best_of(rows, lambda row: measured(row).value, own_pooling=curves.own_pooling)
    end = max((row for row in rows if row.pooling == top.pooling), key=lambda row: row.layer)
    others = max(len(rows) - 1, 1)
    level = 1 - (1 - LEVEL) / others if others > 1 else LEVEL
    best, last = measured(top), measured(end)
    difference = _difference(curves, best, level)
    is_clear = top is not end and difference.is_clear and curves.test_texts >= FEWEST_TEXTS
    return BestLayer(top.pooling, top.layer, end.layer, best.value, last.value, is_clear, len(rows), difference)


def _difference(curves: LayerCurves, accuracy: LayerAccuracy, level: float) -> Difference:
    """Return a layer's accuracy minus the last layer's, with the interval of the protocol."""
    n, gained, lost = curves.test_texts, accuracy.gained, accuracy.lost
    if curves.protocol != TEN_FOLDS:
        return counted_shares(n=n, gained=gained, lost=lost, level=level)
    alike = [False] * (n - gained - lost)
    here = np.array([True] * gained + [False] * lost + alike)
    at_the_end = np.array([False] * gained + [True] * lost + alike)
    return fold_difference(before=at_the_end, after=here, level=level)


def best_layers_sentence(
    curves: LayerCurves, *, distance: Distance, states: Sequence[str] = ("after", "before")
) -> str:
    """``After fine-tuning, layer 2 of 4 with mean pooling knows the topic best (cosine): 52.0 %, …``.

    The best of all poolings leads; where that is not the encoder's own, the best of that follows.
    Empty of an encoder with a single layer.
    """
    sentences: list[str] = []
    measured = [state for state in states if state in curves.layers[0].results]
    for state in measured:
        best = best_layer(curves, pooling=None, state=state, distance=distance)
        own_best = best_layer(curves, pooling=curves.own_pooling, state=state, distance=distance)
        if best is None or best.last == 0:
            continue
        is_last, name = best.layer == best.last, pooling_name(best.pooling)
        layer = f"the last layer ({best.last})" if is_last else f"layer {best.layer} of {best.last}"
        opening = OPENINGS[state] if len(measured) > 1 else ALONE
        by = "" if sentences else f" ({DISTANCES[distance]})"
        error = "" if best.is_clear else ": within the error"
        against = "" if is_last else f", {best.difference.points} against the last layer{error}"
        leads = f"{opening}, {layer} with {name} pooling separates the classes best{by}: {percent(best.value)}"
        sentences.append(f"{leads}{against}.")
        if own_best is not None and own_best.pooling != best.pooling and own_best.value < best.value:
            which = "the last layer" if own_best.layer == own_best.last else f"layer {own_best.layer}"
            name = pooling_name(own_best.pooling)
            sentences.append(f"With {name} pooling, the encoder's own, {which} is best: {percent(own_best.value)}.")
    return " ".join(sentences)


def layers_table(values: Sequence[LayerValue]) -> pa.Table:
    """One row per layer, two columns per pooling, in percent."""
    layers = sorted({each.layer for each in values})
    columns: dict[str, list] = {"layer": layers}
    for pooling in dict.fromkeys(each.pooling for each in values):
        of_layer = {each.layer: each for each in values if each.pooling == pooling}
        for state in STATES:
            shares = [getattr(of_layer.get(layer), state, None) for layer in layers]
            columns[f"{pooling_name(pooling)} {state} (%)"] = [in_percent(share and share.value) for share in shares]
    return pa.table(columns)


def texts_in_words(curves: LayerCurves) -> str:
    """Return ``a sample of 5,000 of the 28,500 labeled texts, all of them tested by ten folds``."""
    which = f"all {count(curves.of)}"
    if curves.sampled:
        which = f"a sample of {count(curves.texts)} of the {count(curves.of)}"
    tested = "all" if curves.test_texts == curves.texts else count(curves.test_texts)
    how = " by ten folds" if curves.protocol == TEN_FOLDS else ""
    return f"{which} labeled texts, {tested} of them tested{how}"


def sample_in_words(curves: LayerCurves) -> str:
    """Return ``, sample of 5,000`` to stand next to a number, and nothing if all texts were measured."""
    return f", sample of {count(curves.texts)}" if curves.sampled else ""


def measured_on(curves: LayerCurves, distance: Distance) -> str:
    """Say with which distance and on which texts it was measured, and what the vectors of a layer are."""
    return f"Measured with {DISTANCES[distance]} on {texts_in_words(curves)}, k = 10. {VECTORS_OF_LAYERS}"


VECTORS_OF_LAYERS = (
    "The last layer's vectors are the encoder's own; those of the layers below are pooled and normalized as these are."
)
