"""Chosen runs at a glance: their curves in one picture, their maps beside each other, accuracy by layer."""

import streamlit as st

from embedlab.figures.layers import layer_curves
from embedlab.metrics.layer_rows import LayerValue
from embedlab.runs.evaluations import read_layers
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import read_result
from embedlab.runs.state import read_state
from embedlab.ui.compare.curves_view import race_or_curves
from embedlab.ui.compare.gallery import gallery
from embedlab.ui.frame.layout import chart, escaped, rerun_when
from embedlab.ui.frame.state import by_distance, is_dark, shown_distance


def glance(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """Show what there is of these runs; what is still being computed follows by itself."""
    race_or_curves(chosen, names)
    measured = [run for run in chosen if read_result(run) is not None]
    st.subheader("Maps", anchor=False)
    if measured:
        gallery(measured, names, starts_itself=True)
    else:
        st.caption("The maps follow when a run has ended.")
    st.subheader("Layers", anchor=False)
    _layers(measured, names)
    unready = [run for run in chosen if not _is_whole(run)]
    if unready:
        rerun_when(lambda: any(_is_whole(run) for run in unready), every=3, key="glance.waits")


def _is_whole(run: RunFolder) -> bool:
    """Whether everything that is shown here of a run is there, or nothing more will come."""
    if not read_state(run).is_over:
        return False
    return read_result(run) is None or (run.map("after", "tsne").exists() and read_layers(run) is not None)


def _layers(runs: list[RunFolder], names: dict[str, str]) -> None:
    """Draw the accuracy of every layer of each run, as the run itself reads its texts."""
    curves = {run: _own_curve(run) for run in runs}
    curves = {run: curve for run, curve in curves.items() if curve}
    if not curves:
        st.caption("Accuracy by layer follows once it is measured: Run, Inside, Layers.")
        return
    first, *others = curves
    other_curves = {names[run.id]: curves[run] for run in others}
    measured = f"kNN accuracy {by_distance(shown_distance())}"
    figure = layer_curves(curves[first], other_runs=other_curves, measured=measured, dark=is_dark())
    chart(figure, key="glance.layers")
    begun = word_of_before(first)
    st.caption(escaped(f"Before and after: {begun} and {names[first.id]}; the others after training.", 300))


def _own_curve(run: RunFolder) -> list[LayerValue]:
    """Return the values of the pooling that the run itself uses."""
    layers, result = read_layers(run), read_result(run)
    if layers is None or result is None:
        return []
    values = layers.knn(shown_distance())
    by_its_pooling = [value for value in values if value.pooling == result.pooling]
    return by_its_pooling or [value for value in values if value.pooling == values[0].pooling]
