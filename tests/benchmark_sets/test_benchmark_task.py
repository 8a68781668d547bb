"""The task and the command: a run is scored under its encoder's hash, needs are listed, mistakes are one sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from local_tasks import PAIRS, SENTENCES
from served import sts

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.mteb import vectors_hash
from embedlab.cli import main
from embedlab.encoders.load import load_encoder
from embedlab.errors import NetworkError, SettingsError, UnknownPartError
from embedlab.hub import snapshot_folder
from embedlab.runs.benchmark_scores import read_pointer, read_score, read_summary
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import create_run
from embedlab.store_root import read_json
from embedlab.tasks import TASKS
from embedlab.tasks.measure.benchmark import printed_beside

ROOT = Path(__file__).resolve().parents[2]
STS = BENCHMARKS["crops-table-2"].task("STSBenchmark")


@pytest.fixture
def offline(store, tmp_path, monkeypatch):
    """No network; one data set is here."""
    import datasets

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    folder = snapshot_folder(STS.dataset, STS.revision)
    folder.mkdir(parents=True)
    files = sts([(SENTENCES[one], SENTENCES[other], grade) for one, other, grade in PAIRS])
    (folder / "test.jsonl").write_bytes(files["test.jsonl"])


@pytest.fixture
def run(store, tiny) -> RunFolder:
    """A run with both of its encoders saved."""
    made = create_run("train", {"corpus": "0" * 16, "encoder": "mpnet", "recipe": "crops"})
    tiny(seed=1).save(made.encoder)
    tiny(seed=2).save(made.untouched_encoder)
    return made


def do(said=None, **asked) -> RunFolder:
    """The task in this process."""
    job, task = create_run("benchmark", asked), TASKS["benchmark"]
    task.run(job, task.read(asked), lambda stage, done=0, total=0: said.append(stage) if said is not None else None)
    return job


def test_both_encoders_of_a_run_have_their_own_scores(offline, run):
    results = {}
    for state in ("before", "after"):
        job = do(run=run.id, state=state, set="crops-table-2", tasks=["STSBenchmark"])
        results[state] = read_json(job.result)["scores"]["STSBenchmark"]
        assert read_score(read_pointer(run, state), "STSBenchmark").score == results[state]
    assert results["before"] != results["after"]
    assert read_pointer(run, "after") == vectors_hash(load_encoder(str(run.encoder)))
    assert read_summary(read_pointer(run, "after"), "crops-table-2").scores == {"STSBenchmark": results["after"]}


def test_the_rest_of_a_set_is_said_while_what_is_here_is_done(offline, run):
    said: list[str] = []
    found = read_json(do(said, run=run.id, set="crops-table-2", tasks=[]).result)
    begun = [each.partition(":")[0] for each in said if each.startswith("Task ")]
    assert begun == [f"Task {number} of 12" for number in range(1, 13)]
    assert list(found["scores"]) == ["STSBenchmark"] and len(found["missing"]) == 11
    assert {row["model"] for row in found["published"]} == {"MPNet, crops"}
    assert found["missing_sentence"].startswith("Not measured: 11 data sets would be downloaded, ")
    assert "mteb/arxiv-clustering-p2p (732,723 texts)" in found["missing_sentence"]


def test_offline_without_any_data_is_a_users_error(offline, run):
    with pytest.raises(NetworkError, match="1 data set would be downloaded, 10,080 texts in all"):
        do(run=run.id, set="beir-14", tasks=["ArguAna"])


def test_wrong_settings_are_said(offline, run):
    with pytest.raises(SettingsError, match="'before' or 'after'"):
        do(run=run.id, state="middle", set="useb")
    with pytest.raises(UnknownPartError, match="No benchmark is called 'unse'. Did you mean 'unsee'"):
        do(run=run.id, set="unse")


def test_needs_are_listed_without_starting_anything(offline, run, capsys, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.executors.local.subprocess.Popen", None)
    asked = ["benchmark", "--run", run.id, "--set", "crops-table-2", "--needs"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["needs"]) == 12 and sum(need["is_local"] for need in found["needs"]) == 1
    assert found["texts"] == sum(task.texts for task in BENCHMARKS["crops-table-2"].tasks)
    assert main(asked) == 0
    written = capsys.readouterr().out
    assert "11 data sets would be downloaded" in written and "mteb/stsbenchmark-sts" in written


def test_needs_of_useb_say_where_the_files_come_from(store, capsys, tmp_path):
    assert main(["benchmark", "--encoder", "minilm", "--set", "useb", "--needs", "--folder", str(tmp_path)]) == 0
    written = capsys.readouterr().out
    assert "lacks scidocs/data.json" in written and "python -m useb.downloading" in written


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--set", "unsee", "--tasks", "STS99"], "has no task 'STS99'"),
        (["--set", "mteb"], "No benchmark is called 'mteb'"),
        (["--set", "useb", "--folder", "/nowhere/at/all"], "is not a folder"),
    ],
)
def test_mistakes_exit_2_with_a_sentence(store, capsys, extra, said):
    assert main(["benchmark", "--encoder", "minilm", *extra]) == 2
    assert said in capsys.readouterr().err


def test_the_lines_of_a_result(capsys):
    from embedlab.cli.benchmarking import show_benchmark

    part = {"scores": {"STS15": 0.725}, "groups": {"STS": 0.725}, "average": None, "averaging": "Mean.", "tasks": 12}
    assert show_benchmark(part)[-1] == "1 of 12 tasks has a score; the paper's average needs all of them."
    assert "average: 48.70 % (Mean.)" in show_benchmark({**part, "average": 0.487})
    printed = printed_beside(BENCHMARKS["crops-table-2"], encoder="mpnet", recipe="crops")
    assert len(printed) == 13
    assert show_benchmark({**part, "published": printed})[0] == "STS15   72.5 %  (72.5 % MPNet, crops: Crops, Table 2)"


def test_a_task_says_what_would_be_fetched():
    first = next(iter(BENCHMARKS)).tasks[0]
    assert first.texts == 732_723 and first.datasets[0].dataset == "mteb/arxiv-clustering-p2p"


def test_neither_the_command_line_nor_the_lists_load_mteb():
    code = (
        "import sys, embedlab.cli, embedlab.cli.benchmarking, embedlab.benchmarks, embedlab.benchmarks.base,"
        " embedlab.comparison.published; print([m for m in ('mteb', 'datasets', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
