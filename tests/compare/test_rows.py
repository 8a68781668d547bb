"""Append-only rows: readers stop at the last newline, wherever a writer was cut off."""

import json

from embedlab.runs.store import append_row, read_rows


def test_cut_at_every_byte_of_the_last_row_the_others_remain(tmp_path):
    file = tmp_path / "metrics.jsonl"
    for step in range(3):
        append_row(file, {"step": step, "text": "é"})
    whole = file.read_bytes()
    last = len(json.dumps({"step": 2, "text": "é"}, ensure_ascii=False).encode()) + 1
    for cut in range(1, last + 1):
        file.write_bytes(whole[:-cut])
        assert [row["step"] for row in read_rows(file)] == [0, 1]


def test_rows_are_read_as_they_come(tmp_path):
    file = tmp_path / "metrics.jsonl"
    assert read_rows(file) == []
    append_row(file, {"step": 0})
    assert [row["step"] for row in read_rows(file)] == [0]
    append_row(file, {"step": 1})
    assert [row["step"] for row in read_rows(file)] == [0, 1]


def test_a_torn_row_before_good_ones_is_passed_over(tmp_path):
    file = tmp_path / "metrics.jsonl"
    file.write_text('{"step": 0}\n{"st\n{"step": 2}\n', encoding="utf-8")
    assert [row["step"] for row in read_rows(file)] == [0, 2]
