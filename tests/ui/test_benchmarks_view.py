"""Benchmarks: what a set would fetch, what Start asks for, and the scores in groups beside the printed ones."""

import pytest
from builders import leave_state, set_scores
from doing import queued
from seen import words
from streamlit.testing.v1 import AppTest

from embedlab.benchmarks.base import BenchmarkSet, BenchmarkTask, plain_average
from embedlab.benchmarks.score_rows import gained, group_rows, notes_of, printed_models
from embedlab.figures.length import gains_by_length
from embedlab.hub import snapshot_folder
from embedlab.jobs.requests.measuring import MeasureBenchmark
from embedlab.jobs.runner import submit_once
from embedlab.registry import Registry
from embedlab.runs.benchmark_scores import keep_pointer, keep_summary
from embedlab.runs.store import create_run, list_runs, stored_request
from embedlab.store_root import write_json
from embedlab.ui.run.benchmarks_view import scores_table

SETS = [
    BenchmarkSet(
        key="crops-table-2", title="Twelve", sentence="Does it help elsewhere?", paper="Crops, Table 2",
        averaging="Mean of block means.", average=plain_average,
        tasks=(
            BenchmarkTask("ArguAna", "Retrieval", "n", texts=10_080, dataset="mteb/a", revision="1" * 40),
            BenchmarkTask("STS15", "STS", "s", texts=6_000, dataset="mteb/b", revision="2" * 40),
            BenchmarkTask("STS16", "STS", "s", texts=2_372, dataset="mteb/c", revision="3" * 40),
        ),
    ),
    BenchmarkSet(
        key="useb", title="USEB", sentence="Four.", paper="TSDAE, Table 2", averaging="Plain mean.",
        average=plain_average, tasks=(BenchmarkTask("AskUbuntu", "Reranking", "map"),), reader="useb",
    ),
]  # fmt: skip


def made_set(key: str, *tasks: BenchmarkTask) -> BenchmarkSet:
    """One of these tasks alone."""
    return BenchmarkSet(key, "", "", "", "", tasks, plain_average)


def show(run_id: str):
    """What the Evaluate page draws in its tab."""
    from embedlab.runs.store import open_run
    from embedlab.ui.run.benchmarks_view import show_benchmarks

    show_benchmarks(open_run(run_id))


@pytest.fixture
def started(monkeypatch) -> list:
    """What would have been started."""
    calls: list = []
    monkeypatch.setattr("embedlab.ui.run.benchmarks_view.begin", calls.append)
    return calls


@pytest.fixture
def opened(store, tmp_path, monkeypatch, started):
    """``opened(run)``: its benchmarks, drawn; no process is ever started and the cache is this test's own."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("embedlab.ui.run.benchmarks_view.BENCHMARKS", Registry("benchmark", SETS))
    monkeypatch.setattr("embedlab.jobs.executors.local.subprocess.Popen", None)
    return lambda run: AppTest.from_function(show, kwargs={"run_id": run.id}, default_timeout=30).run()


def scored(run, state="after", **scores) -> None:
    """As the task leaves it."""
    encoder_hash = {"after": "a", "before": "b"}[state] * 64
    groups = {"STS": sum(v for k, v in scores.items() if k.startswith("STS")) / 2}
    keep_pointer(run, state, encoder_hash)
    keep_summary(set_scores(scores, "crops-table-2", encoder_hash, groups=groups))


def test_what_a_set_would_fetch_is_said_before_anything_starts(opened, made_run, started):
    at = opened(made_run())
    assert not at.exception
    assert "3 of 3 tasks have data that is not on this computer and would be downloaded, 18,452 texts in all." in words(
        at
    )
    assert started == [] and "Measure 3 tasks" in words(at)


def test_what_is_here_is_not_counted(opened, made_run):
    folder = snapshot_folder("mteb/a", "1" * 40)
    folder.mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("{}", encoding="utf-8")
    at = opened(made_run())
    assert "2 of 3 tasks have data" in words(at) and "8,372 texts" in words(at)
    assert at.dataframe[0].value["On this computer"].tolist() == [True, False, False]


def test_start_asks_for_the_chosen_tasks_of_the_chosen_encoder(opened, made_run, started):
    run = made_run()
    at = opened(run)
    at.multiselect(key="benchmarks.tasks-crops-table-2").set_value(["STS15"]).run()
    at.segmented_control(key="benchmarks.state").set_value("before").run()
    at.button(key="benchmarks.start").click().run()
    assert started == [MeasureBenchmark(run=run.id, state="before", set="crops-table-2", tasks=("STS15",))]


def test_a_set_whose_package_is_not_installed_says_how_to_install_it(opened, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.benchmarks.base.find_spec", lambda name: None)
    at = opened(made_run())
    assert not at.exception and at.button(key="benchmarks.start").disabled
    assert "pip install -r embedlab/benchmarks/requirements-mteb.txt" in words(at)
    at.selectbox(key="benchmarks.set").set_value("useb").run()
    assert "requirements-mteb.txt" not in words(at)  # USEB has readers of our own


def test_useb_waits_for_its_folder(opened, made_run, started, tmp_path):
    at = opened(made_run())
    at.selectbox(key="benchmarks.set").set_value("useb").run()
    assert at.button(key="benchmarks.start").disabled and "useb.downloading" in words(at)
    at.text_input(key="benchmarks.folder").set_value("/nowhere/at/all").run()
    assert at.button(key="benchmarks.start").disabled and "There is no folder" in words(at)
    at.text_input(key="benchmarks.folder").set_value(str(tmp_path)).run()
    at.button(key="benchmarks.start").click().run()
    assert started[0].folder == str(tmp_path.resolve())


def test_scores_stand_in_groups_beside_the_papers(opened, made_run):
    run = made_run("mpnet", recipe="crops")
    scored(run, ArguAna=0.512, STS15=0.7, STS16=0.74)
    scored(run, "before", ArguAna=0.2)
    at = opened(run)
    assert not at.exception
    table = at.table[0].value
    assert list(table.columns)[:3] == ["Task", "Untouched", "Fine-tuned"]
    assert "MPNet, crops" in table.columns[3]  # the same encoder and recipe comes first
    rows = {row["Task"].replace("\\", "").strip("*"): row for _, row in table.iterrows()}
    assert rows["ArguAna"]["Fine-tuned"] == "51.2" and rows["ArguAna"]["Untouched"] == "20.0"
    assert rows["ArguAna"].iloc[3] == ":gray[50.6]" and rows["Average"].iloc[3] == ":gray[48.7]"
    assert rows["STS, 2 of 2"]["Fine-tuned"] == "**72.0**" and rows["Average"]["Fine-tuned"] == "–"
    assert "3 of 3 tasks have a score" in words(at) and "Gray: Crops, Table 2" in words(at)


def test_a_job_that_lacked_data_says_so(opened, made_run):
    run = made_run()
    job = create_run("benchmark", {"run": run.id, "set": "crops-table-2", "state": "after", "tasks": []})
    leave_state(job)
    write_json(job.result, {"missing_sentence": "Not measured: 2 data sets would be downloaded."})
    assert "Not measured: 2 data sets would be downloaded" in words(opened(run))


def test_a_job_at_work_is_followed_in_place_of_a_second_start(opened, made_run):
    run = made_run()
    create_run("benchmark", {"run": run.id, "set": "crops-table-2", "state": "after", "tasks": []})
    at = opened(run)
    assert not at.exception and "Measure 3 tasks" not in words(at) and "Cancel" in words(at)


def test_start_makes_one_job(opened, made_run, monkeypatch, store):
    monkeypatch.setattr("embedlab.ui.run.benchmarks_view.begin", submit_once)
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = opened(made_run())
    at.button(key="benchmarks.start").click().run()
    (job,) = list_runs("jobs")
    assert stored_request(job).task == "benchmark"


def test_groups_follow_the_papers_where_it_prints_types():
    benchmark = made_set("unsee", BenchmarkTask("STS12", "STS", ""), BenchmarkTask("NQ", "Retrieval", ""))
    rows = group_rows(benchmark, {"after": set_scores({"STS12": 0.5}, groups={"STS": 0.5})})
    assert [row.name for row in rows] == ["STS, 1 of 1", "STS12", "Retrieval, 0 of 1", "Average"]
    table = scores_table(benchmark, rows, {"after": "Fine-tuned"}, ["UNSEE-VICReg"])
    assert table.column(2).to_pylist() == [":gray[73.1]", ":gray[–]", ":gray[24.8]", ":gray[46.4]"]


def test_the_models_most_like_the_run_come_first():
    assert printed_models("unsee", encoder="bert", recipe="vicreg")[0] == "UNSEE-VICReg"
    assert printed_models("useb", encoder="bert", recipe="tsdae")[0] == "TSDAE"
    assert printed_models("like-useb", encoder=None, recipe=None) == []
    assert notes_of("unsee", ["SimCSE"])[1] == "SimCSE: From Muennighoff et al. (2023)."


def test_before_anything_is_measured_the_papers_tasks_stand_there():
    named = (BenchmarkTask(key, "Clustering", "") for key in ("ArxivClusteringP2P", "X"))
    benchmark = made_set("crops-table-2", *named)
    rows = group_rows(benchmark, {}, ["MPNet", "SimCSE"])
    assert [row.name for row in rows] == ["ArxivClusteringP2P", "Average"]
    assert scores_table(benchmark, rows, {}, ["MPNet"]).column(1).to_pylist() == [":gray[27.8]", ":gray[33.2]"]


def test_a_note_that_several_models_share_is_said_once():
    shared = [line for line in notes_of("crops-table-2", ["MPNet", "SimCSE"]) if line.startswith("MPNet; SimCSE: ")]
    assert len(shared) == 1


def test_gains_stand_over_the_mean_length_of_documents_where_both_encoders_have_scores():
    lengths = {"NQ": 493, "SciFact": 1499, "STS15": None, "FEVER": 539}
    benchmark = made_set("any", *(BenchmarkTask(key, "", "", characters=length) for key, length in lengths.items()))
    before = set_scores({"NQ": 0.2, "SciFact": 0.3, "STS15": 0.5})
    after = set_scores({"NQ": 0.25, "SciFact": 0.45, "STS15": 0.6, "FEVER": 0.1})
    found = gained(benchmark, {"before": before, "after": after})
    assert found == [("NQ", 493, pytest.approx(0.05)), ("SciFact", 1499, pytest.approx(0.15))]
    assert gained(benchmark, {"after": after}) == []
    figure = gains_by_length(found[::-1])
    assert list(figure.data[0].x) == [493, 1499] and list(figure.data[0].y) == pytest.approx([5, 15])
    assert figure.layout.xaxis.type == "log" and "SciFact, 1,499 characters, +15.0" in figure.layout.meta["alt"]
