"""A real Ray cluster of two nodes on this machine: runs spread, stop, survive a node, and say what is wrong with it."""

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import BuiltinFunctionType

import numpy as np
import pytest
from made_finds import table
from patience import until
from toy_corpora import store_toy

from embedlab.encoders.load import load_encoder
from embedlab.errors import RunError
from embedlab.finds import conclusion
from embedlab.finds import search as searching
from embedlab.finds.earlier import EarlierFinds
from embedlab.finds.model import FindSettings
from embedlab.finds.search import Search
from embedlab.finds.store import Find
from embedlab.jobs.executors import EXECUTORS
from embedlab.jobs.executors.ray_data import over_cluster
from embedlab.jobs.requests.working import RunFind, RunStudy
from embedlab.jobs.resources import Resources
from embedlab.jobs.runner import enforce_stop, look_after, request_stop, resume, submit, wait
from embedlab.progress import silent
from embedlab.runs import lease as held
from embedlab.runs.lease import elsewhere, read_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import list_runs, open_run, read_rows, stored_request
from embedlab.store_root import read_json
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study, runs_of
from embedlab.tasks.find.workshop import CorpusWorkshop
from embedlab.tasks.measure import sharing
from embedlab.tasks.measure.embedded import embed_aside
from embedlab.training.checkpoints import newest_checkpoint
from embedlab.training.settings import RunSettings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PYTHON = shlex.quote(sys.executable)
RAY = EXECUTORS["ray"]
STEPS = 1200  # of 5 ms each; eight are an epoch
LONG = {"epochs": STEPS // 8, "checkpoint_every": 100, "evaluate_every": 400}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two nodes of one core each; the head is the first."""
    pytest.importorskip("ray", reason="ray is not installed: pip install -r embedlab/jobs/requirements-ray.txt")
    from ray.cluster_utils import Cluster

    with socket.socket() as free, pytest.MonkeyPatch.context() as patch:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")  # these nodes ask for no token, whether this computer has one or not
        free.close()
        small = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
        head = {**small, "include_dashboard": True, "dashboard_port": port}
        made = Cluster(initialize_head=True, head_node_args=head)
        made.small = small
        made.add_node(**small)
        yield made
        made.shutdown()


@pytest.fixture
def on_ray(cluster, store, monkeypatch):
    """New runs go there."""
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    monkeypatch.setenv("EMBEDLAB_EXECUTOR", "ray")
    until(lambda: len(RAY._machines()) == 2, seconds=60)
    yield
    for run in list_runs():  # of a test that failed: the nodes are the next one's
        if read_job(run) is not None and not read_state(run).is_over:
            request_stop(run)
            RAY.stop(run)


def node_of(run) -> str | None:
    """On which it works, by Ray's name."""
    from ray.job_submission import JobSubmissionClient

    return JobSubmissionClient().get_job_info(read_job(run).id).driver_node_id


@pytest.fixture
def tiny(tiny) -> dict:
    return {**tiny, "live_map": False}


def waited(run, seconds=120):
    until(lambda: look_after(run).is_over, seconds=seconds)
    return read_state(run)


def test_a_study_of_six_runs_uses_both_nodes(on_ray, toy_corpus, tiny):
    settings = {name: tiny[name] for name in ("batch_size", "vocabulary_size")}
    swept = {"values": (0.05, 0.5), "seeds": (0, 1, 2)}
    asked = asked_study("temperature", toy_corpus.info, layers=0, settings=settings, **swept)
    study = Study.create(asked)
    stages = []
    facts = wait(submit(RunStudy(study=study.id)), lambda stage, *_: stages.append(stage))
    assert facts.state is State.FINISHED
    runs = list_runs()
    assert sorted(runs_of(study).values()) == sorted(run.id for run in runs) and len(runs) == 6
    assert {read_state(run).state for run in runs} == {State.FINISHED}
    assert len({node_of(run) for run in runs}) == 2
    assert any("and 1 more" in stage for stage in stages) and not any("and 2 more" in stage for stage in stages)
    assert len({read_json(run.result)["weights_hash"] for run in runs}) == 6


def test_candidates_of_a_find_are_worked_on_by_both_nodes_and_give_the_table_of_this_computer(
    on_ray, toy_corpus, monkeypatch
):
    monkeypatch.setattr(searching, "more_entrants", lambda each, left: 1)
    monkeypatch.setattr(searching, "MOST", 3)
    monkeypatch.setattr(conclusion, "WIDEST", 1.0)  # however few the texts are
    monkeypatch.setattr(searching, "LENGTHS", (2.0, 0.5, 4.0))
    monkeypatch.setattr(CorpusWorkshop, "encoders", ["words"])
    monkeypatch.setattr(EarlierFinds, "look", lambda *candidate: None)  # each measures for itself
    tables, stages = [], []
    for executor in (EXECUTORS["local"], RAY):
        settings = FindSettings(corpus=toy_corpus.info.fingerprint, minutes=100)
        find = Find.create(settings)
        told = silent if executor is not RAY else lambda stage, *rest: stages.append(stage)
        results = Search(find, settings, CorpusWorkshop(find, settings, toy_corpus, told, executor)).run()
        values = [(each.key, each.state, [point.value for point in each.points]) for each in results.candidates]
        tables.append((values, results.leaderboard, results.chosen))
    assert tables[0] == tables[1]
    jobs = find.trainings
    assert len(jobs) >= 5 and {read_state(job).state for job in jobs} == {State.FINISHED}
    assert len({node_of(job) for job in jobs}) == 2
    assert any(": 2 running" in stage for stage in stages)
    assert not any(find.run_of(each.key).checkpoints.exists() for each in results.candidates)


def test_a_find_by_its_command_gives_candidates_and_winner_to_both_nodes(on_ray, toy_corpus, monkeypatch):
    monkeypatch.delenv("EMBEDLAB_EXECUTOR")  # the command says it
    command = [sys.executable, "-m", "embedlab", "find", "run", "--corpus", toy_corpus.fingerprint, "--minutes", "2"]
    done = subprocess.run([*command, "--on", "ray", "--json"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    find, winner = Find.open(found["find"]), open_run(found["winner_run"])
    assert found["verdict"] is not None and found["state"] == "finished"
    assert any(each["kind"] == "trained" and each["state"] == "finished" for each in found["candidates"])
    assert read_state(winner).state is State.FINISHED
    assert {read_state(job).state for job in find.trainings} <= {State.FINISHED, State.STOPPED}  # at the budget's end
    assert {read_job(job).executor for job in [*find.trainings, winner]} == {"ray"}
    assert len({node_of(job) for job in find.trainings}) == 2


def test_a_find_stopped_then_killed_on_ray_ends_with_the_table_of_one_left_alone(
    on_ray, toy_corpus, monkeypatch, tmp_path
):
    worker = ROOT / "tests" / "finds" / "counted_worker.py"
    monkeypatch.setenv("EMBEDLAB_WORKER", f"{PYTHON} {shlex.quote(str(worker))}")
    monkeypatch.setenv("EMBEDLAB_COUNTED_TRAININGS", "3")
    settings = {"minutes": 1000, "width_known": True}

    def is_at_work(find, rung: int) -> bool:
        return any(
            job.path.name.endswith(str(rung)) and read_state(job).state is State.RUNNING for job in find.trainings
        )

    find = Find.create(FindSettings(corpus=toy_corpus.fingerprint, **settings))
    job = submit(RunFind(find=find.id, on="ray"))
    until(lambda: is_at_work(find, 0) or read_state(job).is_over, seconds=240)
    request_stop(job)
    assert wait(job).state is State.STOPPED and all(read_state(each).is_over for each in find.trainings)
    job = submit(RunFind(find=find.id, on="ray"))
    until(lambda: is_at_work(find, 1) or read_state(job).is_over, seconds=240)
    os.kill(read_state(job).pid, signal.SIGKILL)
    until(lambda: read_state(job).state is State.INTERRUPTED)
    assert wait(submit(RunFind(find=find.id, on="ray"))).state is State.FINISHED
    resumed = table(find)

    monkeypatch.setenv("EMBEDLAB_HOME", str(tmp_path / "whole"))
    monkeypatch.delenv("EMBEDLAB_EXECUTOR")
    whole = Find.create(FindSettings(corpus=store_toy().fingerprint, **settings))
    assert wait(submit(RunFind(find=whole.id))).state is State.FINISHED
    assert resumed == table(whole)


def test_a_node_that_dies_interrupts_its_run_and_another_ends_it_with_the_same_bits(on_ray, cluster, tiny, monkeypatch):
    runs = [submit(RunSettings(**{**tiny, **LONG})) for _ in range(2)]
    until(lambda: all(newest_checkpoint(run.checkpoints) for run in runs))
    dying = next(node for node in cluster.list_all_nodes() if node is not cluster.head_node)
    (run,) = [run for run in runs if node_of(run) == dying.node_id]
    (whole,) = [each for each in runs if each is not run]
    monkeypatch.setattr(held, "this_host", lambda: "the-driver")  # to which the nodes are other machines
    cluster.remove_node(dying, allow_graceful=False)
    os.kill(
        read_state(run).pid, signal.SIGKILL
    )  # a machine that dies takes its processes along; here it is only a name
    began = time.monotonic()
    until(lambda: read_state(run).state is State.INTERRUPTED, seconds=30)
    assert time.monotonic() - began > held.SILENT_SECONDS - 2 * held.BEAT_SECONDS  # told by its silence alone
    cluster.add_node(**cluster.small)
    at = newest_checkpoint(run.checkpoints).steps
    assert 0 < at < STEPS
    first = read_job(run)
    resume(run)
    assert read_job(run).token != first.token and waited(run).state is State.FINISHED
    assert waited(whole).state is State.FINISHED
    found, expected = (read_json(each.result) for each in (run, whole))
    assert found["weights_hash"] == expected["weights_hash"] and found["knn"] == expected["knn"]
    assert [row["step"] for row in read_rows(run.metrics)] == [row["step"] for row in read_rows(whole.metrics)]


def test_stop_and_a_second_driver(on_ray, tiny):
    runs = [submit(RunSettings(**{**tiny, **LONG, "epochs": 1000, "seed": seed})) for seed in range(3)]
    until(lambda: sum(bool(read_rows(run.terms)) for run in runs) == 2)
    waiting = next(run for run in runs if not read_rows(run.terms))
    assert read_state(waiting).state is State.QUEUED
    request_stop(waiting)
    enforce_stop(waiting)
    assert read_state(waiting).state is State.STOPPED
    first, second = (run for run in runs if run is not waiting)
    command = [sys.executable, "-m", "embedlab", "runs"]
    shown = subprocess.run([*command, "show", first.id, "--json"], capture_output=True, text=True, check=True, cwd=ROOT)
    seen = json.loads(shown.stdout)
    assert (seen["state"], seen["executor"], seen["job"]) == ("running", "ray", read_job(first).id)
    assert seen["node"] == socket.gethostname()
    subprocess.run([*command, "stop", first.id], check=True, cwd=ROOT, capture_output=True)
    request_stop(second)
    for run in (first, second):
        assert waited(run).state is State.STOPPED and run.encoder.is_dir() and read_json(run.result)["stopped"]
    until(lambda: RAY.ended(waiting))  # and it did not begin when a node was free
    assert read_state(waiting).state is State.STOPPED and not waiting.metrics.exists()


def test_maps_are_drawn_by_the_same_worker_after_its_run(on_ray, tiny):
    run = submit(RunSettings(**{**tiny, "maps": True}))
    assert waited(run).state is State.FINISHED
    (job,) = list_runs("jobs")
    assert stored_request(job).task == "map" and read_job(job) == read_job(run)
    assert waited(job).state is State.FINISHED and run.map("after", "tsne").exists()
    assert "Running entrypoint" in RAY.log(run)  # Ray's own log comes before the worker's


def test_a_worker_with_other_versions_refuses_before_it_begins(on_ray, tiny, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "embedlab", tmp_path / "embedlab", ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / "embedlab" / "errors.py", "a", encoding="utf-8") as file:
        file.write("# another state of the code\n")
    monkeypatch.setenv("EMBEDLAB_WORKER", f"env -C {tmp_path} PYTHONPATH={tmp_path} {PYTHON} -m embedlab.worker")
    run = submit(RunSettings(**tiny))
    facts = waited(run)
    assert facts.state is State.FAILED and facts.failure.code == "E-VERSIONS" and facts.exit_code == 2
    here = read_job(run).versions["embedlab"]
    assert f"embedlab {here}" not in facts.failure.message and f"there and {here} here" in facts.failure.message
    assert not run.metrics.exists() and f"runs resume {run.id} --on local" in facts.failure.message


def test_a_node_that_does_not_see_the_store(on_ray, tiny, monkeypatch):
    there = f'exec {PYTHON} -m embedlab.worker "/not-mounted$0"'  # where that node would look for it
    monkeypatch.setenv("EMBEDLAB_WORKER", f"sh -c {shlex.quote(there)}")
    run = submit(RunSettings(**tiny))
    facts = waited(run)
    assert facts.state is State.FAILED and facts.failure.code == "E-EXECUTOR"
    assert "does not see the run's folder" in facts.failure.message and "/not-mounted" in facts.failure.message
    assert elsewhere(run)["node"] is None


def test_a_run_that_asks_for_a_gpu_or_memory_that_no_node_has_is_refused_at_once(on_ray, tiny, monkeypatch):
    facts = read_state(submit(RunSettings(**{**tiny, "device": "cuda"})))
    assert facts.state is State.FAILED and "no machine of the cluster has one" in facts.failure.message
    with monkeypatch.context() as patch:
        patch.setattr("embedlab.jobs.executors.ray_cluster.resources_of", lambda _: Resources(memory_bytes=10**15))
        facts = read_state(submit(RunSettings(**tiny)))
    assert facts.state is State.FAILED and "would take 1000000.0 GB of memory" in facts.failure.message
    monkeypatch.setenv("EMBEDLAB_EXECUTOR_CPUS", "3")
    facts = read_state(submit(RunSettings(**tiny)))
    assert facts.state is State.FAILED and "asks for 3 cores" in facts.failure.message


def test_a_corpus_is_embedded_by_both_nodes_as_by_one_process(on_ray, toy_corpus, tmp_path):
    from ray.job_submission import JobSubmissionClient
    from ray.util.state import list_actors

    encoder = load_encoder("scratch:bert-tiny", corpus=toy_corpus, vocabulary_size=300)
    encoder.save(tmp_path / "encoder")
    command = [sys.executable, "-m", "embedlab", "embed", "--encoder", str(tmp_path / "encoder")]
    command += ["--corpus", toy_corpus.fingerprint, "--precision", "fp32", "--out"]
    done = subprocess.run(
        [*command, str(tmp_path / "ray.npy"), "--on", "ray"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    here = embed_aside(encoder, toy_corpus, device="cpu", progress=silent, name="here")
    assert np.array_equal(np.load(tmp_path / "ray.npy"), here) and here.any(axis=1).all()
    actors = [each for each in list_actors(address=JobSubmissionClient().get_address()) if "OnRay" in each.class_name]
    assert len(actors) == 2 and len({each.node_id for each in actors}) == 2


def test_a_machine_that_cannot_embed_is_one_sentence(on_ray):
    told = {"handed": {"corpus": "0123456789abcdef"}, "count": 2}
    with pytest.raises(RunError, match="A machine of the Ray cluster failed: No stored corpus .*0123456789abcdef"):
        list(over_cluster(sharing.OnRay, told, [{"start": 0, "stop": 1, "number": 0}], most=1))
    assert isinstance(print, BuiltinFunctionType)  # with Ray's own, what numba compiles later would not compile
