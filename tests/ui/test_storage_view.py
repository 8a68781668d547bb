"""Home → Storage: measured when it is opened, one question before anything is pruned."""

from concurrent.futures import Future

import pytest
from seen import words

from embedlab.runs.store import delete_run, list_runs
from embedlab.store_root import make_folder
from embedlab.trash import list_trash
from embedlab.ui.corpus import storage_view


@pytest.fixture
def opened(open_page, made_run, monkeypatch):
    """Home with Storage unfolded, a run with a map and checkpoints in the store; threads are waited for."""
    run = made_run("token")
    for file, size in (
        (run.map("after", "tsne"), 3_000_000),
        (run.checkpoints / "step-000001" / "COMPLETE", 20_000_000),
    ):
        make_folder(file.parent)
        file.write_bytes(bytes(size))
    monkeypatch.setattr("embedlab.ui.frame.background.WAIT_SECONDS", 30)
    at = open_page("home")
    at.session_state["home.storage"] = True
    return at.run(), run


def test_nothing_is_measured_until_it_is_opened(open_page, made_run, monkeypatch):
    made_run("token")
    monkeypatch.setattr(storage_view, "storage", lambda: pytest.fail("it was measured"))
    assert not open_page("home").exception


def test_what_lies_there_is_listed_by_size(opened):
    at, _ = opened
    assert not at.exception
    table = next(each.value for each in at.dataframe if "Can be pruned" in each.value)
    assert list(table["Content"])[:2] == ["Checkpoints", "Maps"]
    assert list(table["Size"])[:2] == ["20 MB", "3.0 MB"] == list(table["Can be pruned"])[:2]


def test_pruning_says_what_becomes_of_it_and_how_much_it_freed(opened):
    at, run = opened
    assert "Maps are drawn again when you ask for them" in words(at)
    at.checkbox(key="home.storage-prune-maps").uncheck().run()
    at.button(key="home.storage-prune-now").click().run()
    assert not at.exception
    assert [each.value for each in at.success] == ["Freed 20 MB."]
    assert run.map("after", "tsne").exists() and not run.checkpoints.exists()
    at.button(key="home.storage-prune-again").click().run()
    table = next(each.value for each in at.dataframe if "Can be pruned" in each.value)
    assert next(iter(table["Content"])) == "Maps"


def test_the_page_does_not_wait_for_a_slow_disk(open_page, made_run, monkeypatch):
    made_run("token")
    monkeypatch.setattr("embedlab.ui.frame.background._future", lambda key, work: Future())
    at = open_page("home")
    at.session_state["home.storage"] = True
    at.run()
    assert not at.exception and "Looking at every file of the store" in words(at)


def test_what_was_deleted_is_restored_with_one_click(opened):
    at, run = opened
    delete_run(run)
    at.run()
    (entry,) = list_trash()
    at.button(key=f"trash-restore-{entry.id}").click().run()
    assert not at.exception and list_runs() == [run] and list_trash() == []
    delete_run(run)
    at.run()
    at.button(key="home.storage-empty").click().run()
    assert not at.exception and list_runs() == [] and list_trash() == []
