"""Layers and Length follow the measurement after a training, from the run's last seconds to the values, and say why."""

import pytest
from builders import layer_row, layers_of
from filelock import FileLock
from seen import words
from streamlit.testing.v1 import AppTest

from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.requests.measuring import MeasureInside
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.store_root import write_json
from embedlab.ui.components.inside_section import FOLLOWS

PAGES = [("layers", "layers.measure"), ("length", "length.measure")]


def keys(at) -> set[str]:
    return {button.key for button in at.button}


def inside_job(run, state: State, result: dict | None = None, **facts):
    """The job that follows this run."""
    job = create_run(MeasureInside.task, MeasureInside(run=run.id).stored)
    if result is not None:
        write_json(job.result, result)
    write_state(job, state, **facts)
    return job


@pytest.mark.parametrize(("page", "button"), PAGES)
def test_a_run_that_predicts_its_folds_says_what_follows_unless_it_was_not_asked_for(open_page, made_run, page, button):
    run, other = made_run("scratch:bert-tiny"), made_run("scratch:bert-tiny", inside=False)
    for each in (run, other):
        write_state(each, State.RUNNING)
    with FileLock(run.lock), FileLock(other.lock):
        at = open_page(page, run=run.id)
        assert not at.exception and FOLLOWS in words(at) and button not in keys(at)
        at = open_page(page, run=other.id)
        assert not at.exception and FOLLOWS not in words(at) and button in keys(at)


@pytest.mark.parametrize(("page", "button"), PAGES)
def test_the_progress_of_the_measurement_stands_there_also_after_a_reload(open_page, made_run, page, button):
    run = made_run("scratch:bert-tiny")
    job = inside_job(run, State.RUNNING)
    FolderProgress(job)("Embedding 40 texts", 10, 40)
    with FileLock(job.lock):
        for at in (open_page(page, run=run.id), open_page(page, run=run.id)):
            assert not at.exception and f"stop-{job.id}" in keys(at) and button not in keys(at)
            assert any("Embedding 40 texts" in bar.proto.text for bar in at.main.get("progress"))


def test_the_curves_are_shown_while_the_length_attack_is_still_measured(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    rows = [layer_row(layer, "mean", before=(0.3, 0.4), after=(0.4, 0.5)) for layer in range(2)]
    write_json(run.layers, layers_of(rows).model_dump(mode="json"))
    job = inside_job(run, State.RUNNING)
    with FileLock(job.lock):
        at = open_page("layers", run=run.id)
        assert not at.exception and "Last layer, before" in words(at) and f"stop-{job.id}" not in keys(at)
        assert "layers.draw" in keys(at), "a map of every layer takes longer and is drawn by a click"
        assert f"stop-{job.id}" in keys(open_page("length", run=run.id))


@pytest.mark.parametrize(("page", "button"), PAGES)
@pytest.mark.parametrize(
    ("state", "facts", "said"),
    [
        (State.FINISHED, {}, "It would take about 4 min here."),
        (State.STOPPED, {}, "Stopped on request."),
        (State.FAILED, {"error": {"code": "E-X", "message": "The disk is full."}}, "The disk is full."),
    ],
)
def test_what_was_not_measured_says_why_and_has_its_button(open_page, made_run, page, button, state, facts, said):
    run, reason = made_run("scratch:bert-tiny"), "It would take about 4 min here."
    inside_job(run, state, {"no_layers": reason, "no_length": reason}, **facts)
    at = open_page(page, run=run.id)
    assert not at.exception and said in words(at).replace("\\", "") and button in keys(at)


@pytest.mark.parametrize("state", ["failed", "interrupted"])
@pytest.mark.parametrize(("page", "button"), PAGES)
def test_a_run_without_a_result_promises_nothing(open_page, made_run, page, button, state):
    at = open_page(page, run=made_run("scratch:bert-tiny", state=state).id)
    assert not at.exception and FOLLOWS not in words(at) and button not in keys(at)


def test_the_page_is_drawn_again_as_soon_as_its_part_is_there(store, made_run):
    run = made_run("scratch:bert-tiny")
    job = inside_job(run, State.RUNNING)

    def page(path):
        from pathlib import Path

        import streamlit as st

        from embedlab.runs.folder import RunFolder
        from embedlab.ui.components.inside_section import is_awaited

        if st.session_state.get("is_there"):
            st.write("The values.")
        else:
            is_awaited(RunFolder(Path(path)), "layers", lambda: st.session_state.setdefault("is_there", True))

    with FileLock(job.lock):
        at = AppTest.from_function(page, args=(str(run.path),)).run()
    assert not at.exception and at.markdown[0].value == "The values."
