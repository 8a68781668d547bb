"""User text never becomes markup; numbers are written as a person reads them."""

import pytest

from embedlab.numbers import accuracy, count, duration, points, share_range
from embedlab.ui.frame.files import stem
from embedlab.ui.frame.layout import escaped


@pytest.mark.parametrize(
    "text",
    ["**bold**", "<b>x</b>", "$x^2$", ":smile:", ":red[x]", "[x](javascript:alert(1))", "![](http://x.y/z)", "`a`"],
)
def test_markup_is_escaped_and_reads_the_same(text):
    line = escaped(text)
    assert line.replace("\\", "").replace("\u2060", "") == text
    for mark in "*<$[`!":
        assert all(line[place - 1] == "\\" for place, character in enumerate(line) if character == mark)
    assert ":s" not in line and ":r" not in line


def test_a_label_is_one_short_line():
    assert escaped("a\n\nb\u202ec") == "a b c"
    assert len(escaped("x" * 500, 50)) == 50


def test_accuracies_and_changes():
    assert accuracy(0.589, 0.014) == "58.9 % ± 1.4"
    assert accuracy(0.589) == "58.9 %"
    assert points(0.215) == "+21.5 points"
    assert points(-0.02) == "−2.0 points"
    assert points(-0.0001) == "0.0 points"
    assert share_range(-0.001, 0.24) == "95 %: −0.1 … 24.0"


def test_times_and_counts():
    assert [duration(s) for s in (0.2, 8, 120, 3900, 7200)] == ["1 s", "8 s", "2 min", "65 min", "2 h 0 min"]
    assert count(11024) == "11,024"


def test_an_upload_is_called_by_its_stem():
    assert [stem(name) for name in ("posts.csv", "a.jsonl.gz", "notes", ".csv", "dir/x.parquet")] == [
        "posts",
        "a",
        "notes",
        ".csv",
        "x",
    ]
