"""This computer: one process per run, which outlives the app; each waits for the device by itself."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil

from embedlab.import_path import PACKAGE_PARENT
from embedlab.jobs.executors.base import Executor
from embedlab.jobs.worker_process import waiting_command, worker_command, worker_environment
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.lease import give_to, note_started, start_of
from embedlab.runs.state import RunState, read_state

_children: list[subprocess.Popen] = []
_signals: dict[int, int] = {}  # by process id: what ended it
_ready: dict[str, subprocess.Popen] = {}  # by room: the process of its next job, which already imports


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

    def take(self, folder: RunFolder) -> None:
        """See the base class."""
        give_to(folder, None)
        self.submit(folder)

    def look_after(self, folder: RunFolder) -> RunState:
        """See the base class: a run waits here only while its process lives."""
        return read_state(folder)

    def submit(self, folder: RunFolder) -> int:
        """Start its process, or give it to one that is ready; returns the process id."""
        child = _given(folder)
        if child is None:
            with open(folder.log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as log:
                command = worker_command(folder, is_local=True)
                child = _started(command, stdin=subprocess.DEVNULL, output=log, cwd=folder.path)
        note_started(folder, child.pid)
        _collect()
        _children.append(child)
        return child.pid

    def stop(self, folder: RunFolder, *, firmly: bool = True) -> None:
        """See the base class."""
        process = _worker(folder)
        if process is None:
            return
        if os.name == "nt":
            process.terminate()
        else:
            os.killpg(os.getpgid(process.pid), signal.SIGKILL if firmly else signal.SIGTERM)


def _collect() -> None:
    """Collect the processes that ended, with the signals that ended them."""
    for child in list(_children):
        if (code := child.poll()) is not None and code < 0:
            _signals[child.pid] = -code
    _children[:] = [child for child in _children if child.returncode is None]


def signal_that_ended(pid: int | None) -> int | None:
    """Return the signal that ended a process which this one started; None if none did, or another started it."""
    _collect()
    return None if pid is None else _signals.get(pid)


@contextmanager
def training_ready(*, has_layers: bool = False) -> Iterator[None]:
    """Start the process of a training that is requested within the block, so that it imports meanwhile.

    ``has_layers``: its encoder does, so that transformers is imported too, which takes two seconds. Where other runs
    are at work the process would only hold memory while it waits.
    """
    command = waiting_command()
    if command is not None and not at_work("runs"):
        command = [*command, "--layers"] if has_layers else command
        _ready["runs"] = _started(command, stdin=subprocess.PIPE, output=subprocess.DEVNULL, cwd=PACKAGE_PARENT)
    try:
        yield
    finally:
        if unused := _ready.pop("runs", None):
            with unused:
                unused.kill()


@contextmanager
def drawing_ready() -> Iterator[None]:
    """Start the process of the maps that a training requests within the block: it imports before there are vectors,
    and draws one after the other; it ends by itself when the last is drawn.
    """
    if command := waiting_command():
        command = [*command, "--drawing"]
        _ready["jobs"] = _started(command, stdin=subprocess.PIPE, output=subprocess.DEVNULL, cwd=PACKAGE_PARENT)
    try:
        yield
    finally:
        if child := _ready.pop("jobs", None):
            _children.append(child)
            with suppress(OSError):
                _folders_of(child).close()


def _given(folder: RunFolder) -> subprocess.Popen | None:
    """The process that is ready for a job of this room, with this folder to work on; None where there is none.

    A training's is given one, that of maps several.
    """
    room = folder.path.parent.name
    if (child := _ready.get(room)) is None:
        return None
    try:
        lines = _folders_of(child)
        lines.write(f"{folder.path}\n".encode())
        lines.flush()
        if room == "runs":
            del _ready[room]
            lines.close()
    except OSError:  # it ended
        return None
    return child


def _folders_of(child: subprocess.Popen) -> IO[bytes]:
    assert child.stdin is not None, "it was started with a pipe"
    return child.stdin


def _started(command: list[str], *, stdin: int, output: int | IO[bytes], cwd: Path) -> subprocess.Popen:
    return subprocess.Popen(
        command, stdin=stdin, stdout=output, stderr=output, cwd=cwd, env=worker_environment(), start_new_session=True
    )


def _worker(folder: RunFolder) -> psutil.Process | None:
    """The worker, if both its process id and its start time are the recorded ones."""
    facts = read_state(folder)
    try:
        process = psutil.Process(facts.pid or -1)
        is_same = facts.pid_started is not None and abs(start_of(process) - facts.pid_started) < 1
        return process if is_same else None
    except (psutil.Error, ValueError, OverflowError):
        return None
