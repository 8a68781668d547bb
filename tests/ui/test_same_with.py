"""One button repeats a run with dropout pairs or with elongation; Runs shows two of them at a glance."""

import shutil

import pytest
from doing import asked_of, queued
from drawn_maps import write_maps
from filelock import FileLock
from seen import drawn, words

from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.drawing import AlignMaps, DrawMaps
from embedlab.jobs.requests.measuring import MeasureInside, MeasureLayers
from embedlab.runs.example import MINI, example_run
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, list_runs, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.ui.components.same_with import _start, same_settings

SHORT = {"sentences": 1, "min_characters": 20, "max_characters": 400}
OF_DEMO = {"batch_size": 16, "learning_rate": 5e-4, "max_length": 64, "augmentation": SHORT, "epochs": 1}


@pytest.fixture(autouse=True)
def no_process(monkeypatch):
    """What is started has its folder and no process."""
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)


def test_the_same_settings_but_for_the_recipe_and_what_only_the_other_augmentation_has(made_run):
    run = made_run("mini", **OF_DEMO)
    dropout = same_settings(run, "dropout")
    assert (dropout.recipe, dropout.encoder, dropout.batch_size, dropout.max_length) == ("dropout", "mini", 16, 64)
    assert {name: dropout.augmentation[name] for name in SHORT} == SHORT
    elongation = same_settings(run, "elongation-self")
    assert elongation.recipe == "elongation-self" and not SHORT.keys() & elongation.augmentation.keys()
    assert elongation.learning_rate == 5e-4 and elongation.corpus == dropout.corpus


def test_the_button_starts_the_second_run_and_opens_both(open_page, made_run):
    run = made_run("mini", **OF_DEMO)
    at = open_page("home", run=run.id)
    at.button(key=f"same.dropout-{run.id}").click().run()
    assert not at.exception
    (second,) = (each for each in list_runs() if each.id != run.id)
    assert asked_of(second) == same_settings(run, "dropout")
    assert at.session_state["compare.runs"] == [run.id, second.id]


@pytest.mark.parametrize(("encoder", "settings"), [("token", {}), ("mini", {"recipe": "tsdae"})])
def test_where_the_comparison_means_nothing_it_is_not_offered(open_page, made_run, encoder, settings):
    run = made_run(encoder, **settings)
    at = open_page("home", run=run.id)
    assert not at.exception and f"same.dropout-{run.id}" not in {each.key for each in at.button}


def test_two_runs_at_a_glance_have_one_picture_of_curves_and_one_of_layers(open_page, made_run):
    first, second = made_run("mini", name="first"), made_run("mini", name="second", recipe="dropout", after=0.5)
    for run in (first, second):
        run.layers.parent.mkdir()
        run.layers.write_bytes(example_run(MINI).layers.read_bytes())
    at = open_page("runs", view="At a glance", runs=f"{first.id},{second.id}")
    assert not at.exception
    pictures = drawn(at)
    assert len(pictures) == 2 and "Settings that differ" in words(at)


@pytest.mark.parametrize("state", ["failed", "queued"])
def test_a_run_without_a_result_leaves_the_other_whole(open_page, made_run, state):
    first, second = made_run("mini", name="first"), made_run("mini", name="second", state=state)
    at = open_page("runs", view="At a glance", runs=f"{first.id},{second.id}")
    assert not at.exception and drawn(at)
    assert ("second has no result" in words(at)) == (state == "failed")


def test_settings_that_the_other_recipe_refuses_are_said(made_run):
    run = made_run("mini", **OF_DEMO)
    with pytest.raises(EmbedlabError):
        same_settings(run, "no-such-recipe")


def test_maps_are_aligned_once_the_run_has_drawn_its_own(open_page, made_run, toy_corpus):
    """Its own map begins where the map of the same untouched encoder is, so that nothing is left to align."""
    first, second = made_run("mini", name="first"), made_run("mini", name="second", recipe="dropout")
    write_maps(first, toy_corpus)
    job = create_run(DrawMaps.task, DrawMaps(run=second.id).stored)
    write_state(job, State.RUNNING)
    address = {"view": "At a glance", "runs": f"{first.id},{second.id}"}
    with FileLock(job.lock):
        at = open_page("runs", **address)
        assert not at.exception and "Maps that follow when a run has ended: second." in words(at)
        assert newest_job(AlignMaps.task) is None
    write_state(job, State.FINISHED)
    assert not open_page("runs", **address).exception and newest_job(AlignMaps.task) is not None


def test_the_button_on_length_opens_the_second_run_with_the_first_beside_it(open_page, made_run):
    other, run = made_run("mini", recipe="dropout"), made_run("mini", **OF_DEMO)
    for each in (other, run):
        shutil.copytree(example_run(MINI).length.parent, each.length.parent)
    at = open_page("length", run=run.id)
    assert at.multiselect(key="length.beside").value == []
    at.button(key=f"same.elongation-{run.id}").click().run()
    assert not at.exception
    (second,) = (each for each in list_runs() if each.id not in (other.id, run.id))
    assert asked_of(second) == same_settings(run, "elongation-self")
    assert at.session_state["run"] == second.id
    at.run().run()  # while the second run is at work, there is nothing to compare
    write_json(second.result, read_json(run.result))
    shutil.copytree(run.length.parent, second.length.parent)
    write_state(second, State.FINISHED)
    assert at.run().multiselect(key="length.beside").value == [run.id] and not at.exception


def test_layers_that_were_not_measured_have_a_reason_and_a_button(open_page, made_run):
    first, second = made_run("mini", name="first"), made_run("mini", name="second", recipe="dropout")
    first.layers.parent.mkdir()
    first.layers.write_bytes(example_run(MINI).layers.read_bytes())
    job = create_run(MeasureInside.task, MeasureInside(run=second.id).stored)
    write_json(job.result, {"no_layers": "It would take about 4 min here."})
    write_state(job, State.FINISHED)
    at = open_page("runs", view="At a glance", runs=f"{first.id},{second.id}")
    assert not at.exception and "It would take about 4 min here." in words(at)
    keys = {each.key for each in at.button}
    assert f"glance.measure-{second.id}" in keys and f"glance.measure-{first.id}" not in keys
    at.button(key=f"glance.measure-{second.id}").click().run()
    assert read_request(newest_job(MeasureLayers.task, run=second.id), MeasureLayers) == MeasureLayers(run=second.id)


def test_a_run_that_repeats_another_has_its_name_and_what_is_different(open_page, made_run):
    run = made_run("mini", name="lecture, dropout pairs", recipe="dropout")
    second = _start(run, "elongation-self")
    assert stored_request(second).name == "lecture, elongation"
    assert stored_request(_start(made_run("mini", **OF_DEMO), "dropout")).name == "mini (packaged), dropout pairs"


def test_runs_of_which_none_has_a_result_have_no_empty_headings(open_page, made_run):
    first, second = made_run("mini", name="first", state="failed"), made_run("mini", name="second", state="failed")
    at = open_page("runs", view="At a glance", runs=f"{first.id},{second.id}")
    assert not at.exception and "first has no result" in words(at)
    assert not {"Maps", "Layers"} & {each.value for each in at.subheader}
