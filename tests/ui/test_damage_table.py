"""The damage table: no file of the store, however damaged, gives a traceback in any command or on any page.

Sixteen cells are drawn by a seed that the failure names; with EMBEDLAB_DAMAGE_CELLS so many of commands and of pages,
or ``all``, which takes some hours.
"""

import os
import random
import shutil
import signal
from pathlib import Path

import pytest
from damage_table import DAMAGES, Ids, commands, damage, kinds_of, told_by_command, told_by_page
from damage_table import worked_here as in_this_process
from doing import queued

from embedlab.jobs.executors.local import Local
from embedlab.ui.frame.navigation import PLACES

SEED = int(os.environ.get("EMBEDLAB_DAMAGE_SEED", "0"))
COMMAND_CELLS, PAGE_CELLS = 12, 4
FIRST = ("settings.json", "state.json", "corpus.json", "result.json", "labels.json", "study.json", "find.json")


@pytest.fixture
def damaged(original, tmp_path, monkeypatch):
    """``damaged(kind, how)``: the ids of a copy with one file damaged so; None where the damage changes nothing."""
    source, ids = original
    count = iter(range(10**6))
    monkeypatch.setattr(Local, "submit", in_this_process)

    def copied(kind: str, how: str) -> Ids | None:
        folder = tmp_path / str(next(count)) / "store"
        shutil.copytree(source, folder)
        monkeypatch.setenv("EMBEDLAB_HOME", str(folder))
        return ids if damage(folder, kinds_of(folder)[kind], how) else None

    return copied


def cells(store: Path, views: list[str], most: int) -> list[tuple[str, str, str]]:
    """Kind of file, damage and view: drawn, half of them among the files that everything depends on; or all."""
    kinds = list(kinds_of(store))
    every = [(kind, how, view) for kind in kinds for how in DAMAGES for view in views]
    asked = os.environ.get("EMBEDLAB_DAMAGE_CELLS", str(most))
    if asked == "all":
        return every
    most = int(asked)
    rng = random.Random(SEED)
    first = [cell for cell in every if cell[0].endswith(FIRST)]
    return rng.sample(first, most // 2) + rng.sample(every, most - most // 2)


@pytest.fixture(autouse=True)
def no_hang():
    """A pipe that is opened waits for ever for whoever writes into it: that fails instead."""

    def over(*_):
        raise TimeoutError("a page or command still reads a file of the store that is a pipe")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(int(os.environ.get("EMBEDLAB_DAMAGE_SECONDS", "900")))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_no_command_gives_a_traceback_beside_a_damaged_file(original, damaged, tmp_path):
    names = list(commands(original[1], tmp_path))
    tracebacks = []
    for number, (kind, how, name) in enumerate(cells(original[0], names, COMMAND_CELLS)):
        if (ids := damaged(kind, how)) is not None:
            out = tmp_path / f"out-{number}"
            out.mkdir()
            if (found := told_by_command(name, commands(ids, out)[name])) is not None:
                tracebacks.append(f"{kind}, {how}: {name} (seed {SEED})\n{found}")
    assert not tracebacks, "\n".join(tracebacks)


@pytest.mark.parametrize(
    ("file", "view", "how"),
    [
        ("result.json", "settings", "a pipe"),
        ("result.json", "home", "truncated"),
        ("corpus.parquet", "evaluate", "truncated"),
        ("corpus.parquet", "classes", "a folder"),  # within a part of the page that is drawn again by itself
    ],
)
def test_what_a_page_shows_as_it_is_may_be_damaged_too(original, damaged, monkeypatch, open_page, file, view, how):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    kind = next(each for each in kinds_of(original[0]) if each.endswith(f"/ID/{file}"))
    assert told_by_page(view, damaged(kind, how)) is None


def test_no_page_gives_a_traceback_beside_a_damaged_file(original, damaged, monkeypatch, open_page):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    tracebacks = []
    for kind, how, view in cells(original[0], list(PLACES), PAGE_CELLS):
        if (ids := damaged(kind, how)) is not None and (found := told_by_page(view, ids)) is not None:
            tracebacks.append(f"{kind}, {how}: {view} (seed {SEED})\n{found}")
    assert not tracebacks, "\n".join(tracebacks)


def test_a_reader_that_does_not_look_is_found_out(original, damaged, monkeypatch, tmp_path):
    monkeypatch.setattr("embedlab.runs.map_readings.read_model", lambda path, model: {})
    ids = damaged("runs/ID/moves/before.json", "{}")
    assert ids is not None and "TypeError" in (told_by_command("moves", ["--run", ids.run]) or "")
