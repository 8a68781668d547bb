"""Executors: a process on this computer, or an existing cluster; they are listed below."""

import os

from embedlab.errors import RunError, UserError
from embedlab.jobs.executors.base import Executor
from embedlab.jobs.executors.local import Local
from embedlab.jobs.executors.ray_cluster import RayCluster
from embedlab.jobs.executors.slurm import Slurm
from embedlab.jobs.worker_process import EXECUTOR
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import read_job

LOCAL = Local()
EXECUTORS: dict[str, Executor] = {each.key: each for each in (LOCAL, RayCluster(), Slurm())}


def executor_of(name: str | None = None) -> Executor:
    """The executor with this name, otherwise the one in ``EMBEDLAB_EXECUTOR``, otherwise this computer."""
    key = name or os.environ.get(EXECUTOR) or LOCAL.key
    if key not in EXECUTORS:
        where = "" if name else f" ({EXECUTOR} names it)"
        raise RunError("E-EXECUTOR", f"There is no executor “{key}”{where}. Choose one of: {', '.join(EXECUTORS)}.")
    return EXECUTORS[key]


def executor_with(folder: RunFolder) -> Executor:
    """The executor that a run was submitted to; this computer for one that only another version knows."""
    job = read_job(folder)
    return LOCAL if job is None else EXECUTORS.get(job.executor, LOCAL)


def chosen_line() -> str | None:
    """Where new runs go, in words; None for this computer."""
    try:
        chosen = executor_of()
    except UserError as error:
        return error.message
    return None if chosen is LOCAL else f"Runs go to: {chosen.title}"
