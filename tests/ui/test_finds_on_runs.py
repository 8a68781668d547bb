"""A Find on Runs: one entry below the table that opens to its candidates, and from there to its page."""

import pytest
from made_finds import CHEAPEST, WINNER, made_find, over
from seen import words


@pytest.fixture
def runs(open_page, made_run):
    made_run("words")
    return lambda **address: open_page("runs", **address)


def opened(at, find):
    at.session_state[f"finds.entry-{find.id}"] = True
    return at.run()


def labels(at) -> list[str]:
    return [each.label.replace("\\", "") for each in at.expander]


def test_without_a_find_nothing_is_said_of_finds(runs):
    assert "Finds" not in words(runs())


def test_a_find_is_one_entry_that_opens_to_its_candidates(runs, toy_corpus):
    find = made_find(toy_corpus.fingerprint, "finished", over())
    at = runs()
    assert not at.exception and sum(f"toy · 5 min · {WINNER}" in each for each in labels(at)) == 1
    tables = len(at.dataframe)
    at = opened(at, find)
    assert not at.exception and len(at.dataframe) == tables + 1
    assert at.dataframe[-1].value["candidate"].tolist()[:2] == [WINNER, CHEAPEST]
    next(each for each in at.button if each.label == "Open this Find").click().run()
    assert not at.exception and at.session_state["find.shown"] == find.id
    assert at.session_state["train.view"] == "Find"


def test_a_damaged_one_is_said(runs, toy_corpus):
    find = made_find(toy_corpus.fingerprint, "finished", over())
    find.results.write_text('{"candidates": 5}', encoding="utf-8")
    at = opened(runs(), find)
    assert not at.exception and "cannot be read" in words(at)
