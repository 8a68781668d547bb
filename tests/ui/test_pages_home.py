"""Home: the demo's one button, then the picked run in whatever state."""

import pytest

from embedlab.runs.state import State
from embedlab.runs.store import create_run, list_runs, read_settings
from embedlab.store_root import write_json

DEMO_PARTS = {
    "device": {"name": "cpu", "line": "2 cores", "bf16": False},
    "demo": {"encoder": "token", "recipe": "crops", "epochs": 5},
    "encoders": [
        {"key": "scratch:bert-mini", "title": "BERT mini, random weights", "is_here": True},
        {"key": "minilm", "title": "MiniLM (packaged)", "is_here": True},
    ],
}


@pytest.fixture
def home(open_page, monkeypatch):
    """Home with the demo's settings known; starting a run creates its folder and no process."""

    def submitted(task, settings, *, name=""):
        return create_run(task, settings, name=name)

    def opened(**address):
        monkeypatch.setattr("embedlab.ui.state.read_parts", lambda: DEMO_PARTS)
        monkeypatch.setattr("embedlab.ui.state.submit", submitted)
        return open_page("home", **address)

    return opened


def test_an_empty_store_offers_the_demo_with_its_time(home):
    at = home()
    assert not at.exception
    assert at.button(key="home.demo").label.startswith("Train it (about ")
    assert not at.button(key="home.demo").disabled


def test_one_click_starts_the_demo_on_the_built_in_corpus_and_shows_it(home):
    at = home()
    at.button(key="home.demo").click().run()
    assert not at.exception
    (run,) = list_runs()
    assert read_settings(run)["settings"] == {"encoder": "token", "recipe": "crops", "epochs": 5, "corpus": "docs"}
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
    assert "kNN accuracy" in at.subheader[0].value
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown["kNN accuracy before"] == "40.0 %"
    assert shown["after"] == "60.0 % ± 10.0"
    assert shown["TF-IDF"] == "70.0 %"


def test_after_stop_the_best_encoder_is_what_is_shown(home, made_run):
    made_run("token", state="stopped", after=0.6)
    at = home()
    assert {metric.label: metric.value for metric in at.metric}["after"] == "55.0 % ± 10.0"


def test_a_failed_run_says_its_sentence_and_the_demo_is_still_offered(home, made_run):
    made_run("token", state="failed")
    at = home()
    assert not at.exception
    assert "Lower the learning rate" in at.error[0].value.replace("\\", "")
    assert at.button(key="home.demo").label.startswith("Train the demo")


@pytest.mark.parametrize("state", [State.INTERRUPTED, State.STOPPED])
def test_a_run_that_ended_before_its_result_can_be_resumed(home, made_run, state):
    run = made_run("token", state="failed")
    write_json(run.state, {"state": str(state), "since": "2026-01-01T00:00:00+00:00"})
    at = home()
    assert not at.exception
    assert at.button(key=f"resume-{run.id}").label == "Resume"


def test_the_second_built_in_run_is_offered_once(home, made_run):
    made_run("token")
    assert home().button(key="home.second").label == "Train MiniLM \\(packaged\\) on the same texts"
    made_run("minilm")
    at = home()
    assert not at.exception
    assert not [button for button in at.button if button.key == "home.second"]


def test_an_address_with_an_unknown_run_is_said_and_the_newest_is_shown(home, made_run):
    run = made_run("token")
    at = home(run="nosuchrun00000")
    assert not at.exception
    assert at.query_params["run"] == run.id
    assert any("not in this store" in caption.value for caption in at.caption)


def test_unreadable_settings_do_not_bring_the_page_down(home, made_run):
    made_run("token").settings.write_text("{", encoding="utf-8")
    at = home()
    assert not at.exception
