"""Tables to take away: every digit in CSV, hostile names stay names in CSV, LaTeX and Markdown."""

import csv
import io
import re

import pytest

from embedlab.comparison.sheet import _is_published
from embedlab.comparison.tables import (
    Sheet,
    TableCell,
    TableGroup,
    TableLine,
    csv_text,
    latex,
    latex_text,
    markdown_text,
    plain_text,
)
from embedlab.statistics.separable import ABOVE, BEST, INSEPARABLE

HOSTILE = "a&b%c_d#e{f}g~h^i\\j|k$l\n<m> *n* `o` [p](q) :red[r]"
VALUE = 0.58912345678901234


def sheet(name: str = "run", group: str = "docs") -> Sheet:
    lines = [
        TableLine([name], [TableCell(VALUE, 0.0141, BEST, 100.0)], {"id": "abc"}),
        TableLine(["near"], [TableCell(0.58, 0.0141, INSEPARABLE, 100.0)], {"id": "def"}),
        TableLine(["TF-IDF"], [TableCell(0.7, 0.01, ABOVE, 100.0)]),
        TableLine(["empty"], [TableCell(scale=100.0)]),
    ]
    return Sheet(["run"], ["kNN accuracy (%)"], [TableGroup(group, lines)], ["n = 1,079."], ["kNN accuracy"])


def read(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_has_every_digit_in_the_metrics_own_unit():
    first, *_, last = read(csv_text(sheet()))
    assert float(first["kNN accuracy"]) == VALUE and float(first["kNN accuracy ±"]) == 0.0141
    assert (first["kNN accuracy mark"], first["id"], first["group"]) == ("best", "abc", "docs")
    assert last["kNN accuracy"] == last["id"] == ""


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x")', "+1", "-1", "@x", "\tx", "＝1", "=a,b\r\nc"])
def test_a_formula_is_its_own_text_in_csv(name):
    row = read(csv_text(sheet(name, group=name)))[0]
    assert row["run"].startswith("'") and row["group"].startswith("'")
    assert row["run"] == f"'{name}"


def test_latex_is_booktabs_with_the_best_bold_and_the_near_underlined():
    text = latex_text(sheet())
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    assert r"\textbf{58.9 $\pm$ 1.4}" in text and r"\underline{58.0 $\pm$ 1.4}" in text
    assert r"TF-IDF & 70.0 $\pm$ 1.0~$\uparrow$ \\" in text
    assert r"\multicolumn{2}{l}{\textit{docs}}" in text and "n = 1,079." in text
    assert "Bold: best. Underlined: not separable" in text and "●" not in text


def test_a_hostile_name_breaks_no_latex():
    escaped = latex(HOSTILE)
    bare = re.sub(r"\\[a-z]+(\{\})?|\\[{}&%$#_]|\{[\[\]*]\}", "", escaped)  # without commands and escapes
    assert not set(bare) & set(r"\{}&%$#_~^<>|[]*") and "\n" not in escaped
    text = latex_text(sheet(HOSTILE, group=HOSTILE))
    rows = [line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
    assert all(len(re.findall(r"(?<!\\)&", line)) == 1 for line in rows) and len(rows) == 5
    assert latex("[2em] x").startswith("{[}") and latex("* x").startswith("{*}")
    assert latex("a\x00\u202eb") == "a b"


def test_a_hostile_name_is_one_cell_of_markdown_and_no_markup():
    lines = markdown_text(sheet(HOSTILE)).splitlines()
    row = next(line for line in lines if "58.9" in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    name = row.split(" | ")[0]
    for sign in ("*n", "`o", "[p", "<m", "_d", "$l", ":red"):
        assert f"\\{sign}" in name
    assert "**58.9 ± 1.4** ●" in row and any("*58.0 ± 1.4* ○" in line for line in lines)
    assert lines[1] == "| --- | ---: |" and lines[2] == "| **docs** |  |"


def test_plain_lines_are_aligned_and_say_the_marks():
    heads, group, first, *_ = plain_text(sheet()).splitlines()
    assert group == "docs" and first.endswith("58.9 ± 1.4 ●") and len(first) >= len(heads) - 1
    assert "●: best. ○: not separable from it." in plain_text(sheet())
    unmarked = Sheet(["run"], ["x"], [TableGroup("", [TableLine(["a"], [TableCell(1.0)])])], ["note"])
    assert "best" not in plain_text(unmarked) + markdown_text(unmarked) + latex_text(unmarked)


def test_a_cell_says_its_seeds_and_a_published_one_is_grey_in_latex():
    assert TableCell(0.47049, 0.00603, scale=100, seeds=3).in_words == "47.0 ± 0.6 (3)"
    assert (
        TableCell(-0.0001, scale=100).in_words == "0.0"
        and TableCell(-0.05, scale=100).in_words == "−5.0"
        and TableCell().in_words == "–"
    )
    published = Sheet(
        ["a"], ["x"], [TableGroup("", [TableLine(["r"], [TableCell(0.589, scale=100, is_published=True)])])], []
    )
    assert r"\textcolor{gray}{58.9}" in latex_text(published)


def test_what_a_paper_prints_stands_beside_euclidean_distance_or_beside_what_has_none():
    papers = {"knn": {"after": None}}
    assert [_is_published("knn", distance, papers) for distance in ("euclidean", "cosine", None)] == [True, False, True]
    assert not _is_published("linear", "euclidean", papers)
