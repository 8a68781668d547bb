"""Home: the demo's one button, then the picked run in whatever state."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import leave_point, leave_state
from doing import asked_of, queued
from drawn_maps import write_maps
from filelock import FileLock
from seen import drawn, maps

from embedlab.corpora.base import Draft, store_corpus
from embedlab.encoder_catalog.catalog import CatalogEncoder
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.runs.lease import Job, write_job
from embedlab.runs.state import State
from embedlab.runs.store import create_run, list_runs, stored_request
from embedlab.store_root import write_json
from embedlab.training.demo import DEMO
from embedlab.training.settings import RunSettings


@pytest.fixture
def home(open_page, monkeypatch):
    """Home where MiniLM is installed; starting a run creates its folder and no process."""

    def opened(page="home", **address):
        monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
        monkeypatch.setattr(CatalogEncoder, "is_here", True)
        return open_page(page, **address)

    return opened


def test_an_empty_store_offers_the_demo_with_its_time(home):
    at = home()
    assert not at.exception
    assert at.button(key="home.demo").label.startswith("Train it yourself (about ")
    assert not at.button(key="home.demo").disabled


def test_one_click_starts_the_demo_on_the_built_in_corpus_and_shows_it(home):
    at = home()
    at.button(key="home.demo").click().run()
    assert not at.exception
    (run,) = list_runs()
    assert asked_of(run) == RunSettings(**DEMO)
    assert any("Stop and keep the best" in button.label for button in at.button)
    assert at.query_params["run"] == run.id


def test_a_second_tab_does_not_start_a_second_demo(home):
    first, second = home(), home()
    first.button(key="home.demo").click().run()
    second.button(key="home.demo").click().run()
    assert not second.exception
    assert len(list_runs()) == 1


def test_a_finished_run_opens_with_its_sentence_and_numbers(home, made_run):
    made_run("token", after=0.6)
    at = home()
    assert not at.exception
    assert at.subheader[1].value.startswith("Neighbors now predict the right label for 7 of the 12 tested texts")
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown["kNN accuracy (cosine), before"] == "41.0 % ± 14.2"  # √(.41 · .59 / 12), the error of before
    assert shown["after"] == "61.0 % ± 14.1"
    assert {metric.label: metric.delta for metric in at.metric}["after"] == "+20.0 points"
    assert shown["TF-IDF"] == "70.0 %"
    beside = {metric.label: metric.help.replace("\\", "") for metric in at.metric if metric.help}
    assert "The other distance: 40.0 % ± 14.1 (Euclidean distance)" in beside["kNN accuracy (cosine), before"]
    assert "The other distance: 60.0 % ± 14.1 (Euclidean distance)" in beside["after"]


def test_the_address_chooses_the_distance_and_the_switch_changes_the_address(home, made_run):
    made_run("token")
    at = home(distance="euclidean")
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown["kNN accuracy (Euclidean distance), before"].startswith("40.0 %") and "60.0 %" in shown["after"]
    assert "60.0 %" in facts_line(at)
    at.segmented_control(key="distance").set_value("cosine").run()
    assert {metric.label: metric.value for metric in at.metric}["after"].startswith("61.0 %")
    assert "distance" not in at.query_params and "61.0 %" in facts_line(at)
    at.segmented_control(key="distance").set_value("euclidean").run()
    assert at.query_params["distance"] in ("euclidean", ["euclidean"])


def facts_line(at) -> str:
    """What stands under the name of the run that is shown."""
    return next(each.value for each in at.caption if "· kNN accuracy" in each.value).replace("\\", "")


def test_after_stop_the_best_encoder_is_what_is_shown(home, made_run):
    stopped, other = made_run("token", state="stopped", after=0.6), made_run("token", name="other")
    write_map(stopped)
    at = home(run=stopped.id)
    assert {metric.label: metric.value for metric in at.metric}["after"] == "56.0 % ± 14.3"
    assert "56.0 %" in facts_line(at)
    (small,) = maps(home(run=other.id))
    assert "kNN 56.0 % \\\\u00b1 14.3 (cosine)" in small


def write_map(run) -> None:
    """A t-SNE map after, as the gallery looks for it."""
    x, y = np.random.default_rng(0).standard_normal((2, 120)).astype(np.float32)
    run.map("after", "tsne").parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": np.arange(120), "x": x, "y": y}), run.map("after", "tsne"))
    write_json(run.map_facts("after", "tsne"), {"method": "tsne", "seed": 42})


def test_a_failed_run_says_its_sentence_and_the_demo_is_still_offered(home, made_run):
    made_run("token", state="failed")
    at = home()
    assert not at.exception
    assert "Lower the learning rate" in at.error[0].value.replace("\\", "")
    assert at.button(key="home.demo").label.startswith("Train the demo")


def test_of_a_run_that_failed_without_a_loss_none_is_drawn(home, made_run):
    run = made_run("token", state="failed")
    leave_point(run, 0, 0.4, 0.41, full=True, texts=0, seconds=0.0, test_texts=12)
    (curve,) = drawn(home())
    assert "kNN accuracy" in curve["layout"]["title"]["text"]


@pytest.mark.parametrize("state", [State.INTERRUPTED, State.STOPPED])
def test_a_run_that_ended_before_its_result_can_be_resumed(home, made_run, state):
    run = made_run("token", state="failed")
    leave_state(run, str(state))
    at = home()
    assert not at.exception
    assert at.button(key=f"resume-{run.id}").label == "Resume"


def test_a_run_that_a_cluster_did_not_begin_starts_on_this_computer_by_one_click(home, made_run, monkeypatch):
    run = made_run("token", state="failed")
    write_job(run, Job(executor="ray", token="a1b2", id="run-a1b2"))
    started = []
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: started.append((folder.id, on)) or folder)
    at = home()
    assert "It was submitted to ray, job run\\-a1b2\\." in [caption.value for caption in at.caption]
    at.button(key=f"here-{run.id}").click().run()
    assert not at.exception and started == [(run.id, "local")]


def test_the_foot_says_where_new_runs_go_only_if_it_is_not_here(home, made_run, monkeypatch):
    made_run("token")
    assert not [each for each in home().sidebar.caption if "Runs go to" in each.value]
    monkeypatch.setenv("EMBEDLAB_EXECUTOR", "slurm")
    assert [each.value for each in home().sidebar.caption if "Runs go to" in each.value] == [
        "Runs go to: Slurm cluster"
    ]


def test_the_second_built_in_run_is_offered_once(home, made_run):
    made_run("token")
    assert home().button(key="home.second").label == "Train MiniLM \\(packaged\\) on the same texts"
    made_run("minilm")
    at = home()
    assert not at.exception
    assert not [button for button in at.button if button.key == "home.second"]


def test_the_same_texts_are_those_of_the_picked_run(home, made_run, toy_corpus):
    """Also where another corpus has such a run already."""
    texts = ["Another corpus of two texts.", "Both are short."]
    other = store_corpus(Draft(name="other", source="toy", texts=texts, labels=["a", "b"]))
    made_run("minilm", corpus=other.fingerprint)
    picked = made_run("token")
    at = home(run=picked.id)
    at.button(key="home.second").click().run()
    assert not at.exception
    asked = stored_request(list_runs()[0]).settings
    assert (asked["encoder"], asked["corpus"]) == ("minilm", toy_corpus.fingerprint)


def test_unreadable_settings_do_not_bring_the_page_down(home, made_run):
    made_run("token").settings.write_text("{", encoding="utf-8")
    at = home()
    assert not at.exception


def test_a_damaged_newest_run_does_not_hide_the_one_before_it(home, made_run):
    readable = made_run("token")
    made_run("token", seed=1).settings.write_text("[]", encoding="utf-8")
    at = home()
    assert not at.exception and at.session_state["run"] == readable.id
    assert any("cannot be read" in warning.value for warning in at.warning)


def test_while_ten_folds_are_predicted_the_page_follows_the_run_and_its_maps_come_by_themselves(home, made_run):
    run, other = made_run("token"), made_run("token", maps=False)
    for each in (run, other):
        leave_state(each, "running", started="2026-01-01T00:00:00.000+00:00")  # before its result was written
    with FileLock(run.lock), FileLock(other.lock):
        for page in ("home", "result"):
            at = home(run=run.id) if page == "home" else home(page=page, run=run.id)
            keys = {button.key for button in at.button}
            assert not at.exception and f"stop-{run.id}" in keys and f"draw-{run.id}" not in keys
        keys = {button.key for button in home(run=other.id).button}
        assert f"draw-{other.id}" in keys, "its settings draw none"


def test_maps_are_shown_as_soon_as_they_are_drawn(home, made_run, toy_corpus, monkeypatch):
    """Their job measures more afterwards, which takes as long again."""
    watched = []
    monkeypatch.setattr(
        "embedlab.ui.components.run_maps.rerun_when", lambda is_so, *, key, **_: watched.append((key, is_so))
    )
    run = made_run("token")
    job = create_run(DrawMaps.task, DrawMaps(run=run.id).stored)
    leave_state(job, "running")
    with FileLock(job.lock):
        assert not home(run=run.id).exception
        (appeared,) = (is_so for key, is_so in watched if key == f"watch-tsne-{run.id}")
        assert not appeared()
        write_maps(run, toy_corpus)
        assert appeared()


def test_an_encoder_with_layers_is_not_offered_where_one_was_trained(home, made_run):
    run = made_run("token")
    assert home(run=run.id).button(key="home.second")
    made_run("mini")
    assert "home.second" not in {button.key for button in home(run=run.id).button}
