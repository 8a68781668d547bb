"""The film on the Train page and the replay under Maps: shown where there is one; what leaves the computer is said."""

import numpy as np
import pytest
from builders import knn_row, leave_state
from doing import queued
from seen import maps

from embedlab.jobs.requests.drawing import WriteReplay
from embedlab.runs.film_files import append_frame, begin_film
from embedlab.ui.components.run_maps import film_of


def filmed(run, frames: int = 3) -> None:
    begin_film(run, np.arange(50))
    for frame in range(frames):
        append_frame(run, np.random.default_rng(frame).normal(size=(50, 2)), step=5 * frame, knn=knn_row(0.5, 0.6))


def expanders(page) -> list[str]:
    return [each.label for each in page.expander]


def test_a_result_shows_its_film_and_one_without_film_shows_nothing(open_page, made_run):
    run = made_run(name="first")
    page = open_page("result", run=run.id)
    assert not page.exception and "Film of the training" not in expanders(page)
    filmed(run)
    page = page.run()
    assert not page.exception and "Film of the training" in expanders(page)
    assert any("50 texts at 3 evaluations" in each.value for each in page.caption)


@pytest.mark.parametrize(
    ("distance", "said"), [("euclidean", "50.0 % (Euclidean distance)"), ("cosine", "60.0 % (cosine)")]
)
def test_the_film_says_the_shown_distance(open_page, made_run, distance, said):
    run = made_run()
    filmed(run)
    page = open_page("result", run=run.id, distance=distance)
    assert f"kNN accuracy {said}" in next(part for part in maps(page) if f"film-470-{run.id}" in part)


def test_one_frame_is_no_film(open_page, made_run):
    run = made_run()
    filmed(run, frames=1)
    assert "Film of the training" not in expanders(open_page("result", run=run.id))


def test_a_running_run_says_where_its_map_will_be_and_a_new_frame_is_read(open_page, made_run, monkeypatch):
    run = made_run(state="running")
    monkeypatch.setattr("embedlab.runs.lease.is_held", lambda lock: True)
    page = open_page("result", run=run.id)
    assert not page.exception and any("map of a fixed set of texts" in each.value for each in page.caption)
    filmed(run, frames=1)
    assert len(film_of(run).frames) == 1
    append_frame(run, np.zeros((50, 2)), step=90)
    assert len(film_of(run).frames) == 2


@pytest.fixture
def section(made_run, toy_corpus, monkeypatch):
    """The section alone, for a finished run with a film; what it starts is only noted."""
    from streamlit.testing.v1 import AppTest

    run, asked = made_run(), []
    filmed(run)

    def noted(request):
        job = queued(request)
        job.replay.write_text("<!DOCTYPE html>")
        leave_state(job)
        asked.append(request)

    monkeypatch.setattr("embedlab.ui.frame.progress.start_once", noted)

    def draw(run_id: str) -> None:
        from embedlab.runs.store import open_run
        from embedlab.ui.maps.export import show_replay

        show_replay(open_run(run_id))

    return AppTest.from_function(draw, args=(run.id,)), run, asked


def test_what_leaves_the_computer_is_said_before_the_file_is_written(section):
    page, run, asked = section
    page.run()
    assert not page.exception and "This file contains 50 of your texts" in page.caption[0].value
    page.toggle[0].set_value(True).run()
    assert "none of your texts" in page.caption[0].value
    page.button[0].click().run()
    assert asked == [WriteReplay(run=run.id, with_texts=False)] and not page.exception
    assert page.get("download_button")
    page.toggle[0].set_value(False).run()
    assert not page.get("download_button")  # the file without texts is not offered as the one with texts
