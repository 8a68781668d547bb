"""What a worker does with a folder, without the process around it."""

from embedlab.config import Request
from embedlab.jobs.progress import FolderProgress
from embedlab.report.contract import printed
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, stored_request
from embedlab.tasks import TASKS


def do(task: str, settings: dict) -> RunFolder:
    """Run a task to its end in this process; its folder."""
    request = TASKS[task].read(settings)
    folder = create_run(task, request.stored)
    state = TASKS[task].run(folder, request, FolderProgress(folder))
    write_state(folder, state or State.FINISHED)
    return folder


def queued(request: Request, *, name: str = "", on: str | None = None) -> RunFolder:
    """In place of ``submit``: the run as it waits, without a worker."""
    return create_run(request.task, request.stored, name=name)


def asked_of(job: RunFolder) -> Request:
    """What a job was asked."""
    known = stored_request(job)
    return TASKS[known.task].read(known.settings)


def result_of(run: RunFolder) -> dict:
    """What a run found, in the keys that the command line prints."""
    return printed(read_result(run))
