"""Layers: accuracy and map of every layer, before and after fine-tuning, with table and further measurements."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embedlab.distance import Distance
from embedlab.encoder_catalog.names import pooling_name
from embedlab.figures.layers import layer_curves
from embedlab.jobs.requests.measuring import MeasureLayers
from embedlab.metrics.layer_rows import (
    as_linear,
    best_layers_sentence,
    best_row,
    is_probed,
    last_row,
    layers_by,
    layers_rows,
    layers_table,
    measured_on,
    poolings_of,
)
from embedlab.numbers import accuracy, count, percent
from embedlab.runs.drawn_map import LayerMaps, layer_places, read_layer_maps
from embedlab.runs.evaluations import read_layers
from embedlab.runs.example import LAYERS
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import RunResult, read_result
from embedlab.ui.components.built_in import example_needed
from embedlab.ui.components.loaded_maps import class_map
from embedlab.ui.components.other_runs import is_token, measuring_place, offer_layered, runs_beside
from embedlab.ui.frame.files import csv_download
from embedlab.ui.frame.layout import chart, escaped, number_row, pair
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.page import needs_labels
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import by_distance, corpus_of, is_dark, one_of, shown_distance

WITHIN = (
    "By the encoder's own pooling, on the same test texts. The interval is widened, because the best of several layers "
    "was picked."
)
FLAT = "This run's encoder is a bare token-embedding layer. It has one layer, so there is one point and no curve."


def show_layers(run: RunFolder) -> None:
    """The curves of a run whose corpus has labels, or the button that measures them."""
    result, stored = read_result(run), read_layers(run)
    if result is None or needs_labels(run, result):
        return
    if is_token(run):
        offer_layered(run, FLAT, key="layers.layered")
    if stored is None:
        with measuring_place(run):
            st.write(
                "Every layer is measured like the run itself, before and after, by mean, [CLS] and [SEP] pooling, and "
                "drawn as a map."
            )
            request = MeasureLayers(run=run.id, maps=True)
            job_panel(request, start="Measure every layer", key="layers.measure", primary=not is_token(run))
        example()
    else:
        curves(run, result, stored)


def example() -> None:
    """The packaged example's curves until the picked run has some."""
    run = example_needed(LAYERS)
    if run is not None and (result := read_result(run)) is not None and (layers := read_layers(run)) is not None:
        curves(run, result, layers)


def curves(run: RunFolder, result: RunResult, stored: Mapping[str, Any]) -> None:
    """Numbers, figure, table, by the shown distance."""
    distance = shown_distance()
    measured = layers_by(stored, distance)
    poolings = poolings_of(measured)
    main = result.pooling if result.pooling in poolings else poolings[0]
    states = ("after", "before") if result.steps else ("before",)
    if sentence := best_layers_sentence(stored, pooling=main, distance=distance, states=states):
        st.subheader(escaped(sentence, 400), anchor=False, help=WITHIN)
    layer_numbers(measured, main, distance)
    chosen = st.pills("Pooling", poolings, selection_mode="multi", default=poolings, key="layers.pooling",
                      format_func=lambda pooling: escaped(pooling_name(pooling)),
                      help="mean of all tokens; [CLS], the first; [SEP], the last real one")  # fmt: skip
    what = KNN
    if is_probed(measured):
        what = one_of("Accuracy", [KNN, LINEAR], key="layers.what", first=KNN, is_labelled=False)
    rows = [row for row in measured["layers"] if row["pooling"] in (chosen or poolings)]
    other_runs, named = layers_beside(run, distance), f"kNN accuracy {by_distance(distance)}"
    if what == LINEAR:
        rows, named = as_linear(rows), "Linear accuracy"
        other_runs = {name: linear for name, knn in other_runs.items() if (linear := as_linear(knn))}
    chart(layer_curves(rows, other_runs=other_runs, measured=named, dark=is_dark()), key="layers.curves")
    remark = "" if result.steps else "Nothing was trained: before and after are the same."
    st.caption(f"{remark} {measured_on(measured, distance)}".strip())
    layer_maps_section(run, stored)
    measure_more(run, measured)
    with st.expander("Table"):
        percent = st.column_config.NumberColumn(format="%.1f")
        table = layers_table(measured if what == KNN else {"layers": as_linear(measured["layers"])})
        st.dataframe(table, hide_index=True, column_config=dict.fromkeys(table.column_names[1:], percent))
        csv_download(lambda: layers_rows(stored), f"layers-{run.id}.csv", "Download as CSV", key="layers.csv")


HEIGHT = 430


def layer_maps_section(run: RunFolder, stored: Mapping[str, Any]) -> None:
    """Both maps, or why there are none; corners show values by the distance that the maps were drawn with.

    ``stored``: ``layers.json``, whose rows hold both distances.
    """
    drawn, corpus = read_layer_maps(run), corpus_of(run)
    if stored.get("no_maps"):
        st.caption(escaped(stored["no_maps"], 300))
    if drawn is None or corpus is None:
        return
    measured = layers_by(stored, drawn.distance)
    st.subheader("What each layer sees", anchor=False)
    names = (word_of_before(run).capitalize(), "Fine-tuned")
    for column, state, name in zip(pair("layer-maps"), ("before", "after"), names, strict=True):
        frames = getattr(drawn, state)
        with column:
            class_map(
                corpus, drawn.rows, frames[-1], key=f"layers-{state}-{run.id}", group=f"layers-{run.id}",
                frames=[(f"layer {layer}", places) for layer, places in enumerate(frames)],
                headings=[_title_and_corner(name, layer, state, measured, drawn) for layer in range(len(frames))],
                alt=f"Map of {count(len(drawn.rows))} texts after every layer, {name.lower()}.",
                link_zoom=True, link_frames=True, legend=False, height=HEIGHT,
            )  # fmt: skip
    which = "all" if len(drawn.rows) == drawn.of else f"{count(len(drawn.rows))} of the"
    st.caption(
        f"t-SNE of {which} {count(drawn.of)} texts measured, by {pooling_name(drawn.pooling)} pooling. Each map starts "
        "from the layer above it and the fine-tuned top from the untouched one, so points can be followed; distances "
        "between groups mean little."
    )
    name = f"layer-maps-{run.id}.csv"
    csv_download(lambda: layer_places(drawn), name, "Download the coordinates as CSV", key="layers.maps.csv")


def _title_and_corner(name: str, layer: int, state: str, measured: dict, drawn: LayerMaps) -> tuple[str, str]:
    """Title and corner of one frame."""
    rows = (row for row in measured["layers"] if (row["layer"], row["pooling"]) == (layer, drawn.pooling))
    value = next((row[state] for row in rows), None)
    corner = "" if value is None else f"kNN accuracy {percent(value)} {by_distance(drawn.distance)}"
    return f"{name}, layer {layer}", corner


KNN, LINEAR = "kNN", "Linear probe"
PAPERS_TOKEN = 7  # counted from 0, [CLS] included


def layers_beside(run: RunFolder, distance: Distance) -> dict[str, list[dict[str, Any]]]:
    """The rows of other runs that a reader chooses, by title, among those measured on the same corpus."""
    chosen = runs_beside(run, lambda other: read_layers(other) is not None, key="layers.beside")
    stored = {name: read_layers(other) for name, other in chosen.items()}
    return {name: layers_by(each, distance)["layers"] for name, each in stored.items() if each is not None}


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
            help="t-SNE of up to 1,500 labeled texts, each layer starting from the one above.",
        )  # fmt: skip
        request = MeasureLayers(run=run.id, maps=maps, settings={"linear": linear, "token": token})
        job_panel(request, start="Measure again", key="layers.again", primary=False)
        go_button("Accuracy by frozen layers, as a study", "sweep", name="layers.frozen",
                  help="Crops paper, Figure 5a: how many layers have to be trained at all.")  # fmt: skip


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
