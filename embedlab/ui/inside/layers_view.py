"""Accuracy layer by layer: the numbers above the curve, a sentence, the table, and further measurements."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import streamlit as st

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance
from embedlab.encoder_names import pooling_name
from embedlab.jobs.requests.measuring import MeasureLayers
from embedlab.metrics.layer_rows import STATES, best_layers_sentence, numbers_by, row_by
from embedlab.numbers import accuracy, count, in_percent, percent
from embedlab.runs.drawn_map import read_layer_maps
from embedlab.runs.evaluations import read_layers
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.other_runs import runs_beside
from embedlab.ui.frame.layout import number_row
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.switches import by_distance
from embedlab.ui.frame.text import escaped

KNN, LINEAR = "kNN", "Linear probe"
PAPERS_TOKEN = 7  # counted from 0, [CLS] included


def layers_by(measured: Mapping[str, Any], distance: Distance) -> dict:
    """Copies the layers' results with each row's numbers by this distance."""
    return {**measured, "layers": [row_by(row, distance) for row in measured["layers"]]}


def layers_beside(run: RunFolder, distance: Distance) -> dict[str, list[dict]]:
    """The rows of other runs that a reader chooses, by title, among those measured on the same corpus."""
    chosen = runs_beside(run, lambda other: read_layers(other) is not None, key="layers.beside")
    stored = {name: read_layers(other) for name, other in chosen.items()}
    return {name: layers_by(each, distance)["layers"] for name, each in stored.items() if each is not None}


def is_probed(measured: Mapping[str, Any]) -> bool:
    """Whether a linear probe was run after every layer."""
    return all("linear_before" in row for row in measured["layers"])


def as_linear(rows: list[dict]) -> list[dict]:
    """Replaces kNN accuracy by linear accuracy in these rows; empty for a run that was not probed."""
    return [
        {"layer": row["layer"], "pooling": row["pooling"]}
        | {state: row[f"linear_{state}"] for state in STATES}
        | {f"standard_error_{state}": row[f"linear_standard_error_{state}"] for state in STATES}
        for row in rows
        if "linear_before" in row
    ]


def measure_more(run: RunFolder, measured: dict) -> None:
    """Draws the form that measures more of the layers; earlier choices stay."""
    settings = measured.get("settings") or {}
    with st.expander("Measure more of the layers"):
        token = st.number_input(
            "Also a token's vector", 1, 511, settings.get("token"), key="layers.token", placeholder="no token",
            help=f"Counted from 0, which is [CLS]; {PAPERS_TOKEN} in the paper. For a shorter text, its last token.",
        )  # fmt: skip
        linear = st.toggle(
            "A linear probe after every layer", settings.get("linear", False), key="layers.linear",
            help="How often a linear classifier is right on the test texts. It takes a few minutes.",
        )  # fmt: skip
        maps = st.toggle(
            "A map of every layer", read_layer_maps(run) is not None, key="layers.maps",
            help="t-SNE of up to 1,500 labelled texts, each layer starting from the one above.",
        )  # fmt: skip
        request = MeasureLayers(run=run.id, maps=maps, settings={"linear": linear, "token": token})
        job_panel(request, start="Measure again", key="layers.again", primary=False)


def poolings_of(measured: dict) -> list[str]:
    """The measured poolings, in order."""
    return list(dict.fromkeys(row["pooling"] for row in measured["layers"]))


def layer_numbers(measured: dict, pooling: str, distance: Distance) -> None:
    """The last layer before and after with one pooling, the best layer after, and the number of texts.

    ``found`` holds the values by ``distance``, as ``layers_by`` gives them.
    """
    last, best = last_row(measured, pooling), best_row(measured)
    named = pooling_name(pooling)
    by = by_distance(distance)
    where = f"kNN accuracy {by} of the vector after layer {last['layer']} by {named} pooling, the encoder's own."
    row = number_row()
    row.metric("Last layer, before", percent(last["before"]), help=where)
    after = accuracy(last["after"], last["standard_error_after"])
    change = last["after"] - last["before"]
    row.metric("after", after, change or None, help=f"kNN accuracy {by}, ± one standard error.")
    label = f"Best after: {pooling_name(best['pooling'])}, layer {best['layer']}"
    row.metric(escaped(label), accuracy(best["after"], best["standard_error_after"]), help=f"kNN accuracy {by}.")
    row.metric("Test texts", count(measured["test_texts"]), help=measured_on(measured, distance))


def measured_on(measured: dict, distance: Distance) -> str:
    """Says with which distance and on which texts it was measured, and whether they are a sample."""
    which = "a stratified sample of" if measured["sampled"] else "all"
    texts, tested = count(measured["texts"]), count(measured["test_texts"])
    how = f"Measured with {DISTANCES[distance]}"
    fit = f" {measured['fitted']}" if "fitted" in measured else ""
    return f"{how} on {which} {texts} labelled texts, {tested} of them test texts, k = 10.{fit}"


def answer(measured: Mapping[str, Any], pooling: str, distance: Distance, *, trained: bool) -> str:
    """The best layer compared with the last with one pooling, after and before; ``found`` as stored."""
    states = ("after", "before") if trained else ("before",)
    return best_layers_sentence(measured, pooling=pooling, distance=distance, states=states)


def last_row(measured: dict, pooling: str) -> dict:
    """The row of the last layer with one pooling."""
    return max((row for row in measured["layers"] if row["pooling"] == pooling), key=lambda row: row["layer"])


def best_row(measured: dict) -> dict:
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
