"""An executor on other machines: which job a run was given to, and how a run ends whose job never gets a worker."""

import secrets
import time
from abc import abstractmethod

from embedlab.jobs.executors.base import Executor
from embedlab.jobs.versions import versions_here
from embedlab.private import without_secrets
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import Job, disk_time, give_to, last_lease, waiting_job, write_job
from embedlab.runs.state import RunState, State, now, read_state, write_state

ASK_EVERY_SECONDS = 3  # how a waiting run stands
GIVEN_SECONDS = 60  # until a run must have been taken
_ask_at: dict[str, float] = {}  # token of a job -> when its executor is asked next


class Cluster(Executor):
    """Keeps a run waiting, perhaps for days, and may lose it."""

    @abstractmethod
    def submit(self, folder: RunFolder, job: Job) -> str:
        """Submit the run; returns the executor's name of the job. Errors as in ``take``."""

    @abstractmethod
    def ended(self, folder: RunFolder) -> str | None:
        """A sentence on how the job ended; None while it waits or works, or if the executor does not answer."""

    def take(self, folder: RunFolder) -> None:
        """See the base class."""
        job = Job(executor=self.key, token=secrets.token_hex(4), versions=versions_here())
        give_to(folder, job)  # before it is taken: its worker may begin at once
        write_job(folder, job.model_copy(update={"id": self.submit(folder, job)}))
        _ask_at[job.token] = time.monotonic() + ASK_EVERY_SECONDS

    def look_after(self, folder: RunFolder) -> RunState:
        """See the base class. A run whose worker left its machine is interrupted, one that never began has failed."""
        facts = read_state(folder)
        job = waiting_job(folder) if facts.state is State.QUEUED else None
        if job is None or time.monotonic() < _ask_at.get(job.token, 0.0):
            return facts
        _ask_at[job.token] = time.monotonic() + ASK_EVERY_SECONDS
        if job.id is not None:
            why = self.ended(folder)
        else:  # whether the process that was to submit it is lost
            is_late = disk_time() - folder.job.stat().st_mtime > GIVEN_SECONDS
            why = "It was not submitted, because the submitting process ended." if is_late else None
        facts = read_state(folder)  # an answer takes its time
        if why is None or facts.is_over or waiting_job(folder) != job:
            return facts
        last = last_lease(folder)
        if last is not None and last.token == job.token:
            return write_state(folder, State.INTERRUPTED, ended=now())
        return fail(folder, "E-EXECUTOR", f"{self.title}: the run never started. {why}")


def fail(folder: RunFolder, code: str, why: str, exit_code: int = 2) -> RunState:
    """End a run that another machine did not take or complete, so that a late worker notices."""
    error = {"code": code, "message": without_secrets(f"{why} {start_here(folder)}")}
    return write_state(folder, State.FAILED, ended=now(), error=error, exit_code=exit_code)


def start_here(folder: RunFolder) -> str:
    """The advice for such a run."""
    return f"Nothing is lost: start it on this computer with: python -m embedlab runs resume {folder.id} --on local"
