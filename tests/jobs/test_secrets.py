"""Keys, tokens and passwords: not one byte of them in what any executor, run, export or failure writes."""

import io
import json
import os
import stat
import subprocess
import sys
import zipfile
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from patience import until
from stand_in_hub import hub_of

from embedlab.cli import main
from embedlab.errors import SettingsError
from embedlab.jobs.executors import EXECUTORS
from embedlab.jobs.executors.ray_cluster import RayCluster
from embedlab.jobs.executors.slurm import Slurm, WorkerJob
from embedlab.jobs.requests.corpora import FetchEncoder
from embedlab.jobs.runner import submit, wait
from embedlab.jobs.worker_process import environment_elsewhere, worker_command, worker_environment
from embedlab.private import holds_secret, secret, secret_file, without_secrets
from embedlab.runs.lease import Job, write_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, list_runs
from embedlab.store_root import make_folder, store_root
from embedlab.training.settings import RunSettings

CANARY = "canary-7f3a9c51"
SECRETS = (
    "EMBEDLAB_ENDPOINT_KEY EMBEDLAB_ANOTHER_TOKEN HF_TOKEN HF_API_KEY HUGGING_FACE_HUB_TOKEN AWS_SECRET_ACCESS_KEY "
    "AWS_SESSION_TOKEN AZURE_STORAGE_CONNECTION_STRING GOOGLE_API_KEY FSSPEC_SFTP_PASSWORD RAY_AUTH_TOKEN SLURM_JWT "
    "SBATCH_TOKEN OPENAI_API_KEY OMP_CANARY MKL_CANARY OPENBLAS_CANARY"
).split()


@pytest.fixture(autouse=True)
def nothing_from_files(monkeypatch):
    """What one test reads from a file is no secret in the next."""
    monkeypatch.setattr("embedlab.private._from_files", set())


@pytest.fixture
def canaries(monkeypatch):
    """A value to look for in every variable that may hold a secret, and in a URL."""
    for name in SECRETS:
        monkeypatch.setenv(name, f"{CANARY}-{name}")
    monkeypatch.setenv("HF_ENDPOINT", f"https://me:{CANARY}@hub.example")


@pytest.fixture
def tiny(tiny) -> dict:
    return {**tiny, "live_map": False, "max_steps": 1}


def holding(place: Path, sought: str = CANARY) -> list[str]:
    """The files below a folder in which it stands, zips opened; a pickle holds strings as they are."""

    def stands(contents: bytes) -> bool:
        if sought.encode() in contents:
            return True
        if not zipfile.is_zipfile(io.BytesIO(contents)):
            return False
        with zipfile.ZipFile(io.BytesIO(contents)) as packed:
            return any(stands(packed.read(name)) for name in packed.namelist())

    files = [path for path in place.rglob("*") if path.is_file()]
    assert files
    return [str(path.relative_to(place)) for path in files if stands(path.read_bytes())]


def open_to_others(place: Path) -> list[str]:
    return [str(path) for path in (place, *place.rglob("*")) if path.is_dir() and path.stat().st_mode & 0o077]


def test_the_search_finds_it_in_a_zip_and_in_a_pickle(tmp_path):
    import pickle

    (tmp_path / "job.pkl").write_bytes(pickle.dumps({"KEY": CANARY}))
    with zipfile.ZipFile(tmp_path / "run.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("log.txt", CANARY * 50)
    assert sorted(holding(tmp_path)) == ["job.pkl", "run.zip"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # submitit leaves a process running
def test_no_executor_run_export_or_failure_writes_a_secret(tiny, tmp_path, canaries, monkeypatch):
    submitit = pytest.importorskip("submitit", reason="submitit is not installed")
    run = submit(RunSettings(**tiny))
    assert wait(run).state is State.FINISHED
    assert main(["runs", "export", run.id, "--out", str(tmp_path / "run.zip"), "--quiet"]) == 0

    monkeypatch.setitem(EXECUTORS, "slurm", Slurm("local"))
    run = submit(RunSettings(**tiny), on="slurm")
    until(lambda: read_state(run).is_over)  # submitit's stand-in cannot be asked by another process than its own
    assert read_state(run).state is State.FINISHED

    debugged = create_run("train", tiny)
    write_job(debugged, Job(executor="slurm", token="a1b2", id="DEBUG"))
    make_folder(debugged.path / "control" / "slurm")  # as the executor does, which submitit would open to others
    task = WorkerJob(worker_command(debugged), environment_elsewhere("a1b2", threads=1))
    assert submitit.AutoExecutor(debugged.path / "control" / "slurm", cluster="debug").submit(task).result() == 0

    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name in ("sbatch", "srun", "sacct", "scancel"):
        (bin_folder / name).write_text("#!/bin/sh\necho Submitted batch job 4711\n", encoding="utf-8")
        (bin_folder / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setitem(EXECUTORS, "slurm", Slurm())
    given = submit(RunSettings(**tiny), on="slurm")
    assert (given.path / "control" / "slurm" / "4711_submitted.pkl").is_file()

    told = []

    def asked(self, what, **sent):
        told.append(json.dumps(sent))
        return [{"cpus": 4, "gpus": 0, "memory_bytes": 2**34}] if what == "machines" else "raysubmit_1"

    monkeypatch.setattr(RayCluster, "_ask", asked)
    submit(RunSettings(**tiny), on="ray")
    assert any("env" in each for each in told) and not any(CANARY in each for each in told)

    crash = f"no such thing: {CANARY}-HF_TOKEN at https://me:{CANARY}@hub.example"
    monkeypatch.setattr("embedlab.tasks.TASKS", {"train": _Crashing(crash)})
    from embedlab.worker import work as worker

    broken = create_run("train", tiny)
    with open(tmp_path / "said.txt", "w", encoding="utf-8") as said:
        monkeypatch.setattr("sys.stderr", said)
        assert worker._work(broken) == 1
    assert "no such thing: •••" in (tmp_path / "said.txt").read_text(encoding="utf-8")

    assert len(list_runs()) == 6
    assert holding(tmp_path) == []
    assert open_to_others(store_root()) == []


class _Crashing:
    """A task that ends with an error of a library, which repeats what it was given."""

    may_connect, needs_device, only_waits = True, False, True

    def __init__(self, sentence: str):
        self.sentence = sentence

    def read(self, settings):
        return RunSettings(**settings)

    def run(self, folder, request, progress):
        raise ValueError(self.sentence)


def test_workers_here_get_secrets_by_their_environment_alone(canaries, store):
    assert worker_environment()["HF_TOKEN"].startswith(CANARY)
    assert CANARY not in json.dumps(environment_elsewhere("a1b2", threads=1))


def test_workers_find_the_libraries_that_their_parent_finds(monkeypatch, store):
    """As clusters' modules and folders of wheels give them."""
    ours = str(Path(__file__).resolve().parents[2])
    for before, after in ((None, ours), ("/opt/libraries", os.pathsep.join([ours, "/opt/libraries"]))):
        monkeypatch.delenv("PYTHONPATH", raising=False)
        if before is not None:
            monkeypatch.setenv("PYTHONPATH", before)
        assert worker_environment()["PYTHONPATH"] == after == environment_elsewhere("a1", threads=1)["PYTHONPATH"]


@pytest.mark.parametrize(
    ("url", "secret_in_it"),
    [
        ("sftp://anna@host/store", False),
        ("abfs://container@account.dfs.core.windows.net/store", False),
        ("s3://bucket/store", False),
        ("file:///data/a@b:c", False),
        ("sftp://anna:pass@host/store", True),
        ("https://token@host/store", True),
        ("https://host/store?sig=abc", True),
        ("simplecache::s3://key:secret@bucket/store", True),
    ],
)
def test_an_address_tells_whether_it_carries_a_password(url, secret_in_it):
    assert holds_secret(url) is secret_in_it


def test_a_setting_with_a_password_is_refused_before_it_is_stored(tiny):
    with pytest.raises(SettingsError, match="'url'") as refused:
        create_run("summarise", {"settings": {}, "url": f"http://me:{CANARY}@host/v1"})
    assert refused.value.code == "E-SECRET" and CANARY not in refused.value.message
    assert not list_runs("jobs")


def test_a_secret_comes_from_the_environment_or_from_a_file_of_the_owners_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("EMBEDLAB_ENDPOINT_KEY", raising=False)
    file = secret_file("EMBEDLAB_ENDPOINT_KEY")
    assert secret("EMBEDLAB_ENDPOINT_KEY") is None
    file.parent.mkdir(parents=True)
    file.write_text(f"{CANARY}\n", encoding="utf-8")
    file.chmod(0o640)
    with pytest.raises(SettingsError, match="chmod 600"):
        secret("EMBEDLAB_ENDPOINT_KEY")
    file.chmod(0o600)
    assert secret("EMBEDLAB_ENDPOINT_KEY") == CANARY
    monkeypatch.setenv("EMBEDLAB_ENDPOINT_KEY", "another")
    assert secret("EMBEDLAB_ENDPOINT_KEY") == "another"


def test_what_repeats_a_secret_is_written_with_dots(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_abc\x01def")
    told = "Illegal header value b'Bearer hf_abc\\x01def' for https://me:pass@host/x, hf_abc\x01def"
    assert without_secrets(told) == "Illegal header value b'Bearer •••' for https://me:•••@host/x, •••"
    monkeypatch.setenv("SOME_KEY", "on")
    assert without_secrets("on and on") == "on and on"


@pytest.mark.parametrize("name", [*SECRETS[:-3], "GITHUB_PAT", "MYSQL_PWD", "SLACK_WEBHOOK", "PROXY_AUTHORIZATION"])
def test_a_secret_of_any_name_is_written_with_dots(monkeypatch, name):
    monkeypatch.setenv(name, f"{CANARY}-{name}")
    assert without_secrets(f"KeyError: '{CANARY}-{name}'") == "KeyError: '•••'"


@pytest.mark.parametrize(
    "told",
    [
        "403 Forbidden for url 'https://cdn.example/x?Policy={}&X-Amz-Signature={}&Key-Pair-Id={}'",
        "headers={{'authorization': 'Bearer {}', 'accept': 'application/json'}}",
        "Headers([(b'cookie', b'{}'), (b'host', b'hub.example')])",
        "> Authorization: Basic {}\n> Host: hub.example",
        "('proxy-authorization', '{}')",
        "ConnectError at http://anna:{}@proxy.example:8080",
    ],
)
def test_a_header_or_a_signed_address_is_written_with_dots(told):
    secrets = [f"{CANARY}.{number}" for number in range(told.count("{}"))]
    written = without_secrets(told.format(*secrets))
    assert written == told.format(*["•••"] * len(secrets))


def test_addresses_and_headers_that_hold_nothing_stay_as_they_are():
    told = "GET https://hub.example/api/models/a/b?revision=main with accept: application/json, 2 tokens = 3 keys"
    assert without_secrets(told) == told


def test_a_secret_from_a_file_is_written_with_dots(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("EMBEDLAB_ENDPOINT_KEY", raising=False)
    monkeypatch.setenv("HF_TOKEN", f"{CANARY}-and-more")  # begins with the other
    file = secret_file("EMBEDLAB_ENDPOINT_KEY")
    file.parent.mkdir(parents=True)
    file.write_text(CANARY, encoding="utf-8")
    file.chmod(0o600)
    assert secret("EMBEDLAB_ENDPOINT_KEY") == CANARY
    assert without_secrets(f"got {CANARY} and {CANARY}-and-more") == "got ••• and •••"


@pytest.mark.parametrize("task", ["train", "fetch", "summarise", "push", "find", "study", "evaluate"])
def test_a_job_of_any_kind_that_crashes_writes_no_secret(tiny, tmp_path, canaries, monkeypatch, task):
    from embedlab.worker import work as worker

    crash = f"no such thing: {CANARY}-HF_TOKEN, {CANARY}-SLURM_JWT, authorization: Bearer {CANARY}"
    monkeypatch.setattr("embedlab.tasks.TASKS", {task: _Crashing(crash)})
    broken = create_run(task, tiny)
    with open(tmp_path / "said.txt", "w", encoding="utf-8") as said:
        monkeypatch.setattr("sys.stderr", said)
        assert worker._work(broken) == 1
    assert "no such thing: •••, •••, authorization: Bearer •••" in (tmp_path / "said.txt").read_text(encoding="utf-8")
    assert holding(tmp_path) == []


def test_an_error_of_a_thread_or_of_the_whole_worker_is_written_without_secrets(tmp_path, canaries):
    """What ends a worker outside its job goes to the same log, by way of Python itself."""
    code = (
        "import threading, os; from embedlab.private import hide_in_tracebacks; hide_in_tracebacks()\n"
        "def fail(): raise ValueError(os.environ['HF_TOKEN'])\n"
        "thread = threading.Thread(target=fail); thread.start(); thread.join(); fail()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.count("ValueError: •••") == 2 and CANARY not in done.stderr


def test_a_hub_that_repeats_the_token_has_it_written_nowhere(store, tmp_path, canaries, monkeypatch):
    """Fetched by a worker: the token goes to the hub, whose refusal names it."""
    seen = []

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.headers.get("authorization", ""))
            said = f"go away, {seen[-1]}".encode()
            self.send_response(403, f"not for {seen[-1]}")
            self.send_header("X-Error-Message", f"{seen[-1]} may not")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    with hub_of(Hub, monkeypatch):
        facts = wait(submit(FetchEncoder(encoder="hf:anna/encoder")))
    assert facts.state is State.FAILED and any(CANARY in each for each in seen)
    assert holding(store) == []


def test_a_store_that_was_open_is_closed_and_what_is_not_ours_is_left(tmp_path, monkeypatch):
    store = tmp_path / "old"
    monkeypatch.setenv("EMBEDLAB_HOME", str(store))
    make_folder(store / "runs")
    for folder in (store, store / "runs"):
        folder.chmod(0o755)
    store_root()
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    for folder in (store / "of others", store / "maps"):
        folder.mkdir()
        folder.chmod(0o755)
    store.chmod(0o755)
    store_root()
    assert stat.S_IMODE(store.stat().st_mode) == 0o755 and stat.S_IMODE((store / "runs").stat().st_mode) == 0o700
    assert stat.S_IMODE((store / "maps").stat().st_mode) == 0o755  # a user's folder that is called like one of ours
