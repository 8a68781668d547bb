"""``job.json``: with whom a run that works on another machine was started; a run of this machine has none."""

from pydantic import BaseModel, ConfigDict

from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json, write_json


class Job(BaseModel):
    """The contents of ``job.json``; written by who starts the run, anew each time it is resumed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    executor: str  # its key
    token: str  # random; the worker of this job knows it, one of an earlier job does not
    id: str | None = None  # as the executor calls it; None until it has taken the run
    versions: dict[str, str] = {}  # of who started it; its worker must have the same


def read_job(folder: RunFolder) -> Job | None:
    """None for a run of this machine."""
    try:
        return Job.model_validate(read_json(folder.job))
    except (FileNotFoundError, ValueError):
        return None


def write_job(folder: RunFolder, job: Job | None) -> None:
    """Say with whom the run is started from now on; None: on this machine."""
    if job is None:
        folder.job.unlink(missing_ok=True)
    else:
        write_json(folder.job, job.model_dump())
