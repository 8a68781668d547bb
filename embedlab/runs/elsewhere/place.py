"""Where a run works that is not of this computer: executor, job and node, as facts and in words."""

from embedlab.runs.elsewhere.holding import last_holder
from embedlab.runs.elsewhere.job import read_job
from embedlab.runs.folder import RunFolder


def elsewhere(folder: RunFolder) -> dict:
    """``executor``, ``job`` and ``node`` (None until a worker begins); nothing for a run of this computer."""
    job = read_job(folder)
    if job is None:
        return {}
    last = last_holder(folder)
    node = last.host if last is not None and last.token == job.token else None
    return {"executor": job.executor, "job": job.id, "node": node}


def place_line(folder: RunFolder) -> str | None:
    """``ray, job 0mv8w-a9be48ff, on node-7``; None for a run of this computer."""
    found = elsewhere(folder)
    if not found:
        return None
    said = {"executor": "{}", "job": "job {}", "node": "on {}"}
    return ", ".join(said[name].format(value) for name, value in found.items() if value)
