"""A run belongs to its folder: reload, a second tab, a restart of the app and a killed worker change nothing of it."""

import os
import re
import signal

import pytest
from hostile_texts import written_corpus
from looking import idle, no_failure, until

from embedlab.corpora import load_corpus
from embedlab.jobs.runner import submit
from embedlab.runs.state import State, read_state
from embedlab.store_root import read_json
from embedlab.training.settings import RunSettings

pytestmark = pytest.mark.slow

LONG = {
    "encoder": "token",
    "batch_size": 16,
    "vocabulary_size": 300,
    "epochs": 1000,
    "evaluate_every": 20,
    "maps": False,
    "inside": False,
}


@pytest.fixture
def running(home, app, monkeypatch, tmp_path):
    """A run on the browser tests' store that would take minutes."""
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    corpus = load_corpus(str(written_corpus(tmp_path / "long.csv")))
    folder = submit(RunSettings(**{**LONG, "corpus": corpus.info.fingerprint}), name="long")
    yield folder
    facts = read_state(folder)
    if not facts.is_over:
        os.kill(facts.pid, signal.SIGKILL)


def live(page, app, folder) -> None:
    page.goto(f"{app.url}/train?run={folder.id}")
    page.get_by_role("button", name="Stop and keep the best").wait_for()


def points(page) -> int:
    """Points of the curve that is on screen."""
    page.locator(".chart").first.wait_for()
    return page.locator(".chart").first.evaluate("g => Math.max(0, ...(g._fullData ?? []).map(t => t.x.length))")


def dragged(page, chart) -> bool:
    """Draw a zoom box over the middle of the chart; False where it was drawn anew meanwhile."""
    if (box := chart.locator(".nsewdrag").first.bounding_box()) is None:
        return False
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.7 * box["height"], steps=8)
    page.mouse.up()
    return True


def test_reload_and_a_second_tab_show_the_running_run_and_stop_reaches_both(page, app, running, browser):
    live(page, app, running)
    until(page, lambda: points(page) > 3)
    page.reload()
    page.get_by_role("button", name="Stop and keep the best").wait_for()
    until(page, lambda: points(page) > 3)

    second = browser.new_context().new_page()
    live(second, app, running)
    until(second, lambda: points(second) > 3)
    no_failure(second)

    second.get_by_role("button", name="Stop and keep the best").click()
    for each in (page, second):
        each.get_by_text(re.compile("Helped|No clear change|Hurt|Too few test texts")).first.wait_for(timeout=120_000)
    assert read_state(running).state is State.STOPPED and read_json(running.result)["stopped"]
    second.context.close()


def test_zoom_survives_the_updates(page, app, running):
    live(page, app, running)
    until(page, lambda: points(page) > 3)
    chart = page.locator(".chart").first
    shown = "g => g._fullLayout.xaxis.range.map(Math.round)"
    until(page, lambda: dragged(page, chart) and chart.evaluate(shown)[0] > 0)  # one across an update may be lost
    zoomed, before = chart.evaluate(shown), points(page)
    until(page, lambda: points(page) > before + 2)
    assert chart.evaluate(shown) == zoomed


def test_the_app_may_be_restarted_and_the_run_goes_on(page, app, running):
    live(page, app, running)
    until(page, lambda: points(page) > 3)
    app.end()
    assert read_state(running).state is State.RUNNING
    app.start()
    live(page, app, running)
    until(page, lambda: points(page) > 5)


def test_a_killed_worker_is_shown_as_interrupted_and_can_be_resumed(page, app, running):
    live(page, app, running)
    until(page, lambda: points(page) > 3)
    os.kill(read_state(running).pid, signal.SIGKILL)
    page.get_by_text(re.compile("nterrupted")).first.wait_for(timeout=10_000)
    page.get_by_role("button", name="Resume").wait_for()
    idle(page)
    no_failure(page)
