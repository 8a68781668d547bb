"""Files of strangers are read in a process of their own, with limits on memory, processor time and the clock.

``read_limited`` forks that process: from this one where it has a single thread, else from a small server
(``python -m embedlab.reader_worker``) that is started once and has the readers loaded, so that a preview waits for no
import. What is read comes back as JSON and as an Arrow table, never as a pickle. What needs more than its budget is
killed, and that is one sentence. Where a system has no ``fork`` or no ``resource`` (Windows), files are read without
limits in this process.
"""

import atexit
import dataclasses
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from pkgutil import resolve_name
from subprocess import DEVNULL, Popen
from typing import Any

import pyarrow as pa

from embedlab import errors, limits
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.import_path import import_path
from embedlab.machine_refusals import ENDED, KILLED, refusal_of_signal
from embedlab.numbers import counted, in_bytes
from embedlab.progress import Progress, silent
from embedlab.reader_worker import (
    HAS_LIMITS,
    NO_MEMORY,
    Answer,
    Budget,
    Here,
    ended_by,
    load_for_arrow,
    read_and_answer,
)
from embedlab.scratch import remove_scratch_folder


def read_limited(
    reader: str,
    path: Path,
    arguments: Mapping[str, Any] = {},  # noqa: B006 (never written to)
    *,
    name: str = "",
    progress: Progress = silent,
    error: type[EmbedlabError] = CorpusError,
) -> Answer:
    """What ``reader`` (``module:function``) gives for ``path`` and ``arguments`` of JSON, called in such a process.

    The function takes the path, the arguments and ``progress``, and returns what fits into JSON, and a table or None.

    Raises
    ------
    EmbedlabError
        the reader's own; or ``error`` where the file used up its budget or crashed its reader.
    """
    if Here.is_reader or not HAS_LIMITS:
        return resolve_name(reader)(path, progress=progress, **arguments)
    folder = None
    with suppress(OSError):  # it was deleted
        folder = os.getcwd()
    request = {
        "reader": reader,
        "path": str(path),
        "arguments": dict(arguments),
        "limits": dataclasses.asdict(limits.LIMITS),
        "store": os.environ.get("EMBEDLAB_HOME"),
        "folder": folder,
    }
    with _process(request) as pipe:
        for message in pipe.messages:
            if "stage" in message:
                progress(message["stage"], message["done"], message["total"])
            elif "error" in message:
                raise getattr(errors, message["error"])(message["code"], message["message"])
            elif "unexpected" in message:
                raise RuntimeError(f"A reader failed in its process:\n{message['unexpected']}")
            elif "answer" in message:
                return message["answer"], _table(message, pipe)
            elif "ended" in message:
                raise _ended(message["ended"], Budget.of(path), name or path.name, error)
    raise _ended(signal.SIGALRM, Budget.of(path), name or path.name, error)


def _ended(by: int, budget: Budget, name: str, error: type[EmbedlabError]) -> EmbedlabError:
    """The sentence for a process that a signal ended."""
    if by == signal.SIGALRM:
        what = f"takes longer than {budget.clock:,} seconds"
    elif by == signal.SIGXCPU:
        what = f"takes more than {counted(budget.processor, 'second')} of processor time"
    elif by in (NO_MEMORY, signal.SIGABRT):  # SIGABRT is how native code says that it got no memory
        what = f"takes more than {in_bytes(budget.memory)} of memory"
    elif (refusal := refusal_of_signal(by)) in (KILLED, ENDED) and refusal is not None:
        return error(refusal.code, f"Reading {name!r} was interrupted. {refusal.sentence}")
    else:
        what = "crashes the library that reads it"
    advice = "It may be damaged, or made to do so: save it again, split it, or choose another file."
    return error("E-READ-LIMIT", f"Reading {name!r} {what}, so it was stopped. {advice}")


class _Pipe:
    """The end of a pipe that is read by lines and bytes; what has arrived is never waited for again.

    ``child``: the process that writes, if it is ours.
    """

    def __init__(self, descriptor: int, child: int | None = None):
        self._descriptor, self._arrived, self._child = descriptor, bytearray(), child
        self.messages = self._read()

    def _read(self) -> Iterator[dict[str, Any]]:
        """What a process says, line by line, at last how it ended; nothing more where it cannot even be killed."""
        until = time.monotonic() + 6 * limits.LIMITS.reading_seconds_most + 60  # the process ends itself sooner
        while line := self.line(until):
            yield json.loads(line)
        if self._child is not None and time.monotonic() < until:
            yield {"ended": ended_by(os.waitpid(self._child, 0)[1])}

    def line(self, until: float) -> bytes:
        """The next line with its end; less if the writer is gone, or the monotonic clock has passed ``until``."""
        while b"\n" not in self._arrived:
            ready, *_ = select.select([self._descriptor], [], [], max(0.0, until - time.monotonic()))
            if not ready or not (part := os.read(self._descriptor, 2**16)):
                break
            self._arrived += part
        return self._taken(self._arrived.find(b"\n") + 1)

    def content(self, size: int) -> bytes:
        """The next ``size`` bytes; fewer if the writer is gone."""
        while len(self._arrived) < size and (part := os.read(self._descriptor, 2**20)):
            self._arrived += part
        return self._taken(size)

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._arrived[:size])
        del self._arrived[:size]
        return taken


@contextmanager
def _process(request: dict) -> Iterator[_Pipe]:
    """The pipe of a process that reads, which ends with this context."""
    ours, theirs = os.pipe()
    child = group = 0
    try:
        if _is_alone():
            load_for_arrow()
            child = os.fork()
            if not child:
                read_and_answer(request, theirs)
            os.close(theirs)
        else:
            _send(request, theirs)
        pipe = _Pipe(ours, child or None)
        group = next(pipe.messages, {}).get("group", 0)
        yield pipe
    except BaseException:
        if group:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        raise
    finally:
        os.close(ours)
        if child:
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


def _is_alone() -> bool:
    """Whether a fork of this process is sound: no thread but this one could hold a lock. Idle pools of native libraries
    do not count; those of Ray are not idle.
    """
    return threading.active_count() == 1 and "ray" not in sys.modules


class _Server:
    """The warm process of this one."""

    process: Popen | None = None
    connection: socket.socket | None = None
    lock = threading.Lock()


def _send(request: dict, pipe: int) -> None:
    """Hand a request and the end of a pipe to the server, which is started if it does not live."""
    content = json.dumps(request).encode()
    try:
        with _Server.lock:
            for _ in range(2):
                if _Server.process is None or _Server.process.poll() is not None or _Server.connection is None:
                    _start_server()
                assert _Server.connection is not None
                with suppress(OSError):
                    socket.send_fds(_Server.connection, [len(content).to_bytes(4, "big")], [pipe])
                    _Server.connection.sendall(content)
                    return
                _Server.process = None
        raise RuntimeError("The process that reads files cannot be started.")
    finally:
        os.close(pipe)


def _start_server() -> None:
    ours, theirs = socket.socketpair()
    environment = {**os.environ, "PYTHONPATH": import_path(), "TOKENIZERS_PARALLELISM": "false"}
    command = [sys.executable, "-m", "embedlab.reader_worker", str(theirs.fileno())]
    with closing(theirs):
        _Server.process = Popen(command, env=environment, pass_fds=[theirs.fileno()], stdin=DEVNULL, stdout=DEVNULL)
    if _Server.connection is not None:
        _Server.connection.close()
    _Server.connection = ours


@atexit.register
def _end_server() -> None:
    """End the server with this process, which waits for it."""
    if _Server.process is not None and _Server.connection is not None:
        _Server.connection.close()
        _Server.process.kill()
        _Server.process.wait()


def warm_up() -> None:
    """Start the server, so that the first file does not wait for it."""
    with _Server.lock:
        if HAS_LIMITS and not Here.is_reader and _Server.process is None:
            _start_server()


def _table(message: dict, pipe: _Pipe) -> pa.Table | None:
    if message["file"]:
        table = pa.ipc.open_file(pa.memory_map(message["file"])).read_all()
        remove_scratch_folder(Path(message["file"]).parent)  # the mapped file exists as long as the table
        return table
    content = pipe.content(message["bytes"])
    return pa.ipc.open_stream(content).read_all() if content else None
