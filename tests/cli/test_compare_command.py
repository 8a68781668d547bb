"""``compare``: the same marks as the page's, every format, files by their ending, one sentence for a mistake."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from builders import both, change_result, in_words, knn, leave_predictions, leave_result, leave_state, line

from embedlab.cli import main
from embedlab.comparison.pivot import pivot_of
from embedlab.comparison.rows import compared_rows
from embedlab.jobs.requests.measuring import CompareRuns
from embedlab.metrics.base import MetricResult
from embedlab.progress import silent
from embedlab.report.contract import printed_comparison
from embedlab.runs.evaluations import Evaluations, baseline_folder
from embedlab.runs.folder import RunFolder
from embedlab.runs.reference_lines import KeptLine, write_lines
from embedlab.runs.store import create_run
from embedlab.store_root import read_json
from embedlab.tasks.measure import compare as compare_task

ROOT = Path(__file__).resolve().parents[2]
N = 100
MORE = 5  # texts right by cosine that are wrong by Euclidean distance


@pytest.fixture
def call(capfd):
    """Run a command in this process: exit code and standard output."""

    def called(*arguments: str) -> tuple[int, str]:
        capfd.readouterr()
        code = main([*arguments, "--quiet"])
        written = capfd.readouterr()
        assert "Traceback" not in written.err
        return code, written.out or written.err

    return called


@pytest.fixture
def measured(toy_corpus):
    """``measured(90, seed=1, …)``: a run on the toy corpus with so many of 100 test texts right after, by cosine
    five more. One that was ``stopped`` opens its best encoder; its last one has ten fewer right.
    """

    def made(
        right: int, *, name: str = "", before: int = 40, supervised: bool = False, stopped: bool = False, **settings
    ) -> RunFolder:
        asked = {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops", "seed": 0, **settings}
        run = create_run("train", asked, name=name)
        both = (shares(before, right, stopped), shares(before + MORE, right + MORE, stopped))
        leave_result(run, toy_corpus, knn=knn(*both, n=N), stopped=stopped, supervised=supervised)
        leave_state(run, corpus=toy_corpus)
        said = [[in_words(row < limit + more for row in range(N)) for limit in (before, right)] for more in (0, MORE)]
        leave_predictions(run, ["a"] * N, *said)
        return run

    return made


def shares(before: int, opened: int, stopped: bool) -> tuple[float, float, float]:
    return before / N, (opened - 10 * stopped) / N, opened / N


def rows_by_name(out: str, *, by_cosine: bool = False) -> dict[str, dict]:
    found = json.loads(out)
    names = {row["key"]: row["name"] for row in found["rows"]}
    (group,) = found["metrics"]["knn"].values()
    group = group["cosine"] if by_cosine else group
    return {names[key]: row for key, row in group["rows"].items()}


def test_the_best_and_what_cannot_be_told_apart_are_marked(call, measured):
    best, near, far = measured(90, name="best"), measured(88, name="near"), measured(60, name="far")
    code, out = call("compare", far.id, near.id, best.id, "--json")
    assert code == 0
    found = rows_by_name(out)
    assert {name: row["mark"] for name, row in found.items()} == {
        "Token embeddings, from scratch, untouched": "reference",
        "best": "best", "near": "not separable", "far": "worse",
    }  # fmt: skip
    assert found["near"]["to_best"]["value"] == pytest.approx(-0.02) and found["far"]["n"] == N
    _, out = call("compare", far.id, near.id, best.id)
    assert re.search(r"^best +95.0 ± 2.2 ● +90.0 ± 3.0 ●$", out, re.MULTILINE) and "5 %/2 = 2.5 %" in out


def test_both_distances_are_compared_and_the_asked_one_stands_first(call, measured):
    best, far = measured(90, name="best"), measured(60, name="far")
    _, out = call("compare", best.id, far.id, "--json")
    by_cosine = rows_by_name(out, by_cosine=True)
    assert (by_cosine["best"]["value"], by_cosine["best"]["mark"]) == (0.95, "best")
    assert by_cosine["far"]["to_best"]["value"] == pytest.approx(-0.3)
    head, *lines = call("compare", best.id, far.id)[1].splitlines()
    by_split = "paper's split"
    assert re.search(
        rf" kNN accuracy \(cosine\), {by_split} \(%\) +kNN accuracy \(Euclidean.*\), {by_split} \(%\)$", head
    )
    assert f"kNN accuracy (cosine and Euclidean distance), {by_split}: n = 100; {by_split};" in " ".join(lines)
    out = call("compare", best.id, far.id, "--distance", "euclidean")[1]
    assert out.index("kNN accuracy (Euclidean distance)") < out.index("kNN accuracy (cosine)")
    assert re.search(r"^best +90.0 ± 3.0 ● +95.0 ± 2.2 ●$", out, re.MULTILINE)


def test_a_stopped_run_is_compared_by_the_encoder_that_is_opened(call, measured):
    stopped, other = measured(80, name="stopped", stopped=True), measured(50, name="other")
    _, out = call("compare", stopped.id, other.id, "--json")
    for by_cosine, opened in ((False, 0.80), (True, 0.85)):
        found = rows_by_name(out, by_cosine=by_cosine)
        assert (found["stopped"]["value"], found["stopped"]["mark"]) == (opened, "best")
        assert found["other"]["to_best"]["value"] == pytest.approx(-0.3) and found["other"]["mark"] == "worse"


@pytest.mark.parametrize(("whose", "compared"), [("old", False), ("new", True)])
def test_predictions_of_another_encoder_than_the_accuracy_are_not_compared(call, measured, whose, compared):
    runs = [measured(90, name="a"), measured(60, name="b")]
    change_result(runs[0], weights_hash="new")
    table = pq.read_table(runs[0].predictions).replace_schema_metadata({"weights_hash": whose})
    pq.write_table(table, runs[0].predictions)
    row = rows_by_name(call("compare", *(run.id for run in runs), "--json")[1])["a"]
    assert (row["mark"] == "best") if compared else (row["why"] == "its predictions were not stored")


def test_reference_lines_and_baselines_stand_beside_the_runs(call, measured, toy_corpus):
    run = measured(60, name="run")
    lines = {
        name: KeptLine(**dict(line(0.95, n=n)), correct_rows=list(range(95))) for name, n in (("tfidf", N), ("svd", 7))
    }
    write_lines(toy_corpus.folder / "references-3.json", lines)
    found = MetricResult(value=0.2, n=N, units={"rows": np.arange(N), "correct": np.arange(N) < 20})
    folder = baseline_folder(toy_corpus.fingerprint, "corpus", "random-projection")
    Evaluations(folder).keep("corpus", "knn", "after", both(found))
    found = rows_by_name(call("compare", run.id, measured(50).id, "--json")[1])
    assert list(found) == [
        "TF-IDF",
        "TF-IDF → SVD-100",
        "Random projection",
        "Token embeddings, from scratch, untouched",
        "run",
        "Token embeddings, from scratch · Text crops",
    ]
    assert found["TF-IDF"]["mark"] == "above the best" and found["TF-IDF"]["to_best"]["value"] == pytest.approx(0.35)
    assert found["Random projection"]["mark"] == "reference" and found["Random projection"]["to_best"]["value"] < 0
    assert found["TF-IDF → SVD-100"]["to_best"] is None  # of another split


@pytest.mark.parametrize(
    ("ending", "begins"), [(".csv", "group,run"), (".tex", "% "), (".md", "| run"), (".txt", "run")]
)
def test_a_file_is_written_in_the_format_of_its_ending(call, measured, tmp_path, ending, begins):
    name = '=HYPERLINK("x") | & _'
    first, second, out = measured(90, name=name), measured(50, name="b"), tmp_path / f"out{ending}"
    code, said = call("compare", first.id, second.id, "--out", str(out))
    text = out.read_text(encoding="utf-8")
    assert code == 0 and str(out) in said and text.startswith(begins) and "HYPERLINK" in text
    if ending == ".csv":
        row = next(row for row in csv.DictReader(text.splitlines()) if "HYPERLINK" in row["run"])
        values = [float(row[f"kNN accuracy ({each}), paper's split"]) for each in ("cosine", "Euclidean distance")]
        assert row["run"] == f"'{name}" and values == [0.95, 0.9]
        assert row["kNN accuracy (Euclidean distance), paper's split mark"] == "best"
        assert row["kNN accuracy (cosine), paper's split mark"] == "best"


def test_recipe_by_corpus_is_the_mean_over_seeds_and_a_seed_counts_once(call, measured):
    runs = [measured(right, seed=seed) for seed, right in enumerate((50, 60, 70))]
    runs.append(measured(70, seed=2))
    code, out = call("compare", *(run.id for run in runs), "--pivot", "--json")
    cells = {(row["encoder"], row["recipe"]): row for row in json.loads(out)["pivot"]["knn"]}
    crops = cells["token", "crops"]
    assert code == 0 and (crops["mean"], crops["sd"], crops["seeds"]) == pytest.approx((0.6, 0.1, 3))
    assert cells["token", "untouched"]["mean"] == 0.4
    by_cosine = crops["cosine"]
    assert (by_cosine["mean"], by_cosine["sd"], by_cosine["seeds"]) == pytest.approx((0.65, 0.1, 3))
    out = call("compare", *(run.id for run in runs), "--pivot")[1]
    assert re.search(r"toy \(cosine\) +toy \(Euclidean distance\)$", out, re.MULTILINE)
    assert re.search(
        r"^Token embeddings, from scratch +Text crops +65.0 ± 10.0 \(3\) +60.0 ± 10.0 \(3\)$", out, re.MULTILINE
    )
    out = call("compare", *(run.id for run in runs), "--pivot", "--distance", "euclidean")[1]
    assert re.search(
        r"^Token embeddings, from scratch +Text crops +60.0 ± 10.0 \(3\) +65.0 ± 10.0 \(3\)$", out, re.MULTILINE
    )


def test_recipes_told_differently_are_not_averaged(measured):
    runs = [measured(50, objective={"temperature": 0.05}), measured(70, objective={"temperature": 0.5}, seed=1)]
    lines = pivot_of(compared_rows(runs), "knn").cells
    assert {recipe for _, recipe in lines} == {
        "untouched", "crops, objective.temperature 0.05", "crops, objective.temperature 0.5",
    }  # fmt: skip


def test_runs_that_left_the_test_texts_out_are_marked_and_supervised_ones_not_compared(call, measured):
    everything, split = measured(60, name="a"), measured(59, name="b", train_on="train_split")
    labels = measured(95, name="c", recipe="supervised", supervised=True)
    _, out = call("compare", everything.id, split.id, labels.id)
    assert "† b" in out and "† a" not in out and "trained on labels: an upper bound: c" in out
    found = rows_by_name(call("compare", everything.id, split.id, labels.id, "--json")[1])
    assert (found["a"]["mark"], found["c"]["mark"]) == ("best", "not compared")


def test_an_untouched_run_that_was_asked_for_is_a_row_of_its_own_and_a_candidate(call, measured):
    untouched, tuned = measured(40, recipe="untouched", name="as it is"), measured(41, name="tuned")
    found = rows_by_name(call("compare", untouched.id, tuned.id, "--json")[1])
    assert {name: row["mark"] for name, row in found.items()} == {"as it is": "not separable", "tuned": "best"}


def test_what_one_run_measured_of_the_shared_beginning_is_in_its_one_row(call, measured):
    runs = [measured(50, name="a"), measured(60, name="b", seed=1), measured(70, name="c", before=41)]
    units = {"rows": np.arange(N), "correct": np.arange(N) < 30}
    Evaluations(runs[1].path).keep("corpus", "linear", "before", MetricResult(value=0.3, n=N, units=units))
    found = json.loads(call("compare", *(run.id for run in runs), "--metrics", "linear", "--json")[1])
    names = [f"Token embeddings, from scratch, untouched (seed 0) · {run.id[-4:]}" for run in (runs[0], runs[2])]
    assert [row["name"] for row in found["rows"]][:2] == names
    (group,) = found["metrics"]["linear"].values()
    assert list(group["rows"]) == [f"{runs[0].id}-before"]


def test_ten_folds_allow_for_their_shared_train_texts(call, measured):
    runs = [measured(50, name="a"), measured(50, name="b")]
    for run, right in zip(runs, (60, 52), strict=True):
        units = {"rows": np.arange(N), "correct": np.arange(N) < right}
        Evaluations(run.path).keep("corpus", "knn/cv10", "after", both(MetricResult(value=right / N, n=N, units=units)))
    found = json.loads(call("compare", *(run.id for run in runs), "--metrics", "knn/cv10", "--json")[1])
    (group,) = found["metrics"]["knn/cv10"].values()
    to_best = group["rows"][runs[1].id]["to_best"]
    d = np.repeat([0.0, -1.0], [92, 8])
    half = 1.96 * 1.45 * d.std(ddof=1) / 10
    assert (to_best["low"], to_best["high"]) == pytest.approx((-0.08 - half, -0.08 + half))


def test_a_mistake_is_one_sentence(call, measured, tmp_path):
    run = measured(60).id
    for arguments, said in (
        (("nothing",), "There is no run"),
        ((run, "--metrics", "nope"), "No metric is called 'nope'"),
        ((run, "--metrics", "knn/halves"), "Only cv10"),
        ((run, "--source", "0123456789abcdef"), "No stored evaluation set"),
        ((run, "--format", "csv", "--out", str(tmp_path / "x.txt")), "ending in .csv"),
    ):
        code, out = call("compare", *arguments)
        assert code == 2 and said in out and len(out.strip().splitlines()) == 1


def test_what_was_never_measured_says_how_to(call, measured):
    run = measured(60)
    change_result(run, knn=None)
    code, out = call("compare", run.id)
    assert code == 2 and "python -m embedlab evaluate --run ID" in out


def test_the_task_gives_what_the_command_gives_and_loads_no_torch(call, measured):
    best, far = measured(90), measured(60)
    told = json.loads(call("compare", best.id, far.id, "--json")[1])
    job = create_run("compare", {})
    keys = [row["key"] for row in told["rows"]]
    compare_task.run(job, CompareRuns(rows=tuple(keys), metrics=("knn",)), silent)
    assert printed_comparison(read_json(job.result)["metrics"]) == told["metrics"]
    code = "import sys, embedlab.tasks.measure.compare; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "False"


def test_side_by_side_has_every_column_with_gains_as_asked(call, measured, tmp_path):
    runs = [measured(right, name=f"of {right}") for right in (90, 80, 60)]
    ids = [run.id for run in runs]
    code, out = call("compare", *ids, "--side-by-side", "--score", "--printed", "--json")
    found = json.loads(out)
    keys = [column["key"] for column in found["columns"]]
    assert code == 0 and [key.partition("/")[2] for key in keys] == ["knn/cosine", "knn/euclidean"]
    assert found["columns"][0]["gains"][ids[0]]["value"] == pytest.approx(0.5)
    assert len(found["performance"]["scores"]) == 4 and found["performance"]["scores"][ids[0]] == 1.0
    assert set(found["printed"]) == set(keys)
    code, out = call("compare", *ids, "--side-by-side", "--columns", keys[0])
    assert code == 0 and re.search(r"^of 90 +95.0 ± 2.2 +\+50.0 \(\d\d.\d … \d\d.\d\)$", out, re.MULTILINE)
    table = tmp_path / "side.csv"
    assert call("compare", *ids, "--side-by-side", "--out", str(table))[0] == 0
    assert len(table.read_text(encoding="utf-8").splitlines()) == 5
    code, out = call("compare", *ids, "--side-by-side", "--columns", "beauty")
    assert code == 2 and "no column 'beauty'" in out
