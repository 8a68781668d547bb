"""Slurm by submitit's own stand-ins for a cluster, by the text of the batch script, and a run that is queued again."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from patience import until

from embedlab.finds.store import Find
from embedlab.jobs import progress
from embedlab.jobs.executors import EXECUTORS
from embedlab.jobs.executors.slurm import Slurm, WorkerJob
from embedlab.jobs.runner import look_after, submit, wait
from embedlab.jobs.worker_process import environment_elsewhere, worker_command
from embedlab.runs.lease import Job, elsewhere, last_lease, place_line, read_job, write_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, open_run, read_rows
from embedlab.store_root import read_json
from embedlab.training.checkpoints import newest_checkpoint
from embedlab.training.settings import RunSettings

pytest.importorskip("submitit", reason="submitit is not installed: embedlab/jobs/requirements-slurm.txt")

# its stand-ins leave a process running and files open
OF_SUBMITIT = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
ROOT = Path(__file__).resolve().parents[2]
STEPS = 1200  # of 5 ms each; eight are an epoch


@pytest.fixture
def tiny(tiny) -> dict:
    return {**tiny, "live_map": False}


@pytest.fixture
def on_this_machine(monkeypatch):
    """submitit starts the jobs here, and queues them again as Slurm would."""
    monkeypatch.setitem(EXECUTORS, "slurm", Slurm("local"))


@pytest.fixture
def sbatch(tmp_path, monkeypatch):
    """A login node: ``sbatch`` takes the script and gives a number, or says why not."""
    for name in ("sbatch", "srun", "sacct", "scancel"):
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\necho Submitted batch job 4711\n", encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "bin" / "sbatch"


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """A cluster whose one node is this computer: what ``sbatch`` takes begins at once; ``srun`` runs its command."""
    scripts = {
        "sbatch": "export SLURM_JOB_ID=$$ SLURM_NTASKS=1 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0\n"
        'for script in "$@"; do :; done\nsetsid sh "$script" >/dev/null 2>&1 &\necho Submitted batch job $$',
        "srun": 'while [ "${1#-}" != "$1" ]; do\n case "$1" in --output|--error) shift;; esac\n shift\ndone\nexec "$@"',
        "sacct": "",
        "scancel": "",
    }
    for name, script in scripts.items():
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("EMBEDLAB_SLURM_AT_ONCE", "2")


def script_of(run) -> str:
    """The batch script submitted last."""
    scripts = (run.path / "control" / "slurm").glob("*_submission.sh")
    return max(scripts, key=os.path.getmtime).read_text(encoding="utf-8")


def test_the_batch_script_asks_for_what_the_settings_say(tiny, sbatch, monkeypatch):
    assert EXECUTORS["slurm"].unreachable() is None
    for name, value in {"PARTITION": "gpu long", "TIME": "90", "GPUS": "2"}.items():
        monkeypatch.setenv(f"EMBEDLAB_SLURM_{name}", value)
    monkeypatch.setenv("EMBEDLAB_EXECUTOR_CPUS", "4")
    run = submit(RunSettings(**tiny), on="slurm")
    lines = script_of(run).splitlines()
    for line in ("--partition='gpu long'", "--time=90", "--gpus-per-node=2", "--cpus-per-task=4", "--signal=USR2@90"):
        assert f"#SBATCH {line}" in lines, line
    assert f"#SBATCH --job-name=embedlab-{run.id}" in lines and "#SBATCH --open-mode=append" in lines
    assert any(line.startswith("export PYTHONPATH=") for line in lines)
    assert lines[-1].startswith("srun ") and "submitit.core._submit" in lines[-1]
    assert read_job(run).id == "4711" and place_line(run) == "slurm, job 4711"
    os.utime(run.state, (1, 1))
    assert read_state(run).state is State.QUEUED  # for as long as the cluster is full


def test_without_settings_the_cluster_decides(tiny, sbatch):
    run = submit(RunSettings(**{**tiny, "device": "cuda"}), on="slurm")
    script = script_of(run)
    assert "--gpus-per-node=1" in script and "--time=240" in script and "--partition" not in script
    script = script_of(submit(RunSettings(**tiny), on="slurm"))
    assert "--gpus" not in script


def test_what_slurm_refuses_is_said(tiny, sbatch, monkeypatch):
    sbatch.write_text(
        "#!/bin/sh\necho 'sbatch: error: invalid partition specified: moon' >&2\nexit 1\n", encoding="utf-8"
    )
    monkeypatch.setenv("EMBEDLAB_SLURM_PARTITION", "moon")
    facts = read_state(submit(RunSettings(**tiny), on="slurm"))
    assert facts.state is State.FAILED and facts.failure.code == "E-EXECUTOR"
    assert "invalid partition specified: moon" in facts.failure.message and "--on local" in facts.failure.message
    monkeypatch.setenv("EMBEDLAB_SLURM_GPUS", "0")
    facts = read_state(submit(RunSettings(**{**tiny, "device": "cuda"}), on="slurm"))
    assert facts.state is State.FAILED and "EMBEDLAB_SLURM_GPUS=0 gives it none" in facts.failure.message


@pytest.mark.slow
@OF_SUBMITIT
def test_a_run_near_its_time_limit_saves_itself_queues_again_and_ends_with_the_same_bits(
    tiny, on_this_machine, monkeypatch
):
    long = {**tiny, "epochs": STEPS // 8, "checkpoint_every": 10_000, "evaluate_every": 400}
    with monkeypatch.context() as patch:
        patch.delenv("EMBEDLAB_WORKER")  # the signal must come to the worker itself
        run = submit(RunSettings(**long), on="slurm")
    until(lambda: read_rows(run.terms))
    assert elsewhere(run) == {"executor": "slurm", "job": read_job(run).id, "node": last_lease(run).host}
    (task,) = psutil.Process(int(read_job(run).id)).children()  # what Slurm tells when the limit is near
    first = read_state(run).pid
    task.send_signal(signal.SIGUSR2)
    until(lambda: read_state(run).pid != first)
    assert newest_checkpoint(run.checkpoints).steps > 0  # saved because it was told, long before the next one was due
    until(lambda: look_after(run).is_over)
    assert read_state(run).state is State.FINISHED
    assert json.loads((run.workers / "0001.json").read_text(encoding="utf-8"))["ended"]  # it left by itself
    said = "".join(file.read_text(encoding="utf-8") for file in (run.path / "control" / "slurm").glob("*_log.*"))
    assert "Calling checkpoint method" in said and f"Requeued job {read_job(run).id}" in said
    whole = submit(RunSettings(**long))
    assert wait(whole).state is State.FINISHED
    assert read_json(run.result)["weights_hash"] == read_json(whole.result)["weights_hash"]
    assert [row["step"] for row in read_rows(run.metrics)] == [row["step"] for row in read_rows(whole.metrics)]


@pytest.mark.slow
def test_a_find_by_its_command_gives_candidates_and_winner_to_slurm(toy_corpus, cluster):
    command = [sys.executable, "-m", "embedlab", "find", "run", "--corpus", toy_corpus.fingerprint, "--minutes", "1.5"]
    done = subprocess.run([*command, "--on", "slurm", "--json"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    find, winner = Find.open(found["find"]), open_run(found["winner_run"])
    assert found["verdict"] is not None and found["state"] == "finished"
    assert any(each["kind"] == "trained" and each["state"] == "finished" for each in found["candidates"])
    assert not any(each["state"] == "failed" for each in found["candidates"])
    assert {read_job(job).executor for job in [*find.trainings, winner]} == {"slurm"}
    states = {read_state(job).state for job in find.trainings}
    assert State.FINISHED in states and states <= {State.FINISHED, State.STOPPED}  # at the budget's end
    for job in [winner, *(each for each in find.trainings if read_state(each).state is State.FINISHED)]:
        held = elsewhere(job)
        assert held["executor"] == "slurm" and held["job"].isdecimal() and held["node"] == last_lease(job).host


@OF_SUBMITIT
def test_the_worker_that_submitit_calls_by_its_debug_executor(tiny, store):
    import submitit

    run = create_run("train", tiny)
    write_job(run, Job(executor="slurm", token="a1b2", id="DEBUG"))
    task = WorkerJob(worker_command(run), environment_elsewhere("a1b2", threads=1))
    job = submitit.AutoExecutor(run.path / "control" / "slurm", cluster="debug").submit(task)
    assert job.result() == 0 and read_state(run).state is State.FINISHED
    assert task.checkpoint().function.command == task.command  # it has just ended: there is nobody to tell


def test_who_is_told_to_leave_begins_again_only_where_it_says_so(monkeypatch):
    for number, again in ((signal.SIGUSR2, True), (signal.SIGTERM, False)):
        monkeypatch.setattr(progress, "_told", [number])
        assert progress.is_told_to_leave() and progress.begins_again() is again
    monkeypatch.setattr(progress, "_told", [])
    progress.leave_if_told()
    assert not progress.begins_again()
