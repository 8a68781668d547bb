"""Every page opens beside damaged folders, and Home names them."""

import pytest
from damage import ALL, SETTINGS

from embedlab.jobs.executors import LOCAL
from embedlab.runs.index.find import at_work, damaged
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.ui.frame.navigation import TITLES


def damaged_store(made_run, toy_corpus) -> list[str]:
    """A good run, and beside it a damaged run and job of every kind; the ids of those that cannot be read."""
    folders = {}
    for place, how in enumerate(ALL):
        job = create_run(("map", "evaluate", "study", "fetch", "ask")[place % 5], {"run": "abc", "corpus": "docs"})
        if place % 2:
            write_state(job, State.FINISHED)
        folders[how] = made_run(name=how), job
    at_work()
    for how, damage in ALL.items():
        for folder in folders[how]:
            damage(folder)
    made_run("token", name="a good one")
    (toy_corpus.folder.parent / ("0" * 16)).mkdir()
    (toy_corpus.folder.parent / ("0" * 16) / "corpus.json").write_text("{")
    return [folder.id for how in SETTINGS for folder in folders[how]]


@pytest.mark.parametrize("page", TITLES)
def test_a_page_opens_beside_damaged_folders(open_page, made_run, toy_corpus, monkeypatch, page):
    monkeypatch.setattr(type(LOCAL), "submit", lambda *_: None)  # what a page begins by itself waits
    unreadable = damaged_store(made_run, toy_corpus)
    at = open_page(page)
    assert not at.exception, [each.stack_trace for each in at.exception]
    assert page != "run" or "a good one" in str(at.selectbox(key="run_picker").options)
    named = [each.value for each in at.warning if "cannot be read" in each.value or "newer" in each.value]
    if page == "home":
        more = next(each.value for each in at.caption if " more: python" in each.value)
        assert len(named) == 3 and int(more.split()[1]) == len(damaged()) - 3 >= len(unreadable) - 3
