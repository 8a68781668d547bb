"""How a worker is started: its command and its environment, here and on another machine."""

import json
import os
import shlex
import subprocess
import sys

from embedlab.damage import Content, as_model
from embedlab.errors import SettingsError
from embedlab.import_path import import_path
from embedlab.offline import as_the_user_had_it
from embedlab.private import holds_secret
from embedlab.runs.folder import RunFolder
from embedlab.store_root import store_root

EXECUTOR = "EMBEDLAB_EXECUTOR"
PROCESSES = "EMBEDLAB_PROCESSES"  # that train one run together, on as many GPUs or on the cores (encoders/processes.py)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
LOW_PRIORITY = 10
TOKEN = "EMBEDLAB_JOB"  # set in a worker that an executor started elsewhere: the token of its job
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "APPDATA")
_KEPT_PREFIXES = tuple(
    "EMBEDLAB_ OMP_ OPENBLAS_ MKL_ HF_ LC_ CUDA_ XDG_ LOCALAPPDATA LD_LIBRARY VIRTUAL_ SSL_ RAY_ SLURM_ SBATCH_".split()
)
# All that another machine is told, by name: it is written into the files of an engine, and keys are read over there.
_TOLD_ELSEWHERE = (
    *(PROCESSES, "PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONIOENCODING"),
    *("HF_ENDPOINT", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"),
    *("OMP_WAIT_POLICY", "OMP_DYNAMIC", "OMP_SCHEDULE", "OMP_PROC_BIND", "OMP_PLACES"),
    *("OPENBLAS_NUM_THREADS", "OPENBLAS_THREAD_TIMEOUT", "OPENBLAS_CORETYPE"),
    *("MKL_CBWR", "MKL_DYNAMIC", "MKL_ENABLE_INSTRUCTIONS", "MKL_DEBUG_CPU_TYPE"),
)


def give_way() -> None:
    """From now on at low priority, as all that works beside a training."""
    if hasattr(os, "nice"):
        os.nice(max(0, LOW_PRIORITY - os.nice(0)))


def worker_command(folder: RunFolder, *, is_local: bool = False) -> list[str]:
    """Our worker on this folder, or what ``EMBEDLAB_WORKER`` starts it by; a training's as often as is asked for.

    ``is_local``: a training waits for this computer's device before its worker is loaded (worker/waiting.py).
    """
    is_waiting = is_local and folder.path.parent.name == "runs"
    ours = (waiting_command() if is_waiting else None) or [sys.executable, "-m", "embedlab.worker"]
    command, count = os.environ.get("EMBEDLAB_WORKER"), processes_of(folder)
    worker = [*(shlex.split(command) if command else ours), str(folder.path)]
    if count == 1:
        return worker
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--no-python"]
    return [*torchrun, "--nproc-per-node", str(count), *worker]


def waiting_command() -> list[str] | None:
    """How a training of one process of ours begins; None where ``EMBEDLAB_WORKER`` or several processes work."""
    is_ours = not os.environ.get("EMBEDLAB_WORKER") and whole_number(PROCESSES, 1) == 1
    return [sys.executable, "-m", "embedlab.worker.waiting"] if is_ours else None


def processes_of(folder: RunFolder) -> int:
    """How many processes train it: ``EMBEDLAB_PROCESSES``, else one; always one without training."""
    return whole_number(PROCESSES, 1) if folder.path.parent.name == "runs" else 1


def whole_number(name: str, otherwise: int) -> int:
    """A positive integer from the environment."""
    text = os.environ.get(name, "").strip()
    if not text:
        return otherwise
    if not text.isdecimal() or int(text) < 1:
        raise SettingsError("E-SETTING", f"{name} must be a whole number of 1 or more, but found {text!r}.")
    return int(text)


def worker_environment() -> dict[str, str]:
    """The environment of a worker on this machine."""
    environment = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith(_KEPT_PREFIXES)}
    environment = as_the_user_had_it({k: v for k, v in environment.items() if k != TOKEN})
    return {**environment, "PYTHONPATH": import_path(), "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}


def environment_elsewhere(token: str, *, threads: int) -> dict[str, str]:
    """Environment of another machine: store, threads, nothing local or secret (``embedlab/private.py``)."""
    here = worker_environment()
    environment = {name: here[name] for name in _TOLD_ELSEWHERE if name in here and not holds_secret(here[name])}
    environment |= {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}  # as many anywhere: the same bits
    return {**environment, "EMBEDLAB_HOME": str(store_root()), EXECUTOR: "local", TOKEN: token}


def is_elsewhere() -> bool:
    """Whether an executor started this process, possibly on another machine than the app's."""
    return TOKEN in os.environ


def answered(module: str, kind: type[Content]) -> Content:
    """The answer of a short-lived process, whose imports vanish with it, as this ``kind`` of object."""
    done = subprocess.run(
        [sys.executable, "-m", module], stdout=subprocess.PIPE, text=True, env=worker_environment(), check=True
    )
    return as_model(json.loads(done.stdout), kind)
