"""What the machine refuses, as one table: a number, signal or phrase of a library -> a stable code and its sentence.

Everything that reports a failure reads this table: commands, pages, notebooks, workers and readers of strangers' files.
``disk_trouble.py`` adds which file or folder is meant. A row that is listed earlier is preferred.
"""

import errno
import signal
from dataclasses import dataclass
from enum import StrEnum

from embedlab.errors import EmbedlabError


class Doing(StrEnum):
    """What was being done: the same number can mean another thing while reading than while writing."""

    READING = "reading"
    WRITING = "writing"


@dataclass(frozen=True)
class Refusal:
    """One row: how the machine says it, and what embedlab says.

    ``{what}`` in a sentence is the file, where one is known.
    """

    key: str
    code: str
    sentence: str  # what was expected, what was found, what to do
    numbers: tuple[int, ...] = ()  # errno
    signals: tuple[str, ...] = ()  # that ended a process; not every system has each
    phrases: tuple[str, ...] = ()  # of messages, in lower case
    classes: tuple[str, ...] = ()  # names of exceptions
    doing: Doing | None = None  # None: whatever was being done
    about_file: bool = False  # whether the file is to blame, rather than what the process may use
    exit_code: int = 2  # 1 where the user cannot change it at once


GPU_MEMORY = Refusal(
    "gpu-memory",
    "E-MEMORY",
    "The GPU ran out of memory. Choose a smaller batch size or encoder, or end what else uses the GPU.",
    phrases=("cuda out of memory", "mps backend out of memory", "hip out of memory", "cublas_status_alloc_failed"),
    exit_code=1,
)
MEMORY = Refusal(
    "memory",
    "E-MEMORY",
    "This computer ran out of memory. Close other programs, or choose a smaller corpus, batch size or encoder.",
    numbers=(errno.ENOMEM,),
    phrases=(
        *("out of memory", "can't allocate memory", "cannot allocate memory", "bad_alloc", "realloc of size"),
        *("unable to allocate", "llvm error: out of memory", "memory allocation of"),
    ),
    classes=("MemoryError", "OutOfMemoryError"),
    exit_code=1,
)
THREADS = Refusal(
    "threads",
    "E-THREADS",
    "The system refused to start another process or thread, because too many are running or memory is short. Close "
    "other programs, raise the limit (ulimit -u), or set OMP_NUM_THREADS=1.",
    numbers=(errno.EAGAIN,),
    phrases=(
        *("can't start new thread", "resource temporarily unavailable", "failed to launch worker thread"),
        *("pthread_create failed", "thread creation failed", "failed to spawn thread"),
    ),
    exit_code=1,
)
DISK_FULL = Refusal(
    "disk-full",
    "E-DISK",
    "The disk is full. Free some space there, or set EMBEDLAB_HOME and TMPDIR to folders on another disk.",
    numbers=(errno.ENOSPC, errno.EDQUOT),
    phrases=("no space left on device", "disk quota exceeded", "database or disk is full"),
)
NO_TEMPORARY = Refusal(
    "no-temporary-folder",
    "E-TEMP",
    "No folder for temporary files is writable. Free some space there, or set TMPDIR to a folder that you can write "
    "to.",
    phrases=("no usable temporary directory",),
)
READ_ONLY = Refusal(
    "read-only",
    "E-STORE-WRITE",
    "The disk is read-only. Make it writable, or set EMBEDLAB_HOME to a folder that is.",
    numbers=(errno.EROFS,),
    phrases=("read-only file system", "attempt to write a readonly database"),
)
OPEN_FILES = Refusal(
    "open-files",
    "E-OPEN-FILES",
    "More files are open than the system allows. Close other programs, or raise the limit (ulimit -n).",
    numbers=(errno.EMFILE, errno.ENFILE),
    phrases=("too many open files",),
)
TOO_LARGE_TO_READ = Refusal(
    "too-large-to-read",
    "E-FILE-READ",
    "{what} cannot be read: {why}. Choose an ordinary file, or check the disk that it is on.",
    numbers=(errno.EFBIG,),
    doing=Doing.READING,
    about_file=True,
)
FILE_SIZE = Refusal(
    "file-size",
    "E-FILE-SIZE",
    "{what} was to be written, but the system allows no file of that size. Raise the limit (ulimit -f), or write to a "
    "disk whose file system has larger files.",
    numbers=(errno.EFBIG,),  # the kernel says so of writing alone
    signals=("SIGXFSZ",),
    phrases=("file too large", "file size limit exceeded"),
)
NOT_READABLE = Refusal(
    "not-readable",
    "E-FILE-READ",
    "{what} cannot be read: {why}. Choose an ordinary file, or check the disk that it is on.",
    numbers=(errno.ENXIO, errno.ENODEV, errno.ESPIPE),  # of devices, /proc and pipes
    about_file=True,
)
DISK_ERROR = Refusal(
    "disk-error",
    "E-DISK-ERROR",
    "{what} was to be read or written, but its disk reports an error ({why}). Check the disk, copy what can still be "
    "read, and set EMBEDLAB_HOME to a folder on another disk.",
    numbers=(errno.EIO,),
    phrases=("input/output error", "disk i/o error"),
    about_file=True,
)
DISK_AWAY = Refusal(
    "disk-away",
    "E-DISK-AWAY",
    "{what} lies on a disk that does not answer ({why}). Check the network or mount the disk again, then repeat this.",
    numbers=(errno.ESTALE, errno.ETIMEDOUT, errno.EHOSTDOWN),
    phrases=("stale file handle",),
    about_file=True,
)
PATH = Refusal(
    "path",
    "E-PATH-NAME",
    "{what} cannot be opened: {why}. Choose a shorter path without links that lead back to themselves.",
    numbers=(errno.ENAMETOOLONG, errno.ELOOP),
    about_file=True,
)
CLOSED = Refusal(
    "permission",
    "E-FILE-PERMISSION",
    "You have no permission to open or write {what}. Choose another place, or ask its owner.",
    numbers=(errno.EACCES, errno.EPERM),
    phrases=("(os error 13)",),  # of libraries in Rust
    about_file=True,
)
PROCESSOR_TIME = Refusal(
    "processor-time",
    "E-TIME-LIMIT",
    "The process was ended because it used more processor time than the system allows. Raise the limit (ulimit -t).",
    signals=("SIGXCPU",),
    exit_code=1,
)
KILLED = Refusal(
    "killed",
    "E-KILLED",
    "The process was killed from outside: by the system, as it does when memory runs out, or by somebody. Close other "
    "programs, then try again.",
    signals=("SIGKILL",),
    exit_code=1,
)
ENDED = Refusal(
    "ended",
    "E-ENDED",
    "The process was ended by the system or by somebody. Try again.",
    signals=("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"),
    exit_code=1,
)
CRASHED = Refusal(
    "crashed",
    "E-CRASHED",
    "The process crashed in one of its libraries. Try again; if it crashes again, reinstall the packages of "
    "requirements.txt.",
    signals=("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"),
    phrases=("fatal python error", "illegal instruction"),
    exit_code=1,
)
TABLE = (
    *(GPU_MEMORY, MEMORY, THREADS, DISK_FULL, NO_TEMPORARY, READ_ONLY, OPEN_FILES, TOO_LARGE_TO_READ, FILE_SIZE),
    *(NOT_READABLE, DISK_ERROR, DISK_AWAY, PATH, CLOSED, PROCESSOR_TIME, KILLED, ENDED, CRASHED),
)
_OF_A_PROCESS = ("llvm error", "terminate called", "blas", "libgomp", "omp:", "memory allocation of", "fatal python")
_QUOTES_OTHERS = (LookupError, AssertionError, SyntaxError, UnicodeError)  # whose messages may be a user's text
_LOG_LINES = 40  # at the end of a log


class TooLargeToRead(OSError):
    """A file that is larger than embedlab reads as a whole."""

    doing = Doing.READING


def refusal_of(error: BaseException) -> Refusal | None:
    """Return the row of an error; None if the machine refused nothing. A sentence of embedlab's own stays as it is."""
    if isinstance(error, EmbedlabError):
        return None
    number = error.errno if isinstance(error, OSError) else None
    doing = getattr(error, "doing", None)
    if number is not None:
        row = next((row for row in TABLE if number in row.numbers and row.doing in (None, doing)), None)
        if row is not None:
            return row
    message = "" if isinstance(error, _QUOTES_OTHERS) else str(error).lower()
    names = {kind.__name__ for kind in type(error).__mro__}
    return next((row for row in TABLE if names & set(row.classes) or _says(message, row)), None)


def refusal_of_signal(number: int) -> Refusal | None:
    """Return the row of a signal that ended a process, also as ``-9`` in a return code; None for other numbers."""
    try:
        name = signal.Signals(abs(number)).name
    except ValueError:
        return None
    return next((row for row in TABLE if name in row.signals), None)


def refusal_in_log(log: str) -> Refusal | None:
    """Return the row of what native code printed before it ended its process; None where it printed nothing such."""
    for line in reversed(log.lower().splitlines()[-_LOG_LINES:]):
        if any(each in line for each in _OF_A_PROCESS):
            row = next((row for row in TABLE if _says(line, row)), None)
            if row is not None:
                return row
    return None


def _says(message: str, row: Refusal) -> bool:
    return any(phrase in message for phrase in row.phrases)


def is_disk_full(error: BaseException) -> bool:
    """Return whether the disk was full; some libraries say so only in their message."""
    return refusal_of(error) is DISK_FULL


def ran_out_of_memory(error: BaseException) -> bool:
    """Return whether there was no memory, of this computer or of its GPU."""
    return refusal_of(error) in (MEMORY, GPU_MEMORY)


def is_short(error: BaseException) -> bool:
    """Return whether the process lacks memory, threads or open files, so that no file is to blame."""
    return refusal_of(error) in (MEMORY, GPU_MEMORY, THREADS, OPEN_FILES)
