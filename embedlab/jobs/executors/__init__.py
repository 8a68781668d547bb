"""Who works on a run: a process of this machine, or an existing cluster. A new one is a file here and an entry below."""

import os

from embedlab.errors import RunError
from embedlab.jobs.executors.base import Executor
from embedlab.jobs.executors.ray_cluster import RayCluster

LOCAL = "local"
EXECUTORS: dict[str, Executor] = {each.key: each for each in (RayCluster(),)}


def executor_of(asked: str | None = None) -> Executor | None:
    """The one of this name, else the one ``EMBEDLAB_EXECUTOR`` names; None for this machine."""
    key = asked or os.environ.get("EMBEDLAB_EXECUTOR") or LOCAL
    if key == LOCAL:
        return None
    if key not in EXECUTORS:
        raise RunError("E-EXECUTOR", f"There is no executor “{key}”. Choose one of: {', '.join([LOCAL, *EXECUTORS])}.")
    return EXECUTORS[key]
