"""Layers: accuracy and map of every layer, before and after fine-tuning, with table and further measurements."""

import streamlit as st

from embedlab.distance import Distance
from embedlab.encoder_catalog.names import pooling_name
from embedlab.figures.layers import layer_curves
from embedlab.jobs.requests.measuring import MeasureLayers
from embedlab.measurement import LayerValue
from embedlab.metrics.layer_rows import (
    VECTORS_OF_LAYERS,
    LayerCurves,
    best_layers_sentence,
    best_of,
    layers_table,
    measured_on,
    sample_in_words,
)
from embedlab.numbers import accuracy, count, percent
from embedlab.report.contract import layers_rows
from embedlab.runs.drawn_map import layer_places, read_layer_maps
from embedlab.runs.evaluations import read_layers
from embedlab.runs.example import MINI
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import RunResult, read_result
from embedlab.ui.components.built_in import example_needed
from embedlab.ui.components.inside_section import is_awaited
from embedlab.ui.components.loaded_maps import class_map
from embedlab.ui.components.other_runs import is_token, measuring_place, offer_layered, runs_beside
from embedlab.ui.frame.files import csv_download
from embedlab.ui.frame.layout import chart, escaped, number_row, pair
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.page import needs_labels
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import by_distance, corpus_of, is_dark, one_of, shown_distance

WITHIN = (
    "Of all poolings, on the texts of the result. The interval is widened, because the best of several layers was "
    "picked."
)
FLAT = "This run's encoder is a bare token-embedding layer. It has one layer, so there is one point and no curve."


def show_layers(run: RunFolder) -> None:
    """The curves of a run whose corpus has labels, or the button that measures them."""
    result, stored = read_result(run), read_layers(run)
    if result is None or needs_labels(run, result):
        return
    if is_token(run):
        offer_layered(run, FLAT, key="layers.layered")
    if stored is not None:
        curves(run, result, stored)
        return
    with measuring_place(run):
        st.write(
            "Every layer is measured on the texts of the result, before and after, by the encoder's own pooling, the "
            f"mean, [CLS] and [SEP]. {VECTORS_OF_LAYERS}"
        )
        if is_awaited(run, "layers", lambda: read_layers(run) is not None):
            return
        request = MeasureLayers(run=run.id, maps=True)
        job_panel(request, start="Measure every layer", key="layers.measure", primary=not is_token(run))
    example()


def example() -> None:
    """The packaged example's curves until the picked run has some."""
    run = example_needed(MINI)
    if run is not None and (result := read_result(run)) is not None and (layers := read_layers(run)) is not None:
        curves(run, result, layers)


def curves(run: RunFolder, result: RunResult, stored: LayerCurves) -> None:
    """Numbers, figure, table, by the shown distance."""
    distance, poolings = shown_distance(), stored.poolings
    states = ("after", "before") if result.steps else ("before",)
    if sentence := best_layers_sentence(stored, distance=distance, states=states):
        st.subheader(escaped(sentence, 400), anchor=False, help=WITHIN)
    layer_numbers(stored, distance)
    chosen = st.pills("Pooling", poolings, selection_mode="multi", default=poolings, key="layers.pooling",
                      format_func=lambda pooling: escaped(pooling_name(pooling)),
                      help="mean of all tokens; [CLS], the first; [SEP], the last real one")  # fmt: skip
    what = KNN
    if len(stored.linear) == len(stored.layers):
        what = one_of("Accuracy", [KNN, LINEAR], key="layers.what", first=KNN, is_labelled=False)

    def values_of(each: LayerCurves) -> list[LayerValue]:
        return each.linear if what == LINEAR else each.knn(distance)

    values = values_of(stored)
    drawn = [each for each in values if each.pooling in (chosen or poolings)]
    layers = {
        name: read_layers(other)
        for name, other in runs_beside(run, lambda other: read_layers(other) is not None, key="layers.beside").items()
    }
    other_runs = {name: others for name, each in layers.items() if each is not None and (others := values_of(each))}
    accuracy_named = "Linear accuracy" if what == LINEAR else f"kNN accuracy {by_distance(distance)}"
    chart(layer_curves(drawn, other_runs=other_runs, measured=accuracy_named, dark=is_dark()), key="layers.curves")
    remark = "" if result.steps else "Nothing was trained: before and after are the same."
    st.caption(f"{remark} {measured_on(stored, distance)}".strip())
    layer_maps_section(run, stored)
    measure_more(run, stored)
    with st.expander("Table"):
        percent = st.column_config.NumberColumn(format="%.1f")
        table = layers_table(values)
        st.dataframe(table, hide_index=True, column_config=dict.fromkeys(table.column_names[1:], percent))
        csv_download(lambda: layers_rows(stored), f"layers-{run.id}.csv", "Download as CSV", key="layers.csv")


HEIGHT = 430
MAPS = "t-SNE of up to 1,500 labeled texts, each layer starting from the one above."


def layer_maps_section(run: RunFolder, stored: LayerCurves) -> None:
    """Both maps, or why there are none; corners show values by the shown distance, as the curves above do."""
    drawn, corpus = read_layer_maps(run), corpus_of(run)
    if stored.no_maps:
        st.caption(escaped(stored.no_maps, 300))
    elif drawn is None:
        request = MeasureLayers(run=run.id, maps=True, settings=stored.settings.model_dump())
        job_panel(request, start="Draw a map of every layer", key="layers.draw", primary=False, help=MAPS)
    if drawn is None or corpus is None:
        return
    distance = shown_distance()
    values = stored.knn(distance)
    st.subheader("What each layer sees", anchor=False)
    names, by = (word_of_before(run).capitalize(), "Fine-tuned"), by_distance(distance)
    for column, state, name in zip(pair("layer-maps"), ("before", "after"), names, strict=True):
        frames = getattr(drawn, state)
        corners = {
            each.layer: f"kNN accuracy {percent(measured.value)} {by}"
            for each in values
            if each.pooling == drawn.pooling and (measured := getattr(each, state)) is not None
        }
        with column:
            class_map(
                corpus, drawn.rows, frames[-1], key=f"layers-{state}-{run.id}", group=f"layers-{run.id}",
                frames=[(f"layer {layer}", places) for layer, places in enumerate(frames)],
                headings=[(f"{name}, layer {layer}", corners.get(layer, "")) for layer in range(len(frames))],
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


KNN, LINEAR = "kNN", "Linear probe"


def measure_more(run: RunFolder, stored: LayerCurves) -> None:
    """Draws the form that measures more of the layers; earlier choices stay."""
    settings = stored.settings
    with st.expander("Measure more of the layers"):
        token = st.number_input(
            "Also a token's vector", 1, 511, settings.token, key="layers.token", placeholder="no token",
            help="Counted from 0, which is [CLS]; 7 in the paper. For a shorter text, its last token.",
        )  # fmt: skip
        linear = st.toggle(
            "A linear probe after every layer", settings.linear, key="layers.linear",
            help="How often a linear classifier is right on the test texts. It takes a few minutes.",
        )  # fmt: skip
        maps = False
        if read_layer_maps(run) is not None:  # else they have a button of their own
            maps = st.toggle("Draw the maps of every layer again", True, key="layers.maps", help=MAPS)
        request = MeasureLayers(run=run.id, maps=maps, settings={"linear": linear, "token": token})
        job_panel(request, start="Measure again", key="layers.again", primary=False)
        go_button("Accuracy by frozen layers, as a study", "sweep", name="layers.frozen",
                  help="Crops paper, Figure 5a: how many layers have to be trained at all.")  # fmt: skip


def layer_numbers(stored: LayerCurves, distance: Distance) -> None:
    """The last layer before and after by the encoder's pooling, the best layer after, and the number of texts."""
    values, pooling, by = stored.knn(distance), stored.own_pooling, by_distance(distance)
    last = max((each for each in values if each.pooling == pooling), key=lambda each: each.layer)
    best = best_of(values, lambda each: each.after.value if each.after else 0.0, own_pooling=pooling)
    assert last.before is not None and last.after is not None and best.after is not None, "a run has both encoders"
    named = pooling_name(pooling)
    where = f"kNN accuracy {by} of the vector after layer {last.layer} by {named} pooling, the encoder's own."
    row, sample = number_row(), sample_in_words(stored)
    row.metric(f"Last layer, before{sample}", percent(last.before.value), help=where)
    change = last.after.value - last.before.value
    after = accuracy(last.after.value, last.after.error)
    row.metric(f"after{sample}", after, change or None, help=f"kNN accuracy {by}, ± one standard error.")
    label = f"Best after: {pooling_name(best.pooling)}, layer {best.layer}"
    row.metric(escaped(label), accuracy(best.after.value, best.after.error), help=f"kNN accuracy {by}.")
    row.metric("Tested texts", count(stored.test_texts), help=measured_on(stored, distance))
