"""What the machine refuses, produced for real in processes of their own: each row of the table has its code.

What no test can produce (a GPU's memory, a network disk that is away) is tested by the library's own exception with its
message, and said so.
"""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import SafetensorError
from safetensors.numpy import save_file

from embedlab import reader_process
from embedlab.cli import main
from embedlab.disk_trouble import small_file, trouble_said
from embedlab.errors import CorpusError, EmbedlabError, StoreError
from embedlab.jobs.executors import local
from embedlab.jobs.why_ended import error_of, no_result
from embedlab.limits import LIMITS
from embedlab.machine_refusals import TABLE, TooLargeToRead, refusal_in_log, refusal_of, refusal_of_signal
from embedlab.reader_process import read_limited
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run
from embedlab.store_root import UnreadableFile, read_json
from embedlab.worker.work import _failure

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of a process are set as on Linux")
START = """
import errno, mmap, os, resource, socket, sqlite3, sys, tempfile, threading
from embedlab.machine_refusals import refusal_of

def limit(kind, value):
    resource.setrlimit(kind, (value, value))

def limit_memory(more):
    pages = int(open("/proc/self/statm").read().split()[0])
    limit(resource.RLIMIT_AS, pages * resource.getpagesize() + more)

def nobody():
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
"""
END = """
try:
    refused()
except BaseException as error:
    row = refusal_of(error)
    print("none" if row is None else row.key, repr(error)[:200])
else:
    print("nothing was refused")
"""
PRODUCED = {
    "memory, of Python": ("memory", "limit_memory(2**26)\ndef refused(): bytearray(2**33)"),
    "memory, of a mapping": ("memory", "limit_memory(2**26)\ndef refused(): mmap.mmap(-1, 2**33)"),
    "memory, of numpy": ("memory", "import numpy\nlimit_memory(2**26)\ndef refused(): numpy.ones(2**33)"),
    "memory, of Arrow": (
        "memory",
        "import pyarrow\nlimit_memory(2**26)\ndef refused(): pyarrow.allocate_buffer(2**40)",
    ),
    "memory, of torch": ("memory", "import torch\ndef refused(): torch.empty(2**44, device='cpu')"),
    "a thread": (
        "threads",
        "limit_memory(2**26)\nthreading.stack_size(2**29)\ndef refused(): threading.Thread(target=print).start()",
    ),
    "a process": ("threads", "limit(resource.RLIMIT_NPROC, 0)\nnobody()\ndef refused(): os.fork()"),
    "a full disk": ("disk-full", "def refused():\n    with open('/dev/full', 'w') as file: file.write('x')"),
    "a full database": (
        "disk-full",
        "def refused():\n    base = sqlite3.connect(':memory:')\n    base.execute('PRAGMA max_page_count = 2')\n"
        "    base.execute('CREATE TABLE a (b)')\n    base.execute('INSERT INTO a VALUES (zeroblob(100000))')",
    ),
    "no folder for temporary files": (
        "no-temporary-folder",
        "limit(resource.RLIMIT_FSIZE, 0)\ndef refused(): tempfile.gettempdir()",
    ),
    "open files": (
        "open-files",
        "limit(resource.RLIMIT_NOFILE, 16)\ndef refused(): files = [open('/dev/null') for _ in range(16)]",
    ),
    "a file that grows too large": (
        "file-size",
        "limit(resource.RLIMIT_FSIZE, 100)\ndef refused():\n"
        "    with open(sys.argv[1] + '/large', 'wb') as file: file.write(bytes(200))",
    ),
    "a large file, of safetensors": (
        "file-size",
        "import numpy, safetensors.numpy\nlimit(resource.RLIMIT_FSIZE, 100)\ndef refused():\n"
        "    safetensors.numpy.save_file({'a': numpy.ones(99)}, sys.argv[1] + '/large')",
    ),
    "a pipe without a reader": (
        "not-readable",
        "os.mkfifo(sys.argv[1] + '/pipe')\ndef refused(): os.open(sys.argv[1] + '/pipe', os.O_WRONLY | os.O_NONBLOCK)",
    ),
    "a place in a pipe": ("not-readable", "def refused(): os.lseek(os.pipe()[0], 0, 0)"),
    "an error of the disk": ("disk-error", "def refused(): os.read(os.open('/proc/self/mem', os.O_RDONLY), 1)"),
    "a long name": ("path", "def refused(): open('x' * 300)"),
    "links in a circle": ("path", "os.symlink('a', sys.argv[1] + '/a')\ndef refused(): open(sys.argv[1] + '/a')"),
    "no permission": (
        "permission",
        "os.close(os.open(sys.argv[1] + '/mine', os.O_CREAT, 0))\nnobody()\ndef refused(): open(sys.argv[1] + '/mine')",
    ),
    "what only root may": ("permission", "nobody()\ndef refused(): os.chroot('/')"),
}


def refused(code: str, *arguments: str) -> subprocess.CompletedProcess:
    """Run code in a process of its own, whose limits it may lower."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", f"{START}\n{code}\n{END}", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("how", PRODUCED)
def test_a_refusal_that_is_produced_for_real_has_its_row(how, tmp_path):
    tmp_path.chmod(0o755)
    key, code = PRODUCED[how]
    done = refused(code, str(tmp_path))
    assert done.stdout.partition(" ")[0].strip() == key, (done.stdout, done.stderr[-300:])


def test_a_disk_that_may_only_be_read_has_its_row(tmp_path):
    mounts = [line.split() for line in Path("/proc/mounts").read_text("utf-8").splitlines()]
    places = [each[1] for each in mounts if "ro" in each[3].split(",") and os.path.isdir(each[1])]
    for place in places:
        try:
            os.close(os.open(f"{place}/embedlab-{os.getpid()}", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except OSError as error:
            if error.errno == errno.EROFS:
                assert refusal_of(error).key == "read-only" and trouble_said(error).code == "E-STORE-WRITE"
                return
    pytest.skip("no disk here is mounted read-only")


def test_a_small_disk_that_is_full_has_its_row(tmp_path):
    mounting = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if os.getuid() != 0 or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("this test may not mount a small disk")
    try:
        with pytest.raises(OSError) as full, open(tmp_path / "large", "wb") as file:
            file.write(bytes(2**20))
        assert trouble_said(full.value).code == "E-DISK"
        with pytest.raises(SafetensorError) as full:
            save_file({"a": np.ones(2**17)}, tmp_path / "weights.safetensors")
        assert trouble_said(full.value).code == "E-DISK"
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


SIGNALS = {
    "SIGKILL": ("E-KILLED", "os.kill(os.getpid(), 9)"),
    "SIGTERM": ("E-ENDED", "os.kill(os.getpid(), 15)"),
    "SIGSEGV": ("E-CRASHED", "import ctypes\nctypes.string_at(0)"),
    "SIGABRT": ("E-CRASHED", "os.abort()"),
    "SIGBUS": (
        "E-CRASHED",
        "import mmap\nfile = open(sys.argv[1] + '/a', 'w+b')\nfile.truncate(4096)\nm = mmap.mmap(file.fileno(), 4096)\n"
        "file.truncate(0)\nm[0]",
    ),
    "SIGILL": ("E-CRASHED", "import signal\nos.kill(os.getpid(), signal.SIGILL)"),
    "SIGFPE": ("E-CRASHED", "import signal\nos.kill(os.getpid(), signal.SIGFPE)"),
    "SIGXCPU": ("E-TIME-LIMIT", "resource.setrlimit(resource.RLIMIT_CPU, (1, 9))\nwhile True: pass"),
    "SIGXFSZ": (
        "E-FILE-SIZE",
        "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nlimit(resource.RLIMIT_FSIZE, 10)\n"
        "os.write(os.open(sys.argv[1] + '/a', os.O_CREAT | os.O_WRONLY), bytes(10))\n"
        "os.write(os.open(sys.argv[1] + '/a', os.O_APPEND | os.O_WRONLY), bytes(10))",
    ),
}


@pytest.mark.parametrize("name", SIGNALS)
def test_a_process_that_a_signal_ended_has_the_code_of_the_signal(name, tmp_path):
    code, way = SIGNALS[name]
    done = refused(f"resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n{way}", str(tmp_path))
    assert signal.Signals(-done.returncode).name == name
    row = refusal_of_signal(done.returncode)
    assert row.code == code and row.sentence.endswith(".")


NOT_PRODUCED_HERE = {  # by the library's own exception with its message
    "a GPU's memory": (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0"), "gpu-memory"),
    "cuBLAS": (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`"), "gpu-memory"),
    "a file of a network disk": (OSError(errno.ESTALE, "Stale file handle", "/net/a"), "disk-away"),
    "a network disk": (OSError(errno.ETIMEDOUT, "Connection timed out", "/net/a"), "disk-away"),
    "a quota": (OSError(errno.EDQUOT, "Disk quota exceeded"), "disk-full"),
    "all files of the system": (OSError(errno.ENFILE, "Too many open files in system"), "open-files"),
    "safetensors": (SafetensorError("I/O error: No space left on device (os error 28)"), "disk-full"),
    "native code": (RuntimeError("std::bad_alloc"), "memory"),
    "a thread of Arrow": (OSError("Failed to launch worker thread: Resource temporarily unavailable"), "threads"),
}


@pytest.mark.parametrize("what", NOT_PRODUCED_HERE)
def test_what_cannot_be_produced_here_is_known_by_the_librarys_own_exception(what):
    error, key = NOT_PRODUCED_HERE[what]
    assert refusal_of(error).key == key and trouble_said(error).message.endswith(".")


def test_every_row_is_tested_and_has_a_sentence_that_says_what_to_do():
    produced = {key for key, _ in PRODUCED.values()} | {row.key for row in TABLE if row.signals}
    produced |= {key for _, key in NOT_PRODUCED_HERE.values()} | {"read-only", "too-large-to-read"}
    assert produced == {row.key for row in TABLE} and len(TABLE) == len(produced)
    for row in TABLE:
        assert row.code.startswith("E-") and row.sentence.count(". ") >= 1 and row.sentence.endswith(".")
        assert row.numbers or row.signals or row.phrases
        assert all(phrase == phrase.lower() for phrase in row.phrases)


def test_a_file_that_is_too_large_means_another_thing_to_a_reader_than_to_a_writer(tmp_path):
    (tmp_path / "large").write_bytes(bytes(LIMITS.small_file_bytes + 1))
    with pytest.raises(TooLargeToRead) as refused:
        small_file(tmp_path / "large")
    read, written = trouble_said(refused.value), trouble_said(OSError(errno.EFBIG, "File too large"))
    assert (read.code, written.code) == ("E-FILE-READ", "E-FILE-SIZE")
    assert str(tmp_path / "large") in read.message
    assert trouble_said(OSError(errno.EFBIG, "File too large"), name="texts.csv").code == "E-FILE-SIZE"


@pytest.mark.parametrize(
    "error",
    [
        KeyError("out of memory"),
        ValueError("shape mismatch"),
        OSError(errno.EINVAL, "Invalid argument"),
        OSError(errno.ENOENT, "No such file or directory"),
        CorpusError("E-TEXT", "A text says: out of memory."),
    ],
)
def test_what_is_no_refusal_of_the_machine_has_no_row(error):
    assert refusal_of(error) is None and trouble_said(error) is None
    assert refusal_of_signal(0) is None and refusal_of_signal(signal.SIGWINCH) is None


LOGS = {
    "LLVM ERROR: out of memory\n": "E-MEMORY",
    "step 3\nterminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n": "E-MEMORY",
    "memory allocation of 800 bytes failed\n": "E-MEMORY",
    "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 2: Resource temporarily\n": "E-THREADS",
    "libgomp: Thread creation failed: Resource temporarily unavailable\n": "E-THREADS",
    "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1:\n  File x\n": "E-CRASHED",
}


@pytest.mark.parametrize("log", LOGS)
def test_what_native_code_printed_as_it_ended_the_worker_is_said(store, log):
    run = create_run("train", {})
    run.log.write_text(f"step 1\n{log}", encoding="utf-8")
    (run.path / "state.json").write_text('{"state": "running"}', encoding="utf-8")
    facts = read_state(run)
    assert facts.state is State.INTERRUPTED
    row = refusal_in_log(log)
    for error in (error_of(facts, run), no_result(run, facts)):
        assert error.code == row.code == LOGS[log] and row.sentence in error.message
    assert refusal_in_log("a text about memory that ran out of memory\nstep 4\n") is None


def test_what_llvm_prints_as_it_ends_a_process_is_known():
    """Numba compiles where hardly any memory is left: LLVM ends the process, and no error of Python's is raised."""
    compiling = (
        "import numba\ncompiled = numba.njit(lambda x: x + 1)\ncompiled(1)\n"
        "limit(resource.RLIMIT_CORE, 0)\nlimit_memory(2**21)\n"
        "for number in range(99):\n"
        "    numba.njit(eval(f'lambda x: x' + ' * x + 1.5' * 200))(float(number))"
    )
    done = refused(compiling)
    assert done.returncode == -signal.SIGABRT
    assert refusal_in_log(done.stderr).key == "memory", done.stderr[-300:]


def test_a_worker_that_was_killed_is_said_to_be_killed_by_the_process_that_started_it(store, monkeypatch):
    run = create_run("train", {})
    worker = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setattr(local, "_children", [worker])
    (run.path / "state.json").write_text(f'{{"state": "running", "pid": {worker.pid}}}', encoding="utf-8")
    worker.kill()
    worker.communicate()
    assert error_of(read_state(run), run).code == "E-KILLED"
    monkeypatch.setattr(local, "_signals", {})
    assert error_of(read_state(run), run).code == "E-INTERRUPTED"  # another process knows nothing of it


FAILURES = {
    "E-THREADS": RuntimeError("can't start new thread"),
    "E-MEMORY": MemoryError(),
    "E-OPEN-FILES": OSError(errno.EMFILE, "Too many open files", "/store/a"),
    "E-FILE-SIZE": OSError(errno.EFBIG, "File too large"),
    "E-DISK": OSError(errno.ENOSPC, "No space left on device"),
    "E-DISK-AWAY": OSError(errno.ESTALE, "Stale file handle", "/net/a"),
}


@pytest.mark.parametrize("code", FAILURES)
def test_workers_and_commands_say_the_same_code(code, store, monkeypatch, capsys):
    assert _failure(FAILURES[code], create_run("train", {}))[0] == code

    def refused(*_: object) -> None:
        raise FAILURES[code]

    monkeypatch.setattr("embedlab.cli.called", refused)
    assert main(["runs", "list", "--json"]) in (1, 2)
    assert f'"code": "{code}"' in capsys.readouterr().out


def test_a_mistake_of_ours_is_not_taken_for_a_refusal(store, monkeypatch):
    def mistake(*_: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("embedlab.cli.called", mistake)
    with pytest.raises(ValueError, match="ours"):
        main(["runs", "list", "--json"])


def killed(path: Path, **_: object) -> None:
    """A reader that is killed from outside."""
    os.kill(os.getpid(), signal.SIGKILL)


def ended(path: Path, **_: object) -> None:
    """A reader that is told to end."""
    os.kill(os.getpid(), signal.SIGTERM)


def without_files(path: Path, **_: object) -> None:
    """A reader whose disk is away."""
    raise OSError(errno.ESTALE, "Stale file handle")


@pytest.mark.parametrize(("reader", "code"), [(killed, "E-KILLED"), (ended, "E-ENDED"), (without_files, "E-DISK-AWAY")])
def test_a_reader_that_was_ended_from_outside_does_not_blame_the_file(
    reader, code, tmp_path, limited_readers, monkeypatch
):
    monkeypatch.setattr(reader_process, "_is_alone", lambda: True)  # a fork of this process knows these readers
    (tmp_path / "texts.csv").write_text("text\na\n", encoding="utf-8")
    with pytest.raises(EmbedlabError) as refused:
        read_limited(f"{__name__}:{reader.__name__}", tmp_path / "texts.csv")
    assert refused.value.code == code and "damaged" not in refused.value.message


def test_a_file_of_the_store_is_not_called_damaged_for_want_of_open_files(store, monkeypatch):
    run = create_run("train", {})

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files", str(run.settings))

    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(OSError) as raised:
        read_json(run.settings)
    assert not isinstance(raised.value, UnreadableFile)
    assert isinstance(trouble_said(raised.value), StoreError)
