"""The chosen runs of Compare: the choice in the address, their curves, the linear probe of those that lack it."""

import streamlit as st

from embedlab.figures.compare import overlaid_curves
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import read_state
from embedlab.ui.chart import chart
from embedlab.ui.comparison import (
    MARK,
    corpora_of,
    corpus_key,
    curves_of,
    has_curve,
    mixes_training_texts,
    without_linear,
)
from embedlab.ui.progress import follow_job, job_for
from embedlab.ui.run_view import X_NAMES, references_of
from embedlab.ui.state import is_dark, picked_run, start_once
from embedlab.ui.text import escaped

MOST = 6  # curves that can still be told apart
KEY, IN_URL, IN_ADDRESS = "compare.runs", "compare.runs_in_url", "runs"
_LINEAR = ["linear"]
_MARKED = (
    f"{MARK} trained on the train split only. The others were trained on all texts, the test texts among them (without "
    "labels), which by itself gives about 2 points in the crops paper."
)


def choose_runs(runs: list[RunFolder], names: dict[str, str]) -> list[RunFolder]:
    """Up to six of these runs; their ids stand in the address, so that a comparison is a link."""
    known = {run.id: run for run in runs}
    asked = st.query_params.get(IN_ADDRESS)
    if asked is not None and asked != st.session_state.get(IN_URL):
        st.session_state[KEY] = [run_id for run_id in dict.fromkeys(asked.split(",")) if run_id in known][:MOST]
    elif KEY not in st.session_state:
        st.session_state[KEY] = _first_choice(runs)
    else:
        st.session_state[KEY] = [run_id for run_id in st.session_state[KEY] if run_id in known]  # one may be deleted
    chosen = st.multiselect(
        "Runs in the picture",
        list(known),
        key=KEY,
        max_selections=MOST,
        format_func=names.get,
        placeholder=f"Choose up to {MOST} runs",
        persist_state="session",
    )
    st.query_params[IN_ADDRESS] = st.session_state[IN_URL] = ",".join(chosen)
    return [known[run_id] for run_id in chosen]


def _first_choice(runs: list[RunFolder]) -> list[str]:
    """The picked run and the newest others on its corpus, four in all: so many carry their names in the picture."""
    picked = picked_run() or runs[0]
    same = [run.id for run in runs if corpus_key(run) == corpus_key(picked) and has_curve(run)]
    return [picked.id, *(run_id for run_id in same if run_id != picked.id)][:4]


def cautions(chosen: list[RunFolder]) -> None:
    """What must not be compared, and what is only comparable with care."""
    corpora = corpora_of([run for run in chosen if has_curve(run)])
    if len(corpora) > 1:
        named = ", ".join(corpora.values())
        st.warning(escaped(f"These runs are on different corpora ({named}): their accuracies cannot be compared.", 400))
    if mixes_training_texts(chosen):
        st.caption(_MARKED)


def curves(chosen: list[RunFolder], names: dict[str, str], x: str) -> None:
    """The picture; it grows while one of the runs is at work."""
    if any(not read_state(run)["state"].is_over for run in chosen):
        st.fragment(_growing, run_every=2, key="compare.growing")(chosen, names, x)
    else:
        _draw(chosen, names, x)


def _growing(chosen: list[RunFolder], names: dict[str, str], x: str) -> None:
    if all(read_state(run)["state"].is_over for run in chosen):
        st.rerun()
    _draw(chosen, names, x)


def _draw(chosen: list[RunFolder], names: dict[str, str], x: str) -> None:
    lines = references_of(chosen[0]) if len(corpora_of(chosen)) == 1 else {}
    identity = ",".join(run.id for run in chosen)
    figure = overlaid_curves(curves_of(chosen, names), x=x, references=lines, identity=identity, dark=is_dark())
    chart(figure, key="compare.curves")


def x_switch() -> str:
    """What the curves run over."""
    return st.segmented_control("Over", list(X_NAMES), format_func=X_NAMES.get, default="step", required=True,
                                key="compare.x", persist_state="session")  # fmt: skip


def linear_progress(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """Where the linear probes stand that are being measured, or what they failed of."""
    for run in without_linear(chosen):
        job = _linear_job(run)
        if job is not None:
            line = escaped(f"Linear probe of {names[run.id]}")
            st.caption(line)
            follow_job(job)


def linear_button(chosen: list[RunFolder]) -> None:
    """Measures the linear probe of the chosen runs that lack it."""
    waiting = [
        run for run in without_linear(chosen) if (job := _linear_job(run)) is None or read_state(job)["state"].is_over
    ]
    if waiting:
        label = "Measure the linear probe" + (f" of {len(waiting)} runs" if len(waiting) > 1 else "")
        explained = (
            "Of the runs in the picture, before and after. It takes minutes on a large corpus, beside other work."
        )
        st.button(label, key="compare.linear", on_click=_measure, args=(waiting,), help=explained)


def _linear_job(run: RunFolder) -> RunFolder | None:
    return job_for("evaluate", run=run.id, metrics=_LINEAR)


def _measure(runs: list[RunFolder]) -> None:
    for run in runs:
        start_once("evaluate", {"run": run.id, "metrics": _LINEAR})
