"""Ray: each run is a Ray job with its own resources, on a cluster that the user started (``ray start``)."""

import atexit
import importlib.util
import json
import os
import shlex
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from embedlab.errors import RunError
from embedlab.jobs.executors.base import KEYS
from embedlab.jobs.executors.cluster import Cluster
from embedlab.jobs.resources import CPUS, Machine, places, resources_of, settled, why_nowhere
from embedlab.jobs.worker_process import environment_elsewhere, worker_command, worker_environment
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import Job, read_job

ANSWER_SECONDS = 30  # then the cluster counts as unreachable; its client alone takes seconds on a busy machine
REQUIREMENTS = "embedlab/jobs/requirements-ray.txt"
TOKEN_FILE = Path.home() / ".ray" / "auth_token"  # where Ray keeps it


class RayCluster(Cluster):
    """Jobs by Ray's own job interface, which outlive the app; Ray places them on the cluster's machines."""

    key = "ray"
    title = "Ray cluster"
    needs = (
        f"The packages of {REQUIREMENTS}; a running cluster (ray start), its address in RAY_ADDRESS; embedlab at the "
        f"same path on each of its machines; and EMBEDLAB_HOME on a folder that they share. {CPUS}: cores for each run "
        f"(1). {KEYS}"
    )

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen | None = None
        self._at: str | None = None  # the address that it asks

    def unreachable(self) -> str | None:
        """See the base class."""
        try:
            self._machines()
        except RunError as error:
            return error.message
        return None

    def at_once(self, folder: RunFolder) -> int:
        """See the base class: as many as its machines have cores, GPUs and memory for."""
        machines = self._machines()
        return max(1, places(settled(resources_of(folder), machines), machines))

    def submit(self, folder: RunFolder, job: Job) -> str:
        """See the base class. A run gets a GPU if it asks for ``cuda``, or leaves the device open and there is one."""
        machines = self._machines()
        demand = settled(resources_of(folder), machines)
        if not places(demand, machines):
            raise RunError("E-EXECUTOR", why_nowhere(demand, machines))
        return self._ask(
            "submit",
            command=shlex.join(worker_command(folder)),
            job=f"{folder.id}-{job.token}",
            environment=environment_elsewhere(job.token, threads=demand.threads),
            cpus=demand.cpus,
            gpus=demand.gpus,
            memory_bytes=demand.memory_bytes,
        )

    def ended(self, folder: RunFolder) -> str | None:
        """See the base class."""
        return self._ask_about("ended", folder)

    def stop(self, folder: RunFolder, *, firmly: bool = True) -> None:
        """See the base class: Ray asks first and ends the process three seconds later."""
        self._ask_about("stop", folder)  # where nobody answers, a worker that begins later sees that its run is over

    def log(self, folder: RunFolder) -> str:
        """See the base class."""
        return (self._ask_about("log", folder) or "") + super().log(folder)

    def _machines(self) -> list[Machine]:
        return [Machine(**each) for each in self._ask("machines")]

    def _ask_about(self, what: str, folder: RunFolder) -> Any:
        """The answer about the job of a run; None where it has none yet, or nobody answers."""
        job = read_job(folder)
        if job is not None and job.id is not None:
            with suppress(RunError):
                return self._ask(what, job=job.id)
        return None

    def _ask(self, what: str, **details: object) -> Any:
        """The answer of the client process, which is started by the first question and ends with this one."""
        if importlib.util.find_spec("ray") is None:
            raise RunError("E-EXECUTOR", f"Ray's package is not installed. Install {REQUIREMENTS}.")
        with self._lock:
            line = self._line(json.dumps({"ask": what, **details}))
        answer = json.loads(line)
        if "error" in answer:
            raise RunError("E-EXECUTOR", answer["error"])
        return answer["answer"]

    def _line(self, question: str) -> str:
        """One question and its answer; repeated if the idle process had just exited."""
        for _ in range(2):
            child, overdue = self._begun(), threading.Event()
            patience = threading.Timer(ANSWER_SECONDS, lambda child=child, over=overdue: (over.set(), child.kill()))
            patience.start()
            assert child.stdin is not None and child.stdout is not None  # both are pipes
            try:
                child.stdin.write(question + "\n")
                child.stdin.flush()
                line = child.stdout.readline()
            except OSError:
                line = ""
            finally:
                patience.cancel()
            if line:
                return line
            self._end()
            if overdue.is_set():
                break
        where = _address() or "this computer"
        raise RunError("E-EXECUTOR", f"The Ray cluster at {where} did not answer within {ANSWER_SECONDS} s.")

    def _begun(self) -> subprocess.Popen:
        if self._child is not None and (self._child.poll() is not None or self._at != _address()):
            self._end()
        if self._child is None:
            self._at = _address()
            self._child = subprocess.Popen(
                [sys.executable, "-m", "embedlab.jobs.executors.ray_client"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**worker_environment(), **authentication()},
            )
            atexit.register(self._end)
        return self._child

    def _end(self) -> None:
        atexit.unregister(self._end)
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


def _address() -> str | None:
    return os.environ.get("RAY_API_SERVER_ADDRESS") or os.environ.get("RAY_ADDRESS")


def authentication() -> dict[str, str]:
    """Send a token to the cluster if there is one, as ``ray start`` and ``ray.init`` do; its jobs require it."""
    there_is_one = "RAY_AUTH_TOKEN" in os.environ or "RAY_AUTH_TOKEN_PATH" in os.environ or TOKEN_FILE.is_file()
    return {"RAY_AUTH_MODE": "token"} if there_is_one and "RAY_AUTH_MODE" not in os.environ else {}
