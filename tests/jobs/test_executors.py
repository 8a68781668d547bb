"""What every executor promises, and what a user's mistake with one says: one sentence, and nothing is lost."""

import importlib.util
import json
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from embedlab.cli import main
from embedlab.errors import RunError
from embedlab.jobs.executors import EXECUTORS, LOCAL, executor_of, executor_with, ray_cluster
from embedlab.jobs.executors.base import Executor
from embedlab.jobs.resources import Machine, Resources, places, resources_of, settled, why_nowhere
from embedlab.jobs.runner import submit
from embedlab.jobs.versions import difference
from embedlab.runs.lease import Job, place_line, read_job, write_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run
from embedlab.store_root import read_json
from embedlab.training.settings import RunSettings

ROOT = Path(__file__).resolve().parents[2]
GB = 10**9


@pytest.fixture
def nobody_there(monkeypatch) -> str:
    """An address at which no cluster answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("RAY_API_SERVER_ADDRESS", address)
    return address


@pytest.mark.parametrize("executor", EXECUTORS.values(), ids=EXECUTORS)
def test_every_executor_keeps_the_contract(executor: Executor, store, nobody_there):
    assert isinstance(executor, Executor) and executor_of(executor.key) is executor
    assert executor.title and executor.needs.endswith(".")
    why = executor.unreachable()
    assert why is None or (why.endswith(".") and "Traceback" not in why)
    run = create_run("train", {"corpus": "?"})
    write_job(run, None if executor is LOCAL else Job(executor=executor.key, token="a1"))
    assert executor_with(run) is executor
    assert executor.log(run) == ""  # nobody has said anything yet
    executor.stop(run)  # there is nothing to stop, and that is no mistake
    if executor is not LOCAL:
        assert executor.ended(run) is None
        write_job(run, Job(executor=executor.key, token="a1", id="4711"))
        assert executor.ended(run) is None  # nobody answers: nothing is known
        assert executor.log(run) == ""
        executor.stop(run)
    if why is not None:
        with pytest.raises(RunError) as refused:
            executor.take(run)
        assert refused.value.code == "E-EXECUTOR" and refused.value.message == why


def test_the_packages_of_an_executor_stay_out_of_the_app():
    code = "import sys, embedlab.ui.frame.sidebar; print([m for m in sys.modules if m in ('ray', 'submitit')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"
    for name in ("ray", "slurm"):
        pins = (ROOT / f"embedlab/jobs/requirements-{name}.txt").read_text(encoding="utf-8").splitlines()
        assert all("==" in line for line in pins if line and not line.startswith("#")), name


def test_which_machines_a_run_fits_on_by_hand():
    machines = [Machine(4, 1, 8 * GB), Machine(2, 0, 3 * GB)]
    assert places(Resources(), machines) == 6
    assert places(Resources(cpus=2, memory_bytes=2 * GB), machines) == 3  # two by four cores, one by three gigabytes
    assert places(Resources(cpus=1, gpus=1), machines) == 1
    assert settled(Resources(gpus=None), machines).gpus == 1 and settled(Resources(gpus=None), machines[1:]).gpus == 0
    assert settled(Resources(gpus=0), machines).gpus == 0
    assert "no machine of the cluster has one" in why_nowhere(Resources(gpus=1), machines[1:])
    said = why_nowhere(Resources(memory_bytes=9 * GB), machines)
    assert "9.0 GB" in said and "8.0 GB" in said
    both = settled(Resources(cpus=2, gpus=None, processes=2), machines)  # on cores: there is one GPU
    assert both.gpus == 0 and both.threads == 1
    assert "asks for 2 GPUs" in why_nowhere(Resources(gpus=2, processes=2), machines)
    said = why_nowhere(Resources(cpus=8, memory_bytes=8 * GB), machines)  # as much memory as there is
    assert "8 cores" in said and "has 4" in said


def test_other_versions_are_a_sentence():
    mine = {"python": "3.11.7", "torch": "2.13.0", "embedlab": "aa"}
    assert difference(mine, dict(mine), "node-7") is None
    assert difference(mine, {"python": "3.11.7", "embedlab": "aa"}, "node-7") is None  # draws no maps there
    said = difference(mine, {**mine, "torch": "2.12.1"}, "node-7")
    assert "node-7" in said and "torch 2.12.1 there and 2.13.0 here" in said


def test_an_executor_nobody_knows(tiny, monkeypatch, capsys):
    with pytest.raises(RunError, match="no executor “moon”"):
        executor_of("moon")
    assert main(["train", "--corpus", tiny["corpus"], "--on", "moon"]) == 2
    assert capsys.readouterr().err.strip() == "There is no executor “moon”. Choose one of: local, ray, slurm."
    monkeypatch.setenv("EMBEDLAB_EXECUTOR", "moon")
    facts = read_state(submit(RunSettings(**tiny)))
    assert facts.state is State.FAILED and "EMBEDLAB_EXECUTOR names it" in facts.failure.message


def test_a_cluster_that_does_not_answer_loses_nothing(tiny, nobody_there, monkeypatch):
    pytest.importorskip("ray", reason="ray is not installed: embedlab/jobs/requirements-ray.txt")
    monkeypatch.setenv("EMBEDLAB_EXECUTOR", "ray")
    run = submit(RunSettings(**tiny))
    facts = read_state(run)
    assert facts.state is State.FAILED and facts.exit_code == 2 and facts.failure.code == "E-EXECUTOR"
    assert facts.failure.message.startswith(f"No Ray cluster answers at {nobody_there}. ")
    assert facts.failure.message.endswith(f"runs resume {run.id} --on local") and place_line(run) == "ray"
    assert main(["runs", "resume", run.id, "--on", "local", "--quiet"]) == 0
    assert read_state(run).state is State.FINISHED and read_job(run) is None and read_json(run.result)["steps"] > 0
    again = create_run("train", RunSettings(**tiny, device="cpu").stored)
    assert resources_of(again) == Resources(1, 0, None)  # a run of other settings tells nothing
    peak = read_state(run).peak_bytes
    assert resources_of(create_run("train", RunSettings(**tiny).stored)) == Resources(1, None, peak)
    monkeypatch.setenv("EMBEDLAB_PROCESSES", "3")
    monkeypatch.setenv("EMBEDLAB_EXECUTOR_CPUS", "2")
    assert resources_of(create_run("train", RunSettings(**tiny).stored)) == Resources(6, None, 3 * peak, 3)
    assert resources_of(create_run("train", {**tiny, "device": "cuda"})).gpus == 3
    assert resources_of(create_run("map", {"run": run.id, "device": "cpu"})).processes == 1


@pytest.mark.parametrize(("key", "package"), [("ray", "ray"), ("slurm", "submitit")])
def test_an_executor_without_its_package(tiny, key, package, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name == package else real(name))
    assert f"Install embedlab/jobs/requirements-{key}.txt." in EXECUTORS[key].unreachable()
    facts = read_state(submit(RunSettings(**tiny), on=key))
    assert facts.state is State.FAILED and "is not installed" in facts.failure.message
    assert "--on local" in facts.failure.message


def test_the_list_says_who_is_reachable_and_why_not(store, nobody_there, capsys):
    assert main(["executors", "--json"]) == 0
    found = {each["key"]: each for each in json.loads(capsys.readouterr().out)["executors"]}
    assert list(found) == ["local", "ray", "slurm"]
    assert found["local"]["reachable"] and found["local"]["chosen"] and found["local"]["why"] is None
    assert not found["ray"]["reachable"] and found["ray"]["why"].endswith(".") and not found["ray"]["chosen"]
    assert main(["executors"]) == 0
    assert "local    This computer: reachable, new runs go here" in capsys.readouterr().out


def test_a_setting_of_a_cluster_that_is_no_number(tiny, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_EXECUTOR_CPUS", "many")
    monkeypatch.setattr("embedlab.jobs.executors.slurm.Slurm.unreachable", lambda _: None)
    facts = read_state(submit(RunSettings(**tiny), on="slurm"))
    assert facts.state is State.FAILED and "EMBEDLAB_EXECUTOR_CPUS must be a whole number" in facts.failure.message


def test_the_log_of_a_run_is_printed_as_it_is_said(tiny, capsys, monkeypatch):
    run = create_run("train", {**tiny})
    said = ["one\n", "one\ntwo\n", "one\ntwo\nthree\n"]
    states = [State.RUNNING, State.RUNNING, State.FINISHED]
    monkeypatch.setattr(type(LOCAL), "log", lambda self, folder: said.pop(0) if len(said) > 1 else said[0])
    monkeypatch.setattr(
        "embedlab.cli.listing.read_state", lambda folder: SimpleNamespace(is_over=states.pop(0).is_over)
    )
    monkeypatch.setattr("embedlab.cli.listing.time.sleep", lambda seconds: None)
    assert main(["runs", "log", run.id, "--follow"]) == 0
    assert capsys.readouterr().out == "one\ntwo\nthree\n"
    assert main(["runs", "log", run.id, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"run": run.id, "log": "one\ntwo\nthree\n"}


def test_a_token_is_shown_wherever_there_is_one_as_ray_start_does(tmp_path, monkeypatch):
    monkeypatch.setattr(ray_cluster, "TOKEN_FILE", tmp_path / "auth_token")
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    assert ray_cluster.authentication() == {}
    (tmp_path / "auth_token").write_text("secret", encoding="utf-8")
    assert ray_cluster.authentication() == {"RAY_AUTH_MODE": "token"}
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # said by the user
    assert ray_cluster.authentication() == {}
