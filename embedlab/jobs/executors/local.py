"""This computer: one process per run, which outlives the app; each waits for the device by itself."""

import os
import signal
import subprocess

import psutil

from embedlab.jobs.executors.base import Executor
from embedlab.jobs.worker_process import worker_command, worker_environment
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import Job, note_started, start_of
from embedlab.runs.state import has_worker, read_state

_children: list[subprocess.Popen] = []


class Local(Executor):
    """No scheduler: one run at a time on the device, in the order of ids."""

    key = "local"
    title = "This computer"
    needs = "Nothing."

    def unreachable(self) -> str | None:
        """See the base class."""
        return None

    def at_once(self, folder: RunFolder) -> int:
        """See the base class."""
        return 1

    def submit(self, folder: RunFolder, job: Job | None = None) -> str:
        """See the base class; returns the process id."""
        with open(folder.log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as log:
            child = subprocess.Popen(
                worker_command(folder, is_local=True),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder.path,
                env=worker_environment(),
                start_new_session=True,
            )
        note_started(folder, child.pid)
        _children[:] = [c for c in _children if c.poll() is None] + [child]  # collects those that ended
        return str(child.pid)

    def ended(self, folder: RunFolder) -> str | None:
        """See the base class."""
        return None if has_worker(folder) or _worker(folder) else "Its process ended."

    def stop(self, folder: RunFolder, *, firmly: bool = True) -> None:
        """See the base class."""
        process = _worker(folder)
        if process is None:
            return
        if os.name == "nt":
            process.terminate()
        else:
            os.killpg(os.getpgid(process.pid), signal.SIGKILL if firmly else signal.SIGTERM)


def _worker(folder: RunFolder) -> psutil.Process | None:
    """The worker, if both its process id and its start time are the recorded ones."""
    facts = read_state(folder)
    try:
        process = psutil.Process(facts.pid or -1)
        is_same = facts.pid_started is not None and abs(start_of(process) - facts.pid_started) < 1
        return process if is_same else None
    except (psutil.Error, ValueError, OverflowError):
        return None
