"""A run at work: kNN accuracy with its error between the reference lines, loss, speed, time left, Stop."""

import os
from collections.abc import Callable

import streamlit as st

from embedlab.distance import other_distance
from embedlab.errors import EmbedlabError
from embedlab.figures.curves import X_NAMES, CurveView, diagnostic_curve, knn_curve, loss_curve, resources_curve
from embedlab.jobs.eta import eta_of
from embedlab.jobs.executors import LOCAL
from embedlab.jobs.progress import TUNING, read_progress
from embedlab.jobs.runner import enforce_stop, resume, stopping_line
from embedlab.jobs.sampling import resources_of
from embedlab.jobs.why_ended import last_error, likely_out_of_memory
from embedlab.numbers import accuracy, count, duration
from embedlab.runs.curve import LIVE_DIAGNOSTICS, RunCurve, curve_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import place_line
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import is_measured, read_rows, settings_of
from embedlab.training.titles import run_title
from embedlab.ui.components.knn_numbers import phases_view
from embedlab.ui.components.run_maps import live_map
from embedlab.ui.components.train_fields import edit_and_rerun
from embedlab.ui.frame.layout import chart, escaped, fragment, number_row, pair, smoothing_choice
from embedlab.ui.frame.progress import POLL_SECONDS, asking_button, progress_bar, show_outcome, watch_for_resume
from embedlab.ui.frame.state import by_distance, is_dark, named, one_of, pick_run, shown_distance

SMOOTH = "curves.smoothing"


def live_view(run: RunFolder) -> None:
    """Draws a run until it is measured, refreshed every second; then the page reruns once."""
    fragment(_live, run_every=POLL_SECONDS, key=f"live-{run.id}")(run)


def _live(run: RunFolder) -> None:
    facts = read_state(run)
    if facts.is_over or is_measured(run):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        progress_bar(run, facts)
        stopping, at_once = run.stop.exists(), run.stop_now.exists()
        if stopping:
            enforce_stop(run)
        label = "Stopping" if at_once else "Skip measuring" if stopping else "Stop and keep the best"
        explained = (
            "Ends after the current step. The best encoder so far on the development texts is kept and measured."
        )
        asking_button(label, run, key=f"stop-{run.id}-{label}", disabled=at_once, help=explained)
    if stopping and (line := stopping_line(run)) is not None:
        st.caption(line)
    _numbers(run)
    rows = [row for row in read_rows(run.metrics) if not row.get("full")]
    for notice in rows[-1].get("notices", ()) if rows else ():  # the watchdog's, at the newest live point
        st.warning(escaped(notice["message"], 600))
    curves(run, companion=live_map if settings_of(run).get("live_map", True) else None)


def _numbers(run: RunFolder) -> None:
    curve, terms = curve_of(run, shown_distance()), read_rows(run.terms)
    progress = read_progress(run)
    row, last = number_row(), terms[-1] if terms else {}
    value, change = _knn_now(curve)
    meaning = "Share of test texts whose ten nearest train texts vote for their label; ± one standard error."
    other = curve_of(run, other_distance(curve.distance))
    explained = f"{meaning} It is {_knn_now(other)[0]} {by_distance(other.distance)}. {curve.where}"
    tested = f", {count(curve.line[-1].test_texts)} test texts" if curve.line else ""
    row.metric(f"kNN accuracy {by_distance(curve.distance)}{tested}", value, change, help=escaped(explained, 600))
    step = "–" if last.get("step") is None else count(last["step"])
    if progress is not None and progress.stage == TUNING and progress.total:
        step = f"{count(progress.done)} of {count(progress.total)}"
    row.metric("Step", step)
    row.metric("Loss", f"{last['loss']:.2f}" if last.get("loss") is not None else "–")
    row.metric("Texts per second", count(round(last["texts_per_second"])) if last else "–")
    eta = eta_of(run)
    left = eta.verdict if eta is not None else None
    explained = "Until the verdict, estimated from earlier runs on this computer; maps are ready some time later."
    row.metric("Verdict in", "–" if left is None else f"{duration(left)}" if left else "there", help=explained)


def _knn_now(curve: RunCurve) -> tuple[str, float | None]:
    """The latest value with its error, and its change since the first one."""
    if not curve.line:
        return "–", None
    first, now = curve.line[0], curve.line[-1]
    return accuracy(now.knn, now.error), now.knn - first.knn if first is not now else None


def curves(run: RunFolder, *, companion: Callable[[RunFolder], None] | None = None) -> None:
    """kNN accuracy, large, with ``companion`` beside it; the loss, small, below: over steps, texts or seconds."""
    curve, terms = curve_of(run, shown_distance()), read_rows(run.terms)
    x = st.session_state.get(f"x-{run.id}") or "step"
    shared: CurveView = {
        "smoothing": st.session_state.get(SMOOTH) or 0.0,
        "x": x,
        "total": _planned_steps(run) if x == "step" else None,
        "identity": run.id,
        "dark": is_dark(),
    }
    is_over = read_state(run).is_over  # then nothing more will be drawn
    column, other = pair("live") if companion is not None else (st.container(), None)
    with column:
        if curve.line or curve.marks or not (terms or is_over):
            figure = knn_curve(
                curve.line,
                marks=curve.marks,
                references=curve.references,
                reference_marks=curve.reference_marks,
                counted=curve.counted,
                by=by_distance(curve.distance),
                kept_step=curve.kept,
                **shared,
            )
            chart(figure, key=f"knn-{run.id}")
            if curve.where:
                st.caption(escaped(curve.where, 500))
        elif not is_over:
            st.info("Without kNN accuracy, the loss shows whether training makes progress.")
    points = [row for row in read_rows(run.metrics) if not row.get("full")]
    if settings_of(run).get("judge") and any(row.get("development") is not None for row in points):
        chart(diagnostic_curve(points, "development", "Score on the evaluation set", **shared), key=f"judge-{run.id}")
    if settings_of(run).get("target"):
        phases_view([(run_title(run), run)], key=f"phases-{run.id}")
    if companion is not None and other is not None:
        with other:
            companion(run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one_of("Over", X_NAMES, key=f"x-{run.id}", first="step", is_labelled=False)
        with st.popover("Advanced", width="content"):
            smoothing_choice(SMOOTH)
            also = _diagnostic_picker(run)
        for line in filter(None, (read_state(run).device_line, place_line(run))):
            st.caption(escaped(line))
    if also is not None:
        chart(diagnostic_curve(points, also, LIVE_DIAGNOSTICS[also], **shared), key=f"also-{run.id}-{also}")
    if terms or not is_over:
        chart(loss_curve(terms, **shared), key=f"loss-{run.id}")
    _resources(run)


def _resources(run: RunFolder) -> None:
    """Memory and processor over the run's time, collapsed; nothing for a run without samples."""
    if not run.resources.exists():
        return
    box = st.expander("Memory and processor", key=f"resources-{run.id}", on_change="rerun")
    with box:
        resources = resources_of(run) if box.open else None
        if resources is not None:
            cores = os.cpu_count() if place_line(run) is None else None
            figure = resources_curve(
                seconds=resources.seconds, memory=resources.memory, gpu_memory=resources.gpu_memory, of_cores=cores,
                cores=resources.cores, stages=resources.stages, identity=run.id, dark=is_dark(),
            )  # fmt: skip
            chart(figure, key=f"resources-chart-{run.id}")
            st.caption("Of the run's own processes, while they worked. The dotted line is how many cores there are.")
        elif box.open:
            st.caption("Nothing is written down yet.")


def _planned_steps(run: RunFolder) -> int | None:
    progress = read_progress(run)
    return progress.total if progress is not None and progress.stage == TUNING else None


def _diagnostic_picker(run: RunFolder) -> str | None:
    """A diagnostic to draw beside kNN accuracy; none initially."""
    return st.selectbox(
        "Also draw a diagnostic",
        index=None,
        placeholder="Also draw a diagnostic",
        key=f"also-{run.id}",
        label_visibility="collapsed",
        width=230,
        **named(LIVE_DIAGNOSTICS),
    )


def ended_early(run: RunFolder) -> None:
    """A run without a result: how it ended, what is kept, and Resume."""
    facts, result = read_state(run), read_result(run)
    kept_step = result.kept if result is not None and result.is_unmeasured else None
    if facts.state is State.INTERRUPTED:
        has_checkpoint = run.checkpoints.is_dir() and any(run.checkpoints.iterdir())
        remains = "its newest checkpoint" if has_checkpoint else "the start, because no checkpoint was saved yet"
        why = likely_out_of_memory(run, facts) or last_error(run) or "The process ended early."
        st.warning(escaped(f"Interrupted. {why} Nothing else was lost. Resume continues from {remains}.", 1000))
    elif facts.state is not State.STOPPED:
        show_outcome(facts)
    elif kept_step is None:
        remains = "the encoder is kept" if run.encoder.is_dir() else "nothing was trained yet"
        st.info(
            f"Stopped on request, before it was measured; {remains}. "
            "Resume continues from the newest checkpoint, if any."
        )
    if kept_step is not None and result is not None:
        st.info(escaped(f"{kept_step.reason} {result.why_no_knn}", 1000))
        st.caption("The encoder is on Export. Resume continues from the newest checkpoint, if any.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Resume", key=f"resume-{run.id}", on_click=_resume, args=(run,))
        if (executor := place_line(run)) is not None:
            st.button("Start on this computer", key=f"here-{run.id}", on_click=_resume, args=(run, LOCAL.key))
            st.caption(escaped(f"It was submitted to {executor}."))
        edit_and_rerun(run, name="rerun-ended")
    watch_for_resume(run.id, lambda: read_state(run).is_over)
    if read_rows(run.metrics):
        curves(run)


def _resume(run: RunFolder, on: str | None = None) -> None:
    try:
        pick_run(resume(run, on))
    except EmbedlabError:
        return  # another tab was first: the page shows the run as it is now
