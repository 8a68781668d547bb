"""Two stores that never see each other: a run is handed over by a URL, works in the other one, and is fetched back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from patience import until

from embedlab.cli import main
from embedlab.jobs import runner
from embedlab.jobs.executors import EXECUTORS
from embedlab.jobs.executors.base import Executor
from embedlab.jobs.progress import read_progress
from embedlab.jobs.runner import look_after, resume, submit, wait
from embedlab.jobs.stages import stages_of
from embedlab.jobs.worker_process import environment_elsewhere
from embedlab.runs.elsewhere import holding as held
from embedlab.runs.elsewhere.handing import fetch_back
from embedlab.runs.elsewhere.holding import SILENT_SECONDS, last_holder
from embedlab.runs.elsewhere.job import read_job
from embedlab.runs.state import State, is_worked_on, read_state
from embedlab.runs.store import delete_run, list_runs, read_job_result, read_rows, read_settings
from embedlab.training.checkpoints import newest_checkpoint

pytestmark = pytest.mark.slow

LONG = {"epochs": 1000, "evaluate_every": 200, "checkpoint_every": 100}


class Beside(Executor):
    """A machine that has a disk of its own: what the store of this one is called leads nowhere there."""

    key, title, needs = "beside", "The machine beside", "Nothing."

    def __init__(self, disk: Path):
        self.disk, self.workers = disk, []

    def unreachable(self) -> None:
        return None

    def at_once(self, folder) -> int:
        return 1

    def submit(self, folder, job) -> str:
        nowhere = self.disk / "nowhere" / folder.id
        own = {**environment_elsewhere(job.token, threads=1), "EMBEDLAB_HOME": str(nowhere), "TMPDIR": str(self.disk)}
        command = [sys.executable, "-m", "embedlab.worker", str(nowhere)]  # to be killed by its own number
        with open(self.disk / f"{job.token}.txt", "wb") as log:
            worker = subprocess.Popen(command, env={**os.environ, **own}, stdout=log, stderr=log)
        self.workers.append(worker)
        return str(worker.pid)

    def ended(self, folder) -> str | None:
        said = self.disk / f"{read_job(folder).token}.txt"
        return None if self.workers[-1].poll() is None else f"It said: {said.read_text(encoding='utf-8').strip()}"

    def stop(self, folder, *, firmly: bool = True) -> None:
        self.workers[-1].kill()


@pytest.fixture
def beside(tmp_path, monkeypatch, store):
    (tmp_path / "disk").mkdir()
    executor = Beside(tmp_path / "disk")
    monkeypatch.setitem(EXECUTORS, executor.key, executor)
    monkeypatch.setenv("EMBEDLAB_SHARED", (tmp_path / "shared").as_uri())
    monkeypatch.setattr(runner, "ASK_EVERY_SECONDS", 0.1)
    yield executor
    for worker in executor.workers:
        worker.kill()
        worker.wait()


@pytest.fixture
def tiny(toy_corpus) -> dict:
    corpus, drawn = toy_corpus.info.fingerprint, {"maps": False, "live_map": False}
    return {
        "corpus": corpus,
        "encoder": "token",
        "epochs": 1,
        "batch_size": 16,
        "vocabulary_size": 300,
        "device": "cpu",
        **drawn,
    }


def test_a_run_works_in_another_store_and_is_fetched_back_with_its_maps(tiny, beside, tmp_path):
    first = submit("train", tiny)
    assert wait(first).state is State.FINISHED and read_job(first) is None
    told = {**tiny, "encoder": f"run:{first.id}", "maps": True, "evaluate_every": 2}
    here = submit("train", {**told, "maps": False})
    run = submit("train", told, on="beside")
    assert wait(run).state is State.FINISHED
    assert wait(here).state is State.FINISHED
    assert stages_of(run) and last_holder(run).token == read_job(run).token
    assert read_job_result(run)["weights_hash"] == read_job_result(here)["weights_hash"]
    points = [[row["step"] for row in read_rows(each.metrics)[0]] for each in (run, here)]
    assert points[0] == points[1] and points[0]
    maps = [job for job in list_runs("jobs") if read_settings(job)["settings"].get("run") == run.id]
    assert [read_job(job).token for job in maps] == [read_job(run).token]
    assert wait(maps[0]).state is State.FINISHED
    for name in ("before", "after"):
        assert run.map(name, "tsne").read_bytes() and run.map_facts(name, "tsne").exists()
    until(lambda: look_after(run) or not is_worked_on(run))
    assert beside.workers[-1].wait(60) == 0 and not list(beside.disk.glob("embedlab-*"))  # its store is gone
    shared = tmp_path / "shared"
    assert (shared / "corpora" / tiny["corpus"] / "corpus.parquet").exists()
    assert not list(shared.rglob("*.arrow")) and not list((shared / "parts").iterdir())
    delete_run(run)
    assert not list((shared / "runs" / run.id).glob("*"))


def test_stop_reaches_it_and_what_was_best_comes_back(tiny, beside):
    run = submit("train", {**tiny, **LONG}, on="beside")
    until(lambda: look_after(run) or read_rows(run.terms)[0])
    assert read_progress(run)["total"] and read_state(run).state is State.RUNNING
    assert main(["runs", "stop", run.id, "--quiet"]) == 0
    assert read_state(run).state is State.STOPPED and read_rows(run.terms)[0][-1]["step"] < 8 * LONG["epochs"]
    assert run.encoder.is_dir()


def test_a_worker_that_dies_leaves_it_interrupted_and_it_goes_on_with_the_same_bits(tiny, beside, monkeypatch):
    told = {**tiny, **LONG, "epochs": 300}
    run = submit("train", told, on="beside")
    shared = Path(read_job(run).shared.removeprefix("file://")) / "runs" / run.id
    until(lambda: look_after(run) or (read_rows(run.metrics)[0][1:] and list(shared.glob("checkpoints/*/COMPLETE"))))
    monkeypatch.setattr(held, "this_host", lambda: "another")  # from here on it is on another machine than this process
    assert is_worked_on(run)
    beside.workers[-1].kill()
    beside.workers[-1].wait()
    fetch_back(run)
    seen = (run.workers / "clock").stat().st_mtime_ns
    assert read_state(run).state is State.RUNNING  # not silent for long yet, as it was seen last
    assert (run.workers / "clock").stat().st_mtime_ns == seen
    (file,) = (shared / "workers").glob("0*.json")
    written = file.stat().st_mtime
    os.utime(file, (written - SILENT_SECONDS, written - SILENT_SECONDS))  # by the clock of the place
    fetch_back(run)
    assert read_state(run).state is State.INTERRUPTED and newest_checkpoint(run.checkpoints) is not None
    points = len(read_rows(run.metrics)[0])
    resume(run)
    assert wait(run).state is State.FINISHED, read_state(run)
    assert last_holder(run).token == read_job(run).token
    whole = submit("train", told)
    assert wait(whole).state is State.FINISHED
    assert read_job_result(run)["weights_hash"] == read_job_result(whole)["weights_hash"]
    steps = [[row["step"] for row in read_rows(each.metrics)[0]] for each in (run, whole)]
    assert steps[0] == steps[1] and len(steps[0]) > points > 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("moon://base", "Protocol not known: moon"),
        ("file:///proc/nothing", "No such file or directory"),
        ("s3://bucket/runs", "Install s3fs"),
    ],
)
def test_a_place_that_cannot_be_opened_is_one_sentence_and_nothing_is_lost(tiny, beside, monkeypatch, url, said):
    monkeypatch.setenv("EMBEDLAB_SHARED", url)
    run = submit("train", tiny, on="beside")
    facts = read_state(run)
    assert facts.state is State.FAILED and facts.failure.code == "E-SHARED" and not beside.workers
    assert facts.failure.message.startswith(f"The shared place {url} (EMBEDLAB_SHARED) cannot be ")
    assert said in facts.failure.message and "Traceback" not in facts.failure.message
    assert main(["runs", "resume", run.id, "--on", "local", "--quiet"]) == 0
    assert read_state(run).state is State.FINISHED
