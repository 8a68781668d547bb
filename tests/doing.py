"""What a worker does with a folder, without the process around it."""

from embedlab.cli.contract import printed
from embedlab.jobs.progress import FolderProgress
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS


def do(task: str, settings: dict) -> RunFolder:
    """Run a task to its end in this process; its folder."""
    folder = create_run(task, settings)
    state = TASKS[task].run(folder, settings, FolderProgress(folder))
    write_state(folder, state or State.FINISHED)
    return folder


def result_of(run: RunFolder) -> dict:
    """What a run found, in the keys that the command line prints."""
    return printed(read_result(run))
