"""The process that reads a file of a stranger for ``reader_process.py``: its limits, its answer, and their server."""

import importlib
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import IO, Any, NamedTuple, NoReturn

import psutil
import pyarrow as pa

from embedlab import errors, limits
from embedlab.disk_trouble import trouble_said
from embedlab.errors import EmbedlabError
from embedlab.machine_refusals import is_short
from embedlab.scratch import new_scratch_folder

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

PRELOADED = ("embedlab.corpora.files", "embedlab.vectors.opened")  # by the server, which lives as long as its client
SENT_BYTES = 64 * 2**20  # a larger table comes back as a file
HAS_LIMITS = resource is not None and hasattr(os, "fork")
NO_MEMORY = 0  # in place of the signal that ended a reader: it got no memory within its limits
_EVERY_SECONDS = 0.05  # between two reports of progress
Answer = tuple[dict[str, Any], pa.Table | None]


class Here:
    """What this process is."""

    is_reader = False


class Budget(NamedTuple):
    """What reading one file may use."""

    memory: int  # bytes of address space beyond what the process begins with
    processor: int  # seconds
    clock: int  # seconds

    @classmethod
    def of(cls, path: Path) -> "Budget":
        """By its size on the disk, of a folder by that of its files; honest files use a small part of it."""
        size, files = _size(path)
        most = max(limits.LIMITS.reading_bytes_most, psutil.virtual_memory().total // 2)
        memory = min(limits.LIMITS.reading_bytes + limits.LIMITS.reading_bytes_per_byte * size, most) + 2 * size
        seconds = limits.LIMITS.reading_seconds * (1 + size / 2**20) + files / 200
        seconds = min(seconds, limits.LIMITS.reading_seconds_most)
        return cls(int(memory), max(1, int(seconds)), int(6 * seconds) + limits.LIMITS.reading_clock_seconds)


def read_and_answer(request: dict, pipe: int) -> NoReturn:
    """In a fork: call the reader under its limits, and answer. Nothing is raised."""
    try:
        _begin(request, pipe)
        with open(pipe, "wb") as sink:
            sink.write(_line({"group": os.getpid()}))
            sink.flush()
            sink.write(_answered(request, sink))
    finally:
        os._exit(0)


def _answered(request: dict, sink: IO[bytes]) -> bytes:
    """The last message, with the table after it where it is sent."""
    try:
        _limit(Budget.of(Path(request["path"])))
        reported = 0.0

        def progress(stage: str, done: int = 0, total: int = 0) -> None:
            nonlocal reported
            if time.monotonic() - reported > _EVERY_SECONDS:
                reported = time.monotonic()
                sink.write(_line({"stage": stage, "done": done, "total": total}))
                sink.flush()

        answer, table = resolve_name(request["reader"])(
            Path(request["path"]), progress=progress, **request["arguments"]
        )
        file, content = (None, b"") if table is None else _packed(table)
        return _line({"answer": answer, "file": file, "bytes": len(content)}) + content
    except EmbedlabError as error:
        kind = next(each.__name__ for each in type(error).__mro__ if each.__module__ == errors.__name__)
        return _line({"error": kind, "code": error.code, "message": error.message})
    except BaseException as error:  # a panic of a Rust library is no Exception
        if is_short(error):  # its limits allow no more
            return _line({"ended": NO_MEMORY})
        if (refused := trouble_said(error)) is not None:
            kind = next(each.__name__ for each in type(refused).__mro__ if each.__module__ == errors.__name__)
            return _line({"error": kind, "code": refused.code, "message": refused.message})
        if type(error).__name__ == "PanicException":
            return _line({"ended": signal.SIGSEGV})
        return _line({"unexpected": traceback.format_exc()})


def _begin(request: dict, pipe: int) -> None:
    """Let go of what the fork inherited: files and their locks, streams, signals; take over what its client is told."""
    Here.is_reader = True
    os.setpgid(0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.closerange(3, pipe)
    os.closerange(pipe + 1, os.sysconf("SC_OPEN_MAX"))
    if request["folder"] is not None:
        os.chdir(request["folder"])
    if request["store"] is not None:
        os.environ["EMBEDLAB_HOME"] = request["store"]
    for name, value in request["limits"].items():
        object.__setattr__(limits.LIMITS, name, value)


def _limit(budget: Budget) -> None:
    """From now on the system ends this process where it needs more."""
    pa.set_memory_pool(pa.system_memory_pool())  # others reserve a gibibyte of addresses at once
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime)
    _lower(resource.RLIMIT_AS, psutil.Process().memory_info().vms + budget.memory)
    _lower(resource.RLIMIT_CPU, spent + budget.processor, beyond=5)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, budget.clock)


def _lower(kind: int, soft: int, *, beyond: int = 0) -> None:
    """A limit, at most the one that there is."""
    _, hard = resource.getrlimit(kind)
    most = soft + beyond if hard == resource.RLIM_INFINITY else min(soft + beyond, hard)
    resource.setrlimit(kind, (min(soft, most), most))


def _line(message: dict) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _packed(table: pa.Table) -> tuple[str | None, bytes]:
    """The table as it is sent; instead of a large one the file that it was written to."""
    options = pa.ipc.IpcWriteOptions(unify_dictionaries=True)
    if table.nbytes > SENT_BYTES:
        path = str(new_scratch_folder() / "table.arrow")
        with pa.ipc.new_file(path, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=10_000)
        return path, b""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return None, sink.getvalue().to_pybytes()


def _size(path: Path) -> tuple[int, int]:
    """Bytes and number of files; of a folder up to as many as an archive may have."""
    size = files = 0
    try:
        if not path.is_dir():
            return path.stat().st_size, 1
        for folder, _, names in os.walk(path):
            for name in names:
                size, files = size + os.stat(os.path.join(folder, name)).st_size, files + 1
                if files > limits.LIMITS.archive_members:
                    return size, files
    except OSError:
        pass
    return size, files


def serve(descriptor: int) -> None:
    """Fork a reader for each request that comes with a pipe, until the client is gone; say how those ended that did not
    answer.
    """
    for module in PRELOADED:
        importlib.import_module(module)
    load_for_arrow()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the client
    ended, ends = os.pipe()
    os.set_blocking(ends, False)
    signal.set_wakeup_fd(ends)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    pipes: dict[int, int] = {}
    with socket.socket(fileno=descriptor) as client:
        while True:
            ready, *_ = select.select([client.fileno(), ended], [], [])
            if ended in ready:
                os.read(ended, 512)
                _say_endings(pipes)
            if client.fileno() in ready:
                start, received, *_ = socket.recv_fds(client, 4, 1)
                if not start:
                    return
                size, content = int.from_bytes(start, "big"), b""
                while len(content) < size and (part := client.recv(size - len(content))):
                    content += part
                if not (reader := os.fork()):
                    signal.set_wakeup_fd(-1)
                    read_and_answer(json.loads(content), received[0])
                pipes[reader] = received[0]


def ended_by(status: int) -> int:
    """The signal that ended a process; ``NO_MEMORY`` for one that ended by itself without an answer."""
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else NO_MEMORY


def _say_endings(pipes: dict[int, int]) -> None:
    while pipes:
        try:
            reader, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not reader:
            return
        pipe = pipes.pop(reader)
        with suppress(BrokenPipeError):
            if os.WIFSIGNALED(status):
                os.write(pipe, _line({"ended": ended_by(status)}))
        os.close(pipe)


def load_for_arrow() -> None:
    """Arrow imports pandas when it makes its first array: once here is sooner than in every fork."""
    pa.array([""])


if __name__ == "__main__":
    # the module that the readers import, not this run of it
    importlib.import_module("embedlab.reader_worker").serve(int(sys.argv[1]))
