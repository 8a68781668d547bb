"""The worker's side of a run that was handed over: a store of its own for as long as it works, put back as it grows."""

import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from embedlab.errors import RunError
from embedlab.runs.elsewhere.holding import this_host
from embedlab.runs.elsewhere.job import read_job
from embedlab.runs.elsewhere.run_copy import (
    RunCopy,
    is_checkpoint,
    is_control,
    is_holder,
    is_of_the_worker,
    is_state,
    job_of,
    newest_holders,
)
from embedlab.runs.folder import RunFolder
from embedlab.store_root import by_number, store_root

PUT_EVERY_SECONDS = 3
LAST_TRIES, BETWEEN_SECONDS = 6, 10  # to put what is left, before it is kept on the worker's machine


@contextmanager
def working_copy(run_id: str, url: str, token: str) -> Iterator[RunFolder]:
    """Get the run and what it needs into a fresh store below the machine's folder of temporary files; put back what
    changes every few seconds, and the rest at the end. Signs of life and what is asked have a thread of their own,
    because a checkpoint may take long.

    Raises
    ------
    RunError
        the place cannot be read from here, or does not have the run.
    """
    home = Path(tempfile.mkdtemp(prefix="embedlab-")).resolve()
    os.environ["EMBEDLAB_HOME"] = str(home)
    try:
        copy = _gotten(run_id, url)
    except RunError as error:
        shutil.rmtree(home, ignore_errors=True)
        raise RunError("E-SHARED", f"On {this_host()}: {error.message}") from error
    over = threading.Event()
    work = [_Repeated(over, lambda: _show_life(copy)), _Repeated(over, lambda: _put_back(copy, token))]
    for each in work:
        each.start()
    try:
        yield copy.run
    finally:
        over.set()
        for each in work:
            each.join()
        if _put_the_rest(copy, token):
            shutil.rmtree(home, ignore_errors=True)


class _Repeated(threading.Thread):
    """Does something every few seconds; a place that does not answer is asked again."""

    def __init__(self, over: threading.Event, work: Callable[[], None]):
        super().__init__(daemon=True)
        self.over, self.work = over, work

    def run(self) -> None:
        """Until it is over."""
        while not self.over.wait(PUT_EVERY_SECONDS):
            try:
                self.work()
            except Exception as error:  # whatever it is, the run goes on, and the next time may be better
                print(f"{type(error).__name__}: {error}", file=sys.stderr)


def _gotten(run_id: str, url: str) -> RunCopy:
    run = RunFolder(store_root() / "runs" / run_id)
    copy = RunCopy(run, url)
    there = {name: info for name, info in copy.there().items() if not job_of(name)}
    if not {"job.json", "settings.json", "state.json"} <= there.keys():
        raise RunError("E-SHARED", f"The shared place {url} does not have run {run_id}.")
    for name, info in there.items():
        copy.get(name, info)
    for name in newest_holders(list(there)):
        copy.note_age(name, copy.age(name), time.time())
    for need in read_job(run).needs:
        for name in copy.place.files(need):
            copy.place.get(name, store_root() / name)
    return copy


def _show_life(copy: RunCopy) -> None:
    """Put who holds the run, and get with whom it was started last and what is asked of it."""
    for name in filter(is_holder, copy.names_here()):
        stands, contents = copy.look(name)
        if not _says_ended(contents):  # that it left comes after the state in which it did
            copy.put_as(name, stands, contents)
    for name, info in copy.there().items():
        if name == "job.json" or is_control(name):
            copy.get(name, info)


def _put_back(copy: RunCopy, token: str) -> None:
    """Put what changed: after it the state and then that a worker left the run, as they stood before."""
    job = read_job(copy.run)
    if job is None or job.token != token:
        return  # it was given to another one, whose files these must not become
    names = [name for name in copy.names_here() if is_of_the_worker(name)]
    holders = {name: copy.look(name) for name in names if is_holder(name)}
    states = {name: copy.look(name) for name in names if is_state(name)}
    with _held_checkpoint(copy) as checkpoint:
        for name in names:
            if not is_state(name) and not is_holder(name) and not is_checkpoint(name):
                copy.put(name)
        for name, held in checkpoint.items():
            copy.put(name, held)
        gone = [name for name in list(copy.known) if is_of_the_worker(name) and not copy.here(name).exists()]
        for name in gone:
            if not is_checkpoint(name) or (checkpoint and name not in checkpoint):
                copy.drop(name)
    ended = {name: looked for name, looked in holders.items() if _says_ended(looked[1])}
    for name, looked in {**states, **ended}.items():
        copy.put_as(name, *looked)


@contextmanager
def _held_checkpoint(copy: RunCopy) -> Iterator[dict[str, Path]]:
    """The files of the newest whole checkpoint, COMPLETE as the last, by links: training removes it while it is put.

    Held before the curve is put, which therefore has all points up to it.
    """
    held = copy.run.path / ".held"
    shutil.rmtree(held, ignore_errors=True)
    files, whole = [], sorted(copy.run.checkpoints.glob("step-*/COMPLETE"), key=by_number)
    with suppress(OSError):  # it went this very moment: the next one is held the next time
        if whole:
            shutil.copytree(whole[-1].parent, held, copy_function=_linked)
            files = sorted(held.iterdir(), key=lambda file: (file.name == "COMPLETE", file.name))
    try:
        yield {f"checkpoints/{whole[-1].parent.name}/{file.name}": file for file in files}
    finally:
        shutil.rmtree(held, ignore_errors=True)


def _linked(source: str, to: str) -> None:
    try:
        os.link(source, to)
    except FileNotFoundError:
        raise
    except OSError:  # a disk without links
        shutil.copy2(source, to)


def _put_the_rest(copy: RunCopy, token: str) -> bool:
    for left in reversed(range(LAST_TRIES)):
        try:
            _show_life(copy)
            _put_back(copy, token)
            return True
        except (RunError, OSError) as error:
            print(error, file=sys.stderr)
            if left:
                time.sleep(BETWEEN_SECONDS)
    print(f"What run {copy.run.id} made is kept on {this_host()}: {copy.run.path}", file=sys.stderr)
    return False


def _says_ended(holder: bytes) -> bool:
    try:
        return bool(json.loads(holder).get("ended"))
    except ValueError:  # it is just being written
        return False
