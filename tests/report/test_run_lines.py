"""A result as lines: how long it trained."""

import pytest

from embedlab.comparison.rows import RUN, ComparedRow
from embedlab.comparison.sheet import notes_of
from embedlab.report.result_lines import training_length
from embedlab.runs.result import RunResult


@pytest.mark.parametrize(
    ("steps", "usable", "read", "line"),
    [
        (344, 10803, 86424, "344 steps (8 epochs, 86,424 texts read) on 10,803 usable texts"),
        (1, 64, 64, "1 step (1 epoch, 64 texts read) on 64 usable texts"),
        (10, 1000, 640, "10 steps (0.6 epochs, 640 texts read) on 1,000 usable texts"),
    ],
)
def test_the_length_of_a_training_has_steps_epochs_and_texts(steps, usable, read, line):
    assert training_length(RunResult(steps=steps, usable_texts=usable, texts_read=read)) == line


def _row(key: str, read: int, tmp_path) -> ComparedRow:
    return ComparedRow(key=key, kind=RUN, name=key, corpus="c", corpus_name="c", path=tmp_path, texts_read=read)


def test_compare_warns_where_runs_trained_for_different_lengths(tmp_path):
    def noted(*read: int) -> str:
        return " ".join(notes_of([_row(str(number), each, tmp_path) for number, each in enumerate(read)], {}))

    assert "Not trained equally long: the runs read 640 to 86,424 texts." in noted(86424, 640)
    assert "equally long" not in noted(640, 650) and "equally long" not in noted(640, 0)
