"""A training before its turn is near, with nothing large imported: ``python -m embedlab.worker.waiting FOLDER``.

It holds the run's lock meanwhile, as its worker does (work.py), which it then becomes. Without a folder it is started
while a corpus is still read: it imports what a training needs, ``--layers`` says one of an encoder with layers, and is
given the folder as a line. With ``--drawing`` it is started by a training, whose maps it draws.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from embedlab.jobs import tickets

READY = 2  # trainings that have everything imported and wait for the device itself
POLL_SECONDS = 1.0
_TRIES = 20  # to take the run's lock, which whoever looks at it has for a moment


def wait(folder: Path) -> None:
    """Return when fewer than ``READY`` older trainings wait for the same device, or somebody pressed Stop."""
    settings = json.loads((folder / "settings.json").read_text("utf-8"))["settings"]
    ticket = tickets.ticket_of(folder.parents[1], folder.name, str(settings.get("device") or "auto"))
    with _run_held(folder / "run.lock"):
        tickets.take(ticket)
        shown = 0
        while (ahead := tickets.older(ticket, most=READY)) >= READY and not (folder / "control" / "stop").exists():
            if ahead != shown:
                _show(folder, ahead)
                shown = ahead
            time.sleep(POLL_SECONDS)
        import embedlab.worker.work  # noqa: F401  (seconds, in which the lock is still held)


@contextmanager
def _run_held(lock: Path) -> Iterator[None]:
    """The run's lock, as a worker has it. Raises OSError where another process does."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        for attempt in range(_TRIES):
            try:
                tickets.fcntl.flock(descriptor, tickets.fcntl.LOCK_EX | tickets.fcntl.LOCK_NB)
                break
            except OSError:
                if attempt == _TRIES - 1:
                    raise
                time.sleep(POLL_SECONDS / _TRIES)
        yield
    finally:
        os.close(descriptor)


def _show(folder: Path, ahead: int) -> None:
    """As the worker writes it (jobs/progress.py, tasks/device_queue.py)."""
    stage = f"Queued: waiting, {ahead:,} more before this one"
    row = {"stage": stage, "done": 0, "total": 0, "seconds_left": None, "at": time.time()}
    temporary = folder / ".progress.part"
    temporary.write_text(json.dumps(row), encoding="utf-8")
    os.replace(temporary, folder / "progress.json")


def given_folder(*, has_layers: bool = False) -> str | None:
    """The folder that arrives on standard input once everything is imported; None where none will come.

    ``has_layers``: the encoder does.
    """
    from embedlab.offline import go_offline

    go_offline()  # read by the hub's libraries when they are imported
    import embedlab.tasks.fine_tune.train  # noqa: F401

    import_module("sklearn.feature_extraction.text")  # of the reference lines
    if has_layers:
        import_module("embedlab.encoders.transformer")
    from embedlab.runs.folder import RunFolder
    from embedlab.worker.work import log_into

    path = sys.stdin.readline().rstrip("\n")
    if not path:
        return None
    os.chdir(path)
    log_into(RunFolder(Path(path)))
    return path


def draw() -> int:
    """Draw the maps of a training: the folder of each job arrives as a line, and none once the training ends."""
    from embedlab.jobs.worker_process import ONE_THREAD, give_way
    from embedlab.offline import go_offline

    given = os.environ | {"NUMBA_NUM_THREADS": "1"}  # which may not change once numba is imported
    give_way()
    os.environ.update(ONE_THREAD)
    go_offline()
    import embedlab.tasks.draw.maps  # noqa: F401

    for library in ("openTSNE", "sklearn.cluster"):  # imported by the first map that needs them
        import_module(library)
    from embedlab.private import hide_in_tracebacks
    from embedlab.runs.folder import RunFolder
    from embedlab.worker.work import log_into
    from embedlab.worker.work import main as work

    hide_in_tracebacks()
    code = 0
    for line in sys.stdin:
        path = line.rstrip("\n")
        os.environ.clear()
        os.environ.update(given)  # the worker says how many threads this job may have
        os.chdir(path)
        log_into(RunFolder(Path(path)))
        code = work(path)
    return code


def main(path: str) -> int:
    """Wait, then work; what cannot be waited for here, the worker waits for or says."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        wait(Path(path).resolve())
    from embedlab.private import hide_in_tracebacks
    from embedlab.worker.work import main as work

    hide_in_tracebacks()
    return work(path)


def begin(arguments: list[str]) -> int:
    """What its command line asks for."""
    if arguments == ["--drawing"]:
        return draw()
    if arguments in ([], ["--layers"]):
        path = given_folder(has_layers=bool(arguments))
    else:
        path = arguments[0]
    return 0 if path is None else main(path)


if __name__ == "__main__":
    sys.exit(begin(sys.argv[1:]))
