"""Results after a layer as stored, their numbers by one distance, and the best layer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance
from embedlab.encoder_catalog.names import pooling_name
from embedlab.measurement import ByDistance, Difference, Measurement, ResultPart
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
    linear: Measurement | None = None


def row_by(row: Mapping, distance: Distance) -> dict[str, Any]:
    """A row of ``layers.json`` by this distance: ``layer pooling before after standard_error_before …``."""
    numbers = {"layer": row["layer"], "pooling": row["pooling"], **numbers_by(row, distance)}
    for state, state_row in _measured(row).items():
        numbers[f"zero_vectors_{state}"] = state_row["zero_vectors"]
        if linear := state_row.get("linear"):
            numbers |= {f"linear_{state}": linear["value"], f"linear_standard_error_{state}": linear["error"]}
    return numbers


def numbers_by(row: Mapping, distance: Distance) -> dict[str, Any]:
    """The row's numbers that depend on the distance; None ``before`` or ``after`` if there is no such encoder."""
    numbers = dict.fromkeys(STATES)
    for state, state_row in _measured(row).items():
        knn = state_row["knn"][distance]
        numbers |= {state: knn["value"], f"standard_error_{state}": knn["error"]}
        numbers |= {f"{name}_{state}": knn[name] for name in ("gained", "lost")}
    return numbers


def _measured(row: Mapping) -> dict[str, Mapping]:
    return {state: row[state] for state in STATES if row[state] is not None}


OPENINGS = {"before": "Before", "after": "After fine-tuning"}
ALONE = "As it is"  # of an encoder that nothing was trained from


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


def best_layer(
    rows: Iterable[Mapping], *, pooling: str | None, state: str, distance: Distance, test_texts: int
) -> BestLayer | None:
    """The best layer for one pooling, or over all if None; ``before`` or ``after``. None if it was not measured.

    Of equal layers the last wins.
    """
    by = [row_by(row, distance) for row in rows if pooling in (None, row["pooling"]) and row[state] is not None]
    if not by:
        return None
    top = max(by, key=lambda row: (row[state], row["layer"]))
    end = max((row for row in by if row["pooling"] == top["pooling"]), key=lambda row: row["layer"])
    others = max(len(by) - 1, 1)
    gained, lost = top[f"gained_{state}"], top[f"lost_{state}"]
    level = 1 - (1 - LEVEL) / others if others > 1 else LEVEL
    difference = counted_shares(n=test_texts, gained=gained, lost=lost, level=level)
    is_clear = top is not end and difference.is_clear and test_texts >= FEWEST_TEXTS
    return BestLayer(top["pooling"], top["layer"], end["layer"], top[state], end[state], is_clear, len(by), difference)


def best_layers_sentence(curve: Mapping, *, pooling: str, distance: Distance, states: Sequence[str]) -> str:
    """``After fine-tuning, layer 2 of 4 with mean pooling knows the topic best (cosine): 52.0 %, …``.

    The best of all poolings leads; where that is not the encoder's own ``pooling``, the best of that follows.
    ``curve``: ``layers`` and ``test_texts``, as measured. Empty of an encoder with a single layer.
    """
    sentences: list[str] = []
    for state in states:
        measured = {"state": state, "distance": distance, "test_texts": curve["test_texts"]}
        best = best_layer(curve["layers"], pooling=None, **measured)
        own_best = best_layer(curve["layers"], pooling=pooling, **measured)
        if best is None or best.last == 0:
            continue
        opening = OPENINGS[state] if len(states) > 1 else ALONE
        sentences.append(_sentence(best, opening, f" ({DISTANCES[distance]})" if not sentences else ""))
        if own_best is not None and own_best.pooling != best.pooling and own_best.value < best.value:
            which = "the last layer" if own_best.layer == own_best.last else f"layer {own_best.layer}"
            name = pooling_name(own_best.pooling)
            sentences.append(f"With {name} pooling, the encoder's own, {which} is best: {percent(own_best.value)}.")
    return " ".join(sentences)


def _sentence(best: BestLayer, opening: str, by: str) -> str:
    is_last, name = best.layer == best.last, pooling_name(best.pooling)
    layer = f"the last layer ({best.last})" if is_last else f"layer {best.layer} of {best.last}"
    leads = f"{opening}, {layer} with {name} pooling separates the classes best{by}: {percent(best.value)}"
    if is_last:
        return f"{leads}."
    error = "" if best.is_clear else ": within the error"
    return f"{leads}, {best.difference.points} against the last layer{error}."


def layers_by(measured: Mapping[str, Any], distance: Distance) -> dict[str, Any]:
    """Copies the layers' results with each row's numbers by this distance."""
    return {**measured, "layers": [row_by(row, distance) for row in measured["layers"]]}


def is_probed(measured: Mapping[str, Any]) -> bool:
    """Whether a linear probe was run after every layer."""
    return all("linear_before" in row for row in measured["layers"])


def as_linear(rows: list[dict]) -> list[dict[str, Any]]:
    """Replaces kNN accuracy by linear accuracy in these rows; empty for a run that was not probed."""
    return [
        {"layer": row["layer"], "pooling": row["pooling"]}
        | {state: row[f"linear_{state}"] for state in STATES}
        | {f"standard_error_{state}": row[f"linear_standard_error_{state}"] for state in STATES}
        for row in rows
        if "linear_before" in row
    ]


def poolings_of(measured: dict) -> list[str]:
    """The measured poolings, in order."""
    return list(dict.fromkeys(row["pooling"] for row in measured["layers"]))


def last_row(measured: dict, pooling: str) -> dict[str, Any]:
    """The row of the last layer with one pooling."""
    return max((row for row in measured["layers"] if row["pooling"] == pooling), key=lambda row: row["layer"])


def best_row(measured: dict) -> dict[str, Any]:
    """The row with the highest kNN accuracy after fine-tuning; ties go to the first."""
    return max(measured["layers"], key=lambda row: row["after"])


def layers_table(measured: dict) -> pa.Table:
    """One row per layer, two columns per pooling, in percent."""
    layers = sorted({row["layer"] for row in measured["layers"]})
    values = {(row["layer"], row["pooling"], state): row[state] for row in measured["layers"] for state in STATES}
    columns = {"layer": layers}
    for pooling in poolings_of(measured):
        for state in STATES:
            column = [values.get((layer, pooling, state)) for layer in layers]
            columns[f"{pooling_name(pooling)} {state} (%)"] = [in_percent(value) for value in column]
    return pa.table(columns)


def layers_rows(measured: Mapping[str, Any]) -> pa.Table:
    """For the download: one row per layer and pooling, by both distances, with the standard errors."""
    rows = [
        row_by(row, EUCLIDEAN) | {f"{name}_{COSINE}": value for name, value in numbers_by(row, COSINE).items()}
        for row in measured["layers"]
    ]
    return pa.Table.from_pylist(rows)


def measured_on(measured: dict, distance: Distance) -> str:
    """Says with which distance and on which texts it was measured, and whether they are a sample."""
    which = "a stratified sample of" if measured["sampled"] else "all"
    texts, tested = count(measured["texts"]), count(measured["test_texts"])
    how = f"Measured with {DISTANCES[distance]}"
    fit = f" {measured['fitted']}" if "fitted" in measured else ""
    return f"{how} on {which} {texts} labeled texts, {tested} of them test texts, k = 10.{fit}"
