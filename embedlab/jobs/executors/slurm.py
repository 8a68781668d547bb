"""Slurm through submitit: each run is a batch job that requeues itself before its time limit."""

import importlib.util
import os
import shlex
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from embedlab.damage import read_log
from embedlab.errors import RunError
from embedlab.import_path import import_path
from embedlab.jobs.executors.base import KEYS
from embedlab.jobs.executors.cluster import Cluster
from embedlab.jobs.resources import CPUS, resources_of
from embedlab.jobs.worker_process import environment_elsewhere, whole_number, worker_command
from embedlab.numbers import by_number
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import Job, read_job
from embedlab.runs.state import read_state
from embedlab.store_root import make_folder

REQUIREMENTS = "embedlab/jobs/requirements-slurm.txt"
PARTITION, MINUTES, GPUS, AT_ONCE = (f"EMBEDLAB_SLURM_{name}" for name in ("PARTITION", "TIME", "GPUS", "AT_ONCE"))
TOLD_BEFORE_SECONDS = 90  # the time limit; enough for a step and a checkpoint
BEGINS_AGAIN = 1_000  # times at most, which is longer than any run


class WorkerJob:
    """What submitit calls on the node: the same worker as everywhere, by its command line."""

    def __init__(self, command: list[str], environment: dict[str, str]):
        self.command, self.environment = command, environment

    def __call__(self) -> int:
        """Wait for the worker; returns its exit code."""
        child = subprocess.Popen(self.command, env={**os.environ, **self.environment})
        self.worker = child.pid
        return child.wait()

    def checkpoint(self) -> Any:
        """Called by submitit near the time limit: the worker saves a checkpoint, and the job is queued again."""
        import signal

        from submitit.helpers import DelayedSubmission

        try:
            started, facts = psutil.Process(self.worker), read_state(RunFolder(Path(self.command[-1])))
            within = [started, *started.children(recursive=True)]  # torchrun's first process is the worker
            next((each for each in within if each.pid == facts.pid), started).send_signal(signal.SIGUSR2)
            started.wait()
        except psutil.NoSuchProcess:
            pass  # it just ended by itself
        return DelayedSubmission(WorkerJob(self.command, self.environment))


class Slurm(Cluster):
    """Batch jobs on the cluster whose ``sbatch`` this computer has."""

    key = "slurm"
    title = "Slurm cluster"
    needs = (
        f"The packages of {REQUIREMENTS}; sbatch, scancel and sacct on this computer; embedlab at the same path on "
        f"each node, and EMBEDLAB_HOME on a folder that they share, from which submitit starts its jobs. {PARTITION}: "
        f"the partition (the cluster's own); {MINUTES}: the time limit in minutes (240), near which a run saves a "
        f"checkpoint and queues again; {GPUS}: GPUs for each run (1 where it asks for cuda); {AT_ONCE}: runs of a "
        f"study at once (8); {CPUS}: cores for each run (1). {KEYS}"
    )

    def __init__(self, engine: str = "slurm"):
        """``engine``: submitit's name; ``local`` and ``debug`` are its own stand-ins for a cluster."""
        self.engine = engine

    def unreachable(self) -> str | None:
        """See the base class."""
        if importlib.util.find_spec("submitit") is None:
            return f"The package submitit is not installed. Install {REQUIREMENTS}."
        if self.engine == "slurm" and not (shutil.which("sbatch") and shutil.which("srun")):
            return (
                "This computer has no sbatch and srun, so it cannot reach a Slurm cluster. Log in to a node that has."
            )
        return None

    def at_once(self, folder: RunFolder) -> int:
        """See the base class: whatever does not fit waits in the cluster's queue."""
        return whole_number(AT_ONCE, 8)

    def submit(self, folder: RunFolder, job: Job) -> str:
        """See the base class; returns Slurm's job number."""
        if (why := self.unreachable()) is not None:
            raise RunError("E-EXECUTOR", why)
        demand = resources_of(folder)
        gpus = demand.gpus or 0
        if os.environ.get(GPUS) != "0":
            gpus = whole_number(GPUS, gpus)
        elif gpus:
            raise RunError("E-EXECUTOR", f"The run asks for a GPU (device=cuda), but {GPUS}=0 gives it none.")
        parameters = {
            "name": f"embedlab-{folder.id}",
            "timeout_min": whole_number(MINUTES, 240),
            "cpus_per_task": demand.cpus,
            "gpus_per_node": gpus or None,
            "mem_gb": None if demand.memory_bytes is None else round(demand.memory_bytes / 2**30 + 0.5),
            "slurm_partition": os.environ.get(PARTITION) or None,
            "slurm_signal_delay_s": TOLD_BEFORE_SECONDS,
            "slurm_setup": [f"export PYTHONPATH={shlex.quote(import_path())}"],
        }
        task = WorkerJob(worker_command(folder), environment_elsewhere(job.token, threads=demand.threads))
        import submitit

        try:
            make_folder(_place(folder))
            again = {} if self.engine == "debug" else {f"{self.engine}_max_num_timeout": BEGINS_AGAIN}
            executor = submitit.AutoExecutor(_place(folder), cluster=self.engine, **again)
            executor.update_parameters(**{name: value for name, value in parameters.items() if value is not None})
            return executor.submit(task).job_id
        except (RuntimeError, OSError, subprocess.CalledProcessError, submitit.core.utils.FailedJobError) as error:
            message = " ".join(str(error).split())[-300:]
            raise RunError("E-EXECUTOR", f"Slurm rejected the run: {message}") from error

    def ended(self, folder: RunFolder) -> str | None:
        """See the base class."""
        job = self._job(folder)
        if job is None or not job.done():
            return None
        lines = [line for line in self.log(folder).splitlines() if line.strip()]
        return f"Slurm reports: {job.state.lower()}. {lines[-1].strip()[:400] if lines else ''}".strip()

    def stop(self, folder: RunFolder, *, firmly: bool = True) -> None:
        """See the base class."""
        job = self._job(folder)
        if job is not None:
            with suppress(OSError):  # no scancel here; a worker that begins later sees that its run is over
                job.cancel(check=False)

    def log(self, folder: RunFolder) -> str:
        """See the base class."""
        job = read_job(folder)
        named = f"{job.id}_*_log.*" if job is not None and job.id else ""
        outputs = sorted(_place(folder).glob(named), key=by_number) if named else []
        return "".join(read_log(file) for file in outputs) + super().log(folder)

    def _job(self, folder: RunFolder) -> Any:
        job = read_job(folder)
        if job is None or job.id is None or importlib.util.find_spec("submitit") is None:
            return None
        import submitit

        kind = submitit.SlurmJob if self.engine == "slurm" else submitit.LocalJob
        return kind(folder=_place(folder), job_id=job.id)


def _place(folder: RunFolder) -> Path:
    return folder.path / "control" / "slurm"
