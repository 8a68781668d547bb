"""Chosen runs at a glance: their curves in one picture, their maps beside each other, accuracy by layer."""

import streamlit as st

from embedlab.figures.layers import layer_curves
from embedlab.jobs.requests.measuring import MeasureLayers
from embedlab.measurement import LayerValue
from embedlab.runs.evaluations import read_layers
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import settings_of
from embedlab.ui.compare.curves_view import race_or_curves
from embedlab.ui.compare.gallery import gallery
from embedlab.ui.components.inside_pictures import own_layers
from embedlab.ui.components.inside_section import is_awaited
from embedlab.ui.components.other_runs import is_token
from embedlab.ui.components.run_maps import is_drawing
from embedlab.ui.frame.layout import chart, escaped, rerun_when
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import by_distance, is_dark, shown_distance


def glance(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """Show what there is of these runs; what is still being computed follows by itself."""
    race_or_curves(chosen, names)
    measured = [run for run in chosen if read_result(run) is not None]
    awaited = [run for run in chosen if _awaits_map(run)]
    drawn = [run for run in measured if run not in awaited]
    if not measured and not awaited:
        return  # each of them has a line above that says why
    st.subheader("Maps", anchor=False)
    if drawn:
        gallery(drawn, names, starts_itself=True)
    if awaited:
        titles = ", ".join(names[run.id] for run in awaited)
        st.caption(escaped(f"Maps that follow when a run has ended: {titles}.", 400))
    if measured:
        st.subheader("Layers", anchor=False)
        _layers(measured, names)
    seen = [_standing(run) for run in chosen]
    if awaited:
        rerun_when(lambda: [_standing(run) for run in chosen] != seen, every=3, key="glance.waits")


def _awaits_map(run: RunFolder) -> bool:
    """Whether a run will have its own map without a click; until then none is drawn in the frame of another run."""
    if not settings_of(run).get("maps", True) or run.map("after", "tsne").exists():
        return False
    return not read_state(run).is_over or is_drawing(run, "tsne")


def _standing(run: RunFolder) -> tuple:
    """Return what the page draws again for when it changes."""
    return read_state(run).state, read_result(run) is not None, _awaits_map(run)


def _layers(runs: list[RunFolder], names: dict[str, str]) -> None:
    """Draw the accuracy of every layer of each run, as the run itself reads its texts."""
    curves = {run: own_layers(run) for run in runs}
    curves = {run: curve for run, curve in curves.items() if curve}
    if curves:
        _draw_layers(curves, names)
    for run in runs:
        if run not in curves:
            _offer_layers(run, names[run.id])


def _draw_layers(curves: dict[RunFolder, list[LayerValue]], names: dict[str, str]) -> None:
    """Draw the layers of the first run before and after, and those of the others after training."""
    first, *others = curves
    other_curves = {names[run.id]: curves[run] for run in others}
    measured = f"kNN accuracy {by_distance(shown_distance())}"
    figure = layer_curves(curves[first], other_runs=other_curves, measured=measured, dark=is_dark())
    chart(figure, key="glance.layers")
    line = f"Before and after: {word_of_before(first)} and {names[first.id]}"
    st.caption(escaped(f"{line}; the others after training." if others else f"{line}.", 300))


def _offer_layers(run: RunFolder, name: str) -> None:
    """Show why a run has no accuracy by layer: it is being measured, it cannot be, or a button starts it."""
    result = read_result(run)
    if result is None or result.knn is None:
        st.caption(escaped(f"{name}: accuracy by layer needs kNN accuracy, which was not measured.", 300))
        return
    if is_token(run):
        st.caption(escaped(f"{name}: its encoder has one layer, so there is no curve.", 300))
        return
    with st.container(border=True):
        st.markdown(f"**{escaped(name)}**")
        if not is_awaited(run, "layers", lambda: read_layers(run) is not None):
            job_panel(
                MeasureLayers(run=run.id), start="Measure every layer", key=f"glance.measure-{run.id}", primary=False
            )
