"""Starts, stops and waits for workers: a worker is one process, one folder, one command line."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from filelock import FileLock

from embedlab.errors import EmbedlabError, RunError
from embedlab.jobs.executors import executor_of
from embedlab.jobs.offline import as_the_user_had_it
from embedlab.jobs.progress import read_progress
from embedlab.runs.folder import RunFolder
from embedlab.runs.job import Job, read_heartbeat, read_job, write_job
from embedlab.runs.state import RunState, State, now, read_state, write_state
from embedlab.runs.store import create_run, list_runs, read_settings
from embedlab.store_root import store_root

PACKAGE_PARENT = Path(__file__).resolve().parents[2]
STOP_PATIENCE_SECONDS = 20  # for a step and what must be saved; then the process group is ended
_KEPT_ENVIRONMENT = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "APPDATA")
_KEPT_PREFIXES = (
    "EMBEDLAB_",
    "LC_",
    "CUDA_",
    "OMP_",
    "OPENBLAS_",
    "MKL_",
    "XDG_",
    "HF_",
    "LOCALAPPDATA",
    "LD_LIBRARY",
    "VIRTUAL_",
    "SSL_",
)

_children: list[subprocess.Popen] = []


def start(folder: RunFolder, on: str | None = None) -> RunFolder:
    """Start the worker of a queued run: it outlives the app and the browser.

    ``on``: a key of ``jobs.executors.EXECUTORS``, else what ``EMBEDLAB_EXECUTOR`` says. Only trainings leave this
    machine; what is drawn and measured of them afterwards is work of seconds.
    """
    executor = executor_of(on) if folder.path.parent.name == "runs" else None
    if executor is None:
        write_job(folder, None)
        return _start_here(folder)
    try:
        job = executor.submit(folder, _environment())
    except EmbedlabError as error:
        write_state(folder, State.FAILED, error={"code": error.code, "message": error.message})
        raise
    write_job(folder, Job(executor=executor.key, id=job))
    return folder


def look_after(folder: RunFolder) -> None:
    """Ask the executor of a run that waits elsewhere; one that is gone there is over here, with the reason."""
    job = read_job(folder)
    if job is None or read_state(folder).state is not State.QUEUED:
        return
    ended = executor_of(job.executor).ended(job.id)
    if ended is not None and read_heartbeat(folder) is None:
        message = (
            f"{folder.id} never began on {job.executor}: {ended} Start it here with: runs resume {folder.id} --on local"
        )
        write_state(folder, State.FAILED, error={"code": "E-EXECUTOR", "message": message})


def _start_here(folder: RunFolder) -> RunFolder:
    with open(folder.log, "ab") as log:
        child = subprocess.Popen(
            [*_worker_command(), str(folder.path)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder.path,
            env=_environment(),
            start_new_session=True,
        )
    _children[:] = [c for c in _children if c.poll() is None] + [child]  # collects those that ended
    return folder


def _worker_command() -> list[str]:
    """What is started with a run's folder behind it: our worker, or what ``EMBEDLAB_WORKER`` starts it by."""
    asked = os.environ.get("EMBEDLAB_WORKER")
    return shlex.split(asked) if asked else [sys.executable, "-m", "embedlab.worker"]


def answered(module: str, asked: dict) -> dict:
    """What a short-lived process answers, JSON in, JSON out: what it loads is gone with it."""
    done = subprocess.run(
        [sys.executable, "-m", module],
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        env=_environment(),
        check=True,
    )
    return json.loads(done.stdout)


def submit(task: str, settings: dict, *, name: str = "") -> RunFolder:
    """Create a run and start its worker."""
    return start(create_run(task, settings, name=name))


def submit_once(task: str, settings: dict, *, name: str = "") -> RunFolder:
    """The job already doing exactly this, else a new one: two tabs or commands start nothing twice."""
    locks = store_root() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with FileLock(locks / "start.lock", timeout=10):
        for folder in list_runs("runs" if task == "train" else "jobs")[:50]:
            try:
                asked = read_settings(folder)
            except EmbedlabError:
                continue
            if asked["task"] == task and asked["settings"] == settings and not read_state(folder).is_over:
                return folder
        return submit(task, settings, name=name)


def request_stop(folder: RunFolder) -> None:
    """Ask for a stop after the step; asked again, ask to skip measuring what was kept."""
    folder.stop.parent.mkdir(exist_ok=True)
    (folder.stop_now if folder.stop.exists() else folder.stop).touch()


def enforce_stop(folder: RunFolder) -> None:
    """End a worker that has shown no sign of life since Stop was pressed: first asked by signal, then ended."""
    look_after(folder)
    if not folder.stop.exists() or read_state(folder).is_over:
        return
    quiet_since = max(p.stat().st_mtime for p in (folder.stop, folder.progress, folder.terms) if p.exists())
    quiet = time.time() - quiet_since
    if quiet < STOP_PATIENCE_SECONDS:
        return
    job = read_job(folder)
    if job is not None:
        waits = read_state(folder).state is State.QUEUED
        executor_of(job.executor).stop(job.id)
        if waits:
            write_state(folder, State.STOPPED, ended=now())
        return
    process = _worker_process(folder)
    if process is not None:
        last = signal.SIGTERM if quiet < 2 * STOP_PATIENCE_SECONDS else getattr(signal, "SIGKILL", signal.SIGTERM)
        if os.name == "nt":
            process.terminate()
        else:
            os.killpg(os.getpgid(process.pid), last)


def resume(folder: RunFolder, on: str | None = None) -> RunFolder:
    """Start a new worker on a run that ended early; it goes on from the newest checkpoint."""
    state = read_state(folder).state
    if state in (State.QUEUED, State.RUNNING, State.FINISHED):
        raise RunError(
            "E-RUN-BUSY", f"Run {folder.id} is {state}: only interrupted, stopped or failed runs can be resumed."
        )
    for file in (folder.stop, folder.stop_now, folder.progress, folder.heartbeat):
        file.unlink(missing_ok=True)
    write_state(folder, State.QUEUED, error=None)
    return start(folder, on)


def wait(
    folder: RunFolder, on_progress: Callable[[dict], None] | None = None, *, poll_seconds: float = 0.2
) -> RunState:
    """Wait until the run is over; how it stands then."""
    while True:
        look_after(folder)
        facts = read_state(folder)
        if facts.is_over:
            return facts
        progress = read_progress(folder)
        if on_progress is not None and progress is not None and facts.state is State.RUNNING:
            on_progress(progress)
        time.sleep(poll_seconds)


def _worker_process(folder: RunFolder) -> psutil.Process | None:
    """The worker, only if both its number and its start time are the recorded ones."""
    facts = read_state(folder)
    try:
        process = psutil.Process(facts.pid or -1)
        return process if abs(process.create_time() - facts.pid_started) < 1 else None
    except (psutil.Error, ValueError):
        return None


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in _KEPT_ENVIRONMENT or k.startswith(_KEPT_PREFIXES)}
    kept = as_the_user_had_it(kept)
    return {**kept, "PYTHONPATH": str(PACKAGE_PARENT), "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
