"""A line of progress counts what it names, in texts, or gives a share; one stage of embedding never counts twice."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from embedlab.cli.terminal import Terminal
from embedlab.progress import stage_line
from embedlab.tasks.measure.embedded import _progress_of_part


def test_counts_are_of_what_the_stage_names_else_it_is_a_share():
    assert stage_line("Embedding 8,022 texts", 2048, 8022) == "Embedding 8,022 texts, 2,048 of 8,022"
    assert stage_line("Laying out 1,000 texts by t-SNE", 250, 750) == "Laying out 1,000 texts by t-SNE, 33 %"
    assert stage_line("Fine-tuning", 120, 258) == "Fine-tuning, 46 %"
    assert stage_line("Reading a.csv", 0, 0) == "Reading a.csv"


def test_a_terminal_shows_the_share_and_after_a_second_the_time_left(monkeypatch, capsys):
    clock = [100.0]
    monkeypatch.setattr("embedlab.cli.terminal.time", SimpleNamespace(monotonic=lambda: clock[0]))
    terminal = Terminal()
    terminal.renews = True
    for moment, done in ((100.0, 1), (100.5, 2), (100.55, 3), (102.0, 4)):
        clock[0] = moment
        terminal("Embedding", done, 10)
    lines = capsys.readouterr().err.split("\r\033[K")
    assert lines == ["", "Embedding, 10 %", "Embedding, 20 %", "Embedding, 40 %, 3 s left"]


@dataclass
class Seen:
    """Every word of a progress."""

    rows: list

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        self.rows.append((stage, done, total))


def test_texts_that_are_first_read_as_tokens_are_counted_once():
    seen = Seen([])
    told = _progress_of_part(seen, np.arange(10_000), "untouched", 0, 10_000)
    for done in (0, 5_000, 9_000):
        told("Tokenizing 10,000 texts", done, 10_000)
    for done in (0, 4_000, 8_000):
        told("Embedding 10,000 texts", done, 10_000)
    assert {stage for stage, _, _ in seen.rows} == {"Embedding 10,000 texts, untouched"}
    assert [done for _, done, _ in seen.rows] == [0, 0, 0, 0, 4_000, 8_000]
