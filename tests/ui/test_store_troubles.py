"""A store that cannot be written to, or is gone: no traceback anywhere, and what was measured is printed all the same.

Eight cells are drawn by a seed that the failure names; every command and page with every trouble is slow.
"""

import contextlib
import io
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator

import pytest
from damage_table import Ids, commands, told_by_command, told_by_page, worked_here
from doing import queued
from store_troubles import TROUBLES

from embedlab.cli import main
from embedlab.jobs.executors.local import Local
from embedlab.store_root import store_root
from embedlab.ui.frame.navigation import PLACES

SEED = int(os.environ.get("EMBEDLAB_DAMAGE_SEED", "0"))
COMMAND_CELLS, PAGE_CELLS = 8, 3
MEASURES = {  # what a command measures for who typed it, and keeps besides: the key of what it printed
    "evaluate": "metrics",
    "layers": "layers",
    "diagnose": "diagnostics",
    "length": "tuned",
}


@pytest.fixture
def troubled(original, tmp_path, monkeypatch) -> Callable[[str], contextlib.AbstractContextManager[Ids]]:
    """``with troubled("full") as ids``: a copy of that store, in which this happened after it was opened."""
    monkeypatch.setattr(Local, "submit", worked_here)
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    count = iter(range(10**6))

    @contextlib.contextmanager
    def copied(trouble: str) -> Iterator[Ids]:
        folder = tmp_path / f"{next(count)}" / "store"
        shutil.copytree(original[0], folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("EMBEDLAB_HOME", str(folder))
            store_root()
            TROUBLES[trouble](patch, folder)
            yield original[1]

    return copied


def tracebacks(troubled, cells: list[tuple[str, str]], told: Callable[[str, Ids], str | None]) -> list[str]:
    found = []
    for trouble, view in cells:
        with troubled(trouble) as ids:
            said = told(view, ids)
        if said is not None:
            found.append(f"{trouble}: {view} (seed {SEED})\n{said}")
    return found


def every(views: list[str]) -> list[tuple[str, str]]:
    return [(trouble, view) for trouble in TROUBLES for view in views]


@pytest.fixture
def of_command(tmp_path) -> Callable[[str, Ids], str | None]:
    count = iter(range(10**6))

    def told(name: str, ids: Ids) -> str | None:
        out = tmp_path / f"out-{next(count)}"
        out.mkdir()
        return told_by_command(name, commands(ids, out)[name])

    return told


def test_no_command_gives_a_traceback_where_the_store_cannot_be_written_to(original, troubled, of_command, tmp_path):
    cells = random.Random(SEED).sample(every(list(commands(original[1], tmp_path))), COMMAND_CELLS)
    found = tracebacks(troubled, cells, of_command)
    assert not found, "\n".join(found)


def test_no_page_gives_a_traceback_where_the_store_cannot_be_written_to(troubled, open_page):
    cells = random.Random(SEED).sample(every(list(PLACES)), PAGE_CELLS)
    found = tracebacks(troubled, cells, told_by_page)
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_nor_does_any_command_or_page_with_any_of_these_troubles(original, troubled, of_command, tmp_path, open_page):
    found = tracebacks(troubled, every(list(commands(original[1], tmp_path))), of_command)
    found += tracebacks(troubled, every(list(PLACES)), told_by_page)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", MEASURES)
def test_what_was_measured_is_printed_where_it_cannot_be_kept(troubled, tmp_path, capfd, name):
    with troubled("read-only") as ids:
        code = main([*name.split(), *commands(ids, tmp_path)[name], "--json"])
    result = json.loads(capfd.readouterr().out)
    assert code == 2 and result[MEASURES[name]]
    assert result["not_kept"]["code"] == "E-STORE-WRITE"
    assert result["not_kept"]["message"].startswith("What was measured could not be kept. The store (")


def test_the_reason_stands_after_what_was_measured(troubled, tmp_path):
    out, err = io.StringIO(), io.StringIO()
    with troubled("full") as ids, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["evaluate", *commands(ids, tmp_path)["evaluate"], "--quiet"])
    assert code == 2 and out.getvalue().startswith("knn: ") and "The disk is full" in err.getvalue()
    assert err.getvalue().startswith("What was measured could not be kept. ")


def test_where_it_can_be_kept_nothing_is_said_of_that(original, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("EMBEDLAB_HOME", str(shutil.copytree(original[0], tmp_path / "store")))
    code = main(["evaluate", *commands(original[1], tmp_path)["evaluate"], "--json"])
    assert code == 0 and "not_kept" not in json.loads(capfd.readouterr().out)
