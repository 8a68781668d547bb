"""The studies among the runs: the chosen one with its growing curve, its sentence, table and actions."""

from dataclasses import replace

import pyarrow as pa
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from embedlab.distance import DISTANCES, Distance
from embedlab.figures.studies.curve import study_curve
from embedlab.figures.studies.drawn import DrawnStudy
from embedlab.figures.studies.files import study_svg
from embedlab.figures.studies.heat import heat_line, study_heat
from embedlab.finds.store import Find
from embedlab.jobs.campaigns import job_of, state_of
from embedlab.jobs.progress import read_progress
from embedlab.jobs.requests.working import RunStudy
from embedlab.measurement import PAPER_SPLIT, protocol_in_words
from embedlab.numbers import count, counted, duration, in_bytes
from embedlab.runs.state import State
from embedlab.runs.store import bytes_of, run_if_readable
from embedlab.studies import STUDIES
from embedlab.studies.drawing import MEAN_LINE, averaged, bars_of, offered, seen_by
from embedlab.studies.measures import ACCURACY, measure_of
from embedlab.studies.plan import corpus_names
from embedlab.studies.store import Study, delete_study, own_runs
from embedlab.studies.summary import (
    StudySummary,
    accuracy_span,
    column,
    csv_of,
    rows_of,
    span_explained,
    study_line,
    summary,
)
from embedlab.ui.components.knn_numbers import phases_view
from embedlab.ui.frame.files import download
from embedlab.ui.frame.layout import chart, errors_shown, escaped, fragment, number_row, show_table
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.page import delete_popover, empty_state
from embedlab.ui.frame.pickers import keep_choice, lasting_choice, stored_choice
from embedlab.ui.frame.progress import progress_bar, start_once, stop_button, watch_for_resume
from embedlab.ui.frame.state import is_dark, shown_distance, view_choice

SHOWN, PICKER, IN_URL = "studies.shown", "studies.picker", "study"
MOST = 50


def any_sweep_or_search() -> bool:
    """Whether there is a study or a Find."""
    return bool(Study.all() or Find.all())


def show_studies() -> None:
    """The chosen study; the choice is in the address."""
    ids = [study.id for study in Study.all()[:MOST]]
    if not ids:
        empty_state("A study trains with several values of one setting.", button="Plan a sweep", page="sweep")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles, names = {kind.key: kind.title for kind in STUDIES}, corpus_names()
        lines = {study_id: study_line(Study.open(study_id), titles, names) for study_id in ids}
        chosen = stored_choice("Shown", lines, key=PICKER, slot=SHOWN, address=IN_URL, width=460)
        go_button("New sweep", "sweep")
    with errors_shown():
        show_study(Study.open(chosen))


MEASURE, MEASURE_PICKER = "studies.measure", "studies.measure_picker"
POLL_SECONDS = 2.0
GAPS_SHOWN = 5


def show_study(study: Study) -> None:
    """The study: refreshed every two seconds while it works, then redrawn once more."""
    if not state_of(study).is_over:
        fragment(_live, run_every=POLL_SECONDS, key=f"study-{study.id}")(study)
        return
    result = summary(study)
    _outcome(result)
    seen = _picture(result)
    with st.container(horizontal=True):
        table = csv_of(result, shown_distance())
        download(
            "Download the table as CSV", table, f"study-{seen.id}.csv", key="studies.csv", help="For both distances."
        )
        download(
            "Download the figure as SVG",
            lambda: study_svg(seen),
            f"study-{seen.id}.svg",
            key="studies.svg",
            help=f"{seen.measure_title}, as shown.",
        )
        study_deletion(study)


def _live(study: Study) -> None:
    job = job_of(study)
    facts = state_of(study)
    if job is None or facts.is_over:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        progress_bar(job, facts)
        stop_button(job, "Stop the study")
    if read_progress(job) is None and facts.state is State.QUEUED:
        st.caption("Its worker is starting.")
    _picture(summary(study))


def _outcome(result: StudySummary) -> None:
    """Says how the study ended, with the button that continues if runs are missing."""
    study = result.study
    if result.state is State.FAILED:
        st.error(escaped(result.failure or "It failed without an error message.", 1000))
    missing = result.planned - result.finished
    if not missing:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Continue the study", key=f"go-on-{study.id}", type="primary", on_click=_go_on, args=(study.id,))
        how = {State.STOPPED: "Stopped on request.", State.INTERRUPTED: State.INTERRUPTED.sentence}
        line = f"{how.get(result.state, '')} {count(missing)} of {count(result.planned)} runs are missing."
        st.caption(f"{line.strip()} Those that finished are kept.")
    watch_for_resume(study.id, lambda: state_of(study).is_over)


def _go_on(study_id: str) -> None:
    start_once(RunStudy(study=Study.open(study_id).id))


def _picture(result: StudySummary) -> DrawnStudy:
    """Numbers, curve, sentence, table, gaps, both phases of a two-phase study; returns the study as drawn."""
    distance, by = shown_distance(), f"({DISTANCES[shown_distance()]})"
    measured = result.measured.by(distance)
    row = number_row()
    row.metric("Runs", f"{count(result.finished)} of {count(result.planned)}")
    if measured.done:
        row.metric(
            f"kNN accuracy {by}, {protocol_in_words(PAPER_SPLIT)}",
            accuracy_span(measured.done),
            help=span_explained(result, distance),
        )
    row.metric("Seeds", count(len(result.design.seeds)))
    if result.seconds_left is not None:
        row.metric("Time left", duration(result.seconds_left), help="Estimated from the study's own runs.")
    if measured.answer:
        st.markdown(escaped(measured.answer, 900))
    seen = _chosen(result, distance)
    draw = study_heat if seen.view == "heat" else study_curve
    chart(draw(seen, dark=is_dark()), key=f"study-curve-{seen.id}-{seen.view}")
    caption = measure_of(seen.measure).caption
    errors = result.errors if seen.measure == ACCURACY else f"{caption} {bars_of(seen)}"
    hint = "Steps and usable texts are shown on hover and below, the other distance on hover."
    if seen.view != "lines":
        errors, hint = MEAN_LINE if seen.view == "mean" else heat_line(seen), caption
    st.caption(escaped(" ".join([errors, hint, *result.design.notes]).strip(), 800))
    rows = rows_of(result, distance)
    table = pa.table({name: [each[name] for each in rows] for name in rows[0]})
    show_table(
        table, alt=f"The {len(rows)} points of the study, {by}.", formats=_columns(table, distance), placeholder="–"
    )
    points = result.measured.either.points
    gaps = [(point.name, seed) for point in points for seed in point.seeds if seed.is_gap]
    for name, seed in gaps[:GAPS_SHOWN]:  # failed or stopped
        st.caption(f"Gap at {escaped(name)}, seed {seed.seed}: {escaped(seed.reason or '', 400)}")
    if len(gaps) > GAPS_SHOWN:
        st.caption(f"and {len(gaps) - GAPS_SHOWN} more in the table")
    runs = [(point.name, run) for point in points for seed in point.seeds if (run := run_if_readable(seed.run))]
    if result.kind.first_phase == "corpus" and runs:
        phases_view(runs, key=f"study-phases-{result.study.id}")
    return seen


def _chosen(result: StudySummary, distance: Distance) -> DrawnStudy:
    """Draws the choice of the measure and of lines or heat map; returns the study as then drawn."""
    there, lacking = offered(result, distance)
    titles = {measure.key: measure.title.format(by=f"({DISTANCES[distance]})") for measure in there}
    chosen = st.session_state.setdefault(MEASURE, ACCURACY)
    seen = seen_by(result, distance, chosen if chosen in titles else ACCURACY)
    views = {"lines": "Lines"}
    if result.design.is_over_corpora:
        views["mean"] = "Mean over corpora"
    if seen.is_grid:
        views["heat"] = "Heat map"
    view = "lines"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(titles) > 1:
            lasting_choice(
                "On the y axis", titles, seen.measure, key=MEASURE_PICKER, on_change=keep_choice, width=330,
                args=(MEASURE_PICKER, MEASURE), help=" ".join(["What all finished runs of a point have.", *lacking]),
            )  # fmt: skip
        if len(views) > 1:
            view = view_choice(views, key="study_view")
    return averaged(seen) if view == "mean" else replace(seen, view=view)


def _columns(table: pa.Table, distance: Distance) -> dict[str, ColumnConfig]:
    """The first column of an accuracy names its distance; the others do in their tooltip, and in the file."""
    kinds = {
        "value": st.column_config.TextColumn(pinned=True),
        "series": st.column_config.TextColumn(pinned=True),
        "gaps": st.column_config.TextColumn(width="large"),
    }
    for name in table.column_names:
        if name not in kinds:
            digits = "localized" if name in ("steps", "usable texts", "seeds") else "%.3f" if "loss" in name else "%.1f"
            label = name if name == column("accuracy", distance) else name.replace(f", {DISTANCES[distance]}", "")
            kinds[name] = st.column_config.NumberColumn(label, format=digits, help=None if label == name else name)
    return kinds


def study_deletion(study: Study) -> None:
    """Delete the study and, if requested, its runs; refused while it works."""
    with_runs = f"studies.with-runs-{study.id}"

    def runs_too() -> None:
        if runs := own_runs(study):
            label = f"Its {counted(len(runs), 'run')} too: {in_bytes(sum(map(bytes_of, runs)))}"
            st.checkbox(label, key=with_runs, help="Otherwise they stay as ordinary runs. Runs of another study stay.")

    delete_popover(
        "Delete this study", "Delete this study, its curve and its table?",
        lambda: delete_study(study, with_runs=st.session_state.get(with_runs, False)),
        key=f"studies.delete-{study.id}", gone="This study was already deleted in another tab.", job=job_of(study),
        busy="" if state_of(study).is_over else "It is running. Stop it first.", options=runs_too,
    )  # fmt: skip
