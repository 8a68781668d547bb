"""A run whose process ended before its encoder was measured: what Result says, and that no page breaks on it."""

import pytest
from seen import words
from unmeasured import killed_run

from embedlab.jobs.executors import LOCAL
from embedlab.runs.result import read_result
from embedlab.ui.frame.navigation import PLACES


@pytest.fixture
def stopped(toy_corpus):
    return killed_run(toy_corpus.info.fingerprint)


@pytest.mark.parametrize("key", PLACES)
def test_every_place_opens(open_page, stopped, monkeypatch, key):
    monkeypatch.setattr(type(LOCAL), "submit", lambda *_: None)  # what a page begins by itself waits
    at = open_page(key, run=stopped.id)
    assert not at.exception, [each.stack_trace for each in at.exception]


@pytest.mark.parametrize("place", ["result", "home"])
@pytest.mark.parametrize("is_stopped", [True, False])
def test_the_result_says_where_it_ended_and_what_is_kept(open_page, toy_corpus, place, is_stopped):
    run = killed_run(toy_corpus.info.fingerprint, is_stopped=is_stopped)
    at = open_page(place, run=run.id)
    verb = "Stopped" if is_stopped else "Interrupted"
    seen = words(at)
    assert f"{verb} at step 2 of 8; step 3 was not kept." in seen and "live curve its kNN accuracy is" in seen
    assert at.button(key=f"resume-{run.id}").label == "Resume"


def test_the_encoder_can_be_exported(open_page, stopped):
    at = open_page("export", run=stopped.id)
    assert not at.exception and any("SentenceTransformer" in each.value for each in at.code)
    assert read_result(stopped).is_unmeasured
