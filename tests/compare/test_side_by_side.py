"""Side by side: every column there is, gains with the intervals of paired texts, SemCSE's score, the papers' rows."""

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders import knn, leave_predictions, leave_result, leave_state, length_facts, set_scores

from embedlab.comparison.columns import KINDS, Column, ColumnRequest, ColumnValue, Gain, columns_of
from embedlab.comparison.rows import ComparedRow, compared_rows
from embedlab.comparison.side_sheet import performance_of, printed_groups, side_sheet
from embedlab.comparison.tables import TableCell, csv_text, latex_text, markdown_text, plain_text
from embedlab.measurement import Difference
from embedlab.metrics.base import MetricResult
from embedlab.runs.benchmark_scores import keep_pointer, keep_summary
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import create_run
from embedlab.statistics.intervals import paired_shares
from embedlab.store_root import write_json

N = 100
NUMBERS = ColumnRequest("cosine", {"isotropy": ("effective_rank", "Effective rank")})


@pytest.fixture
def run_of(toy_corpus):
    """``run_of(90, name=…)``: of 100 test texts 40 are right before and so many after, five more of each by cosine."""

    def made(right: int, *, name: str = "", **settings) -> RunFolder:
        asked = {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops", "seed": 0, **settings}
        run = create_run("train", asked, name=name)
        sides = ((40, right), (45, right + 5))
        leave_result(run, toy_corpus, knn=knn(*([share / N for share in pair] for pair in sides), n=N))
        leave_state(run, corpus=toy_corpus)
        said = ([["a"] * share + ["b"] * (N - share) for share in pair] for pair in sides)
        leave_predictions(run, ["a"] * N, *said)
        return run

    return made


def scored(run: RunFolder, state: str, benchmark: str, scores: dict, average: float | None = None) -> None:
    encoder = f"{run.id}{state}".encode().hex().ljust(64, "0")[:64]
    keep_pointer(run, state, encoder)
    keep_summary(set_scores(scores, benchmark, encoder, title=f"{benchmark.upper()}, all", average=average))


def by_key(columns) -> dict[str, Column]:
    return {column.key.partition("/")[2]: column for column in columns}


def test_accuracy_has_a_column_by_each_distance_and_its_gain_the_interval_of_the_paired_texts(run_of):
    run = run_of(60, name="mine")
    rows = compared_rows([run])
    found = by_key(columns_of(rows, NUMBERS))
    assert list(found) == ["knn/cosine", "knn/euclidean"]
    assert found["knn/cosine"].head == "kNN accuracy (cosine), paper's split, toy (%)"
    assert [column.counts for column in found.values()] == [True, False]
    column = found["knn/euclidean"]
    assert (
        column.values[run.id] == ColumnValue(0.6, pytest.approx((0.6 * 0.4 / N) ** 0.5))
        and column.values[f"{run.id}-before"].value == 0.4
    )
    change = paired_shares(before=np.arange(N) < 40, after=np.arange(N) < 60)
    assert column.gains == {run.id: Gain(change.value, change.low, change.high)} and change.value == pytest.approx(0.2)
    assert "toy" in column.printed["corpus"] and found["knn/cosine"].printed is None


def test_what_an_evaluation_kept_is_a_column_with_its_own_interval(run_of):
    run = run_of(60)
    kept = Evaluations(run.path)
    for state, value in (("before", 0.3), ("after", 0.5)):
        kept.keep(CORPUS, "match-halves", state, MetricResult(value=value, error=0.01, units={"x": np.zeros(2)}))
    kept.keep_difference(CORPUS, "match-halves", Difference(0.2, 0.1, 0.3, 50))
    column = by_key(columns_of(compared_rows([run]), NUMBERS))["match-halves"]
    assert column.gains[run.id] == Gain(0.2, 0.1, 0.3) and column.values[run.id] == ColumnValue(0.5, 0.01)


def test_public_tasks_stand_side_by_side_with_gains_and_shared_tasks_once(run_of):
    run = run_of(60)
    scored(run, "before", "beir", {"NQ": 0.2, "SCIDOCS": 0.1})
    scored(run, "after", "beir", {"NQ": 0.25, "SCIDOCS": 0.2}, 0.225)
    scored(run, "after", "mteb", {"NQ": 0.25, "STS12": 0.7})
    columns = [column for column in columns_of(compared_rows([run]), NUMBERS) if column.place in ("BEIR", "MTEB")]
    assert [column.key for column in columns] == ["beir/average", "beir/NQ", "beir/SCIDOCS", "mteb/STS12"]
    assert columns[1].gains[run.id].value == pytest.approx(0.05) and columns[1].gains[run.id].low is None
    assert columns[1].values[f"{run.id}-before"].value == 0.2 and columns[0].gains == {} and not columns[0].counts


def test_geometry_and_robustness_are_columns_without_a_good_direction(run_of):
    run = run_of(60)
    write_json(run.diagnostic("isotropy"), {"before": {"effective_rank": 10.0}, "after": {"effective_rank": 25.5}})
    write_json(run.length, length_facts(2.5, 0.5))
    rows = compared_rows([run])
    robust, rank = (column for column in columns_of(rows, NUMBERS) if column.key.startswith("geometry/"))
    assert (robust.gains[run.id].value, rank.gains[run.id].value) == (-2.0, 15.5) and rank.higher_is_better is None
    assert rank.values[f"{run.id}-before"].value == 10.0 and rank.head == "Effective rank"
    assert (robust.digits, rank.digits) == (3, 2)


def test_an_empty_run_has_no_column(toy_corpus):
    run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    assert columns_of(compared_rows([run]), NUMBERS) == [] and len(KINDS) == 3


def column(key: str, values: list[float], **more) -> Column:
    return Column(key, key, "", {f"r{place}": ColumnValue(value) for place, value in enumerate(values)},
                  **{"higher_is_better": True, **more})  # fmt: skip


def test_the_performance_score_counts_each_metric_once_and_names_what_it_stands_on():
    best_is_least = column("rank", [1.0, 2.0, 3.0, 4.0, 5.0], higher_is_better=False)
    accuracy = column("knn", [0.9, 0.8, 0.7, 0.6, 0.5])
    beside = column("(cosine)", [0.1, 0.9, 0.2, 0.3, 0.4], counts=False)
    rank = column("effective rank", [1.0, 2.0], higher_is_better=None)
    rows = [row(place) for place in range(5)]
    found = performance_of([best_is_least, accuracy, beside, rank], rows)
    assert list(found.scores.values()) == pytest.approx([1, 0.75, 0.5, 0.25, 0]) and found.columns == ("rank", "knn")
    assert "of the 5 rows" in found.sentence
    few = performance_of([accuracy, column("other", [1.0, 2.0, 3.0])], rows)
    assert few.scores == {} and "needs 4 rows" in few.why and "there are 3 rows" in few.why
    assert "higher or lower is better" in performance_of([rank], rows).why
    by_labels = replace(row(0), saw_labels=True)
    found = performance_of([accuracy], [by_labels, *rows[1:]])  # the best of all, but it has read the labels
    assert "r0" not in found.scores and found.scores["r1"] == 1.0
    sheet = side_sheet([by_labels, *rows[1:]], [accuracy], score=True)
    assert sheet.lines[0].cells[-1].value is None and any("upper bound" in note for note in sheet.notes)


def test_printed_rows_are_those_of_the_papers_tables():
    knn = Column("a", "kNN", "iclr", {}, scale=100.0, printed={"corpus": "iclr", "metric": "knn"})
    task = Column("b", "ArguAna", "BEIR", {}, scale=100.0, printed={"benchmark": "beir-14", "task": "ArguAna"})
    groups = {group.title: group for group in printed_groups([knn, task])}
    crops = {line.words[0]: line.cells for line in groups["Printed in Crops, Table 1"].lines}
    mpnet = next(cells for name, cells in crops.items() if "MPNet" in name and cells[0].value is not None)
    assert 30 < float(mpnet[0].in_words) < 70 and mpnet[1].value is None and mpnet[0].is_published
    assert any("LA(SER)" in title for title in groups)


def row(place: int, corpus: str = "one") -> ComparedRow:
    return ComparedRow(f"r{place}", "run", f"a_{place} & [2em] %", corpus, corpus, Path(f"r{place}"))


def a_sheet():
    gains = {"r0": Gain(0.031, 0.01, 0.052), "r1": Gain(-0.02), "r2": Gain(0.0)}
    columns = [column("knn", [0.5, 0.6, 0.7, 0.8], gains=gains, scale=100.0, unit="%"), column("x", [1.0])]
    return side_sheet([row(place) for place in range(4)], columns, score=False)


def test_the_table_says_changes_with_sign_and_bounds_in_every_format():
    sheet = a_sheet()
    assert sheet.cell_heads == ["knn (%)", "knn: gain", "x"]
    assert [line.cells[1].in_words for line in sheet.lines] == ["+3.1 (1.0 … 5.2)", "−2.0", "0.0", "–"]
    first = next(csv.DictReader(io.StringIO(csv_text(sheet))))
    assert (first["knn"], first["knn: gain"], first["knn: gain low"], first["knn: gain high"]) == (
        "0.5", "0.031", "0.01", "0.052")  # fmt: skip
    for text in (plain_text(sheet), markdown_text(sheet), latex_text(sheet)):
        assert "+3.1 (1.0" in text and "after minus before" in text
    scores = [column("a", [1, 2, 3, 4]), column("b", [4, 3, 2, 1])]
    with_score = side_sheet([row(place) for place in range(4)], scores, score=True, printed=True)
    assert with_score.cell_heads[-1] == "performance score" and "print none" in with_score.notes[-1]
    assert [line.cells[-1].in_words for line in with_score.lines] == ["0.50"] * 4  # (0 + 1) / 2, (1/3 + 2/3) / 2
    two = side_sheet([row(0, "one"), row(1, "two")], scores)
    assert [group.title for group in two.groups] == ["one", "two"]


def test_the_mark_of_a_run_without_the_test_texts_names_labels_only_where_a_row_read_some():
    split, whole = replace(row(0), trained_on="train_split"), replace(row(1), trained_on="all")
    unlabelled = "† trained on the train split only, the others on all texts without labels"
    assert f"{unlabelled}." in side_sheet([split, whole], []).notes
    by_labels = replace(row(2), trained_on="labels", saw_labels=True)
    assert f"{unlabelled}, or on labels." in side_sheet([split, whole, by_labels], []).notes


def test_a_cell_without_bounds_or_value_says_so():
    assert TableCell(is_change=True).in_words == "–" and TableCell(0.1, is_change=True, low=0.0).in_words == "+0.1"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed here")
def test_the_exported_table_is_set_by_a_real_latex(tmp_path):
    knn = Column("knn", "kNN", "iclr", {"r0": ColumnValue(0.5, 0.01)}, scale=100.0, unit="%", higher_is_better=True,
                 printed={"corpus": "iclr", "metric": "knn"})  # fmt: skip
    printed = side_sheet([row(place) for place in range(4)], [knn], printed=True)
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}\usepackage{xcolor}"
    body = "\n".join(latex_text(each) for each in (a_sheet(), printed))
    source = f"{preamble}\n\\usepackage[utf8]{{inputenc}}\n\\begin{{document}}\n{body}\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"], cwd=tmp_path,
                          capture_output=True, text=True, errors="replace", timeout=120)  # fmt: skip
    assert done.returncode == 0, re.findall(r"^!.*|^l\.\d+.*", done.stdout, re.M)
    assert (tmp_path / "t.pdf").stat().st_size > 1000
