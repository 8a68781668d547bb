"""Paths made absolute once, at the door: workers have other working directories, and other machines none of ours."""

import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

STORE = "EMBEDLAB_HOME"
# Each holds one path, and is read here, in a worker, by a library that it loads, or by an executor. XDG_DATA_HOME and
# XDG_CONFIG_HOME are left alone: their specification calls a relative path invalid, and platformdirs ignores it.
PATH_VARIABLES = (
    *(STORE, "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME"),
    *("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_XET_CACHE", "HF_ASSETS_CACHE", "HF_TOKEN_PATH"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "VIRTUAL_ENV"),
    *("CUDA_HOME", "CUDA_PATH", "CUDA_CACHE_PATH", "NUMBA_CACHE_DIR", "TORCH_HOME"),
    *("RAY_AUTH_TOKEN_PATH", "RAY_TMPDIR", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT"),
    *("SLURM_CONF", "SBATCH_INPUT", "SBATCH_OUTPUT", "SBATCH_ERROR"),
)
PATH_LISTS = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")  # hold several; an empty one means the working directory
COMMANDS = ("EMBEDLAB_WORKER",)  # hold a command, whose words may name files


def absolute(path: str | os.PathLike[str]) -> str:
    """Return a path as the working directory of this moment reads it; ``~`` is the home folder.

    Links stay as they are named. Only ``..`` is followed through them, as the system does.

    Raises
    ------
    RuntimeError
        the path begins with ``~`` and a user that this computer does not have.
    FileNotFoundError
        the path is relative, and the working directory was deleted.
    """
    expanded = Path(path).expanduser()
    if expanded.is_absolute():
        return str(expanded)
    joined = Path.cwd() / expanded
    return os.path.realpath(joined) if ".." in expanded.parts else str(joined)


def absolute_if_readable(path: str) -> str:
    """Return the absolute path, or what was typed where there is none, which its reader refuses in a sentence."""
    try:
        return absolute(path) if path else path
    except (OSError, RuntimeError, ValueError):
        return path


def make_variables_absolute() -> None:
    """Write every path in the environment back as an absolute one, for this process and those that it starts.

    ``embedlab/__init__.py`` calls this, so a relative store is the one below the working directory of the first import.
    A path that cannot be read here stays as it is: whoever uses it says what is wrong with it.
    """
    for name in PATH_VARIABLES:
        _rewrite(name, absolute)
    for name in PATH_LISTS:
        _rewrite(name, lambda paths: os.pathsep.join(map(_absolute_if_relative, paths.split(os.pathsep))))
    for name in COMMANDS:
        _rewrite(name, _command_with_absolute_files)


def _rewrite(name: str, change: Callable[[str], str]) -> None:
    value = os.environ.get(name)
    if not value:
        return
    with suppress(OSError, RuntimeError, ValueError):
        changed = change(value)
        if changed != value:
            os.environ[name] = changed


def _absolute_if_relative(path: str) -> str:
    """Return an entry of a list, in which ``~`` is an ordinary name."""
    return path if os.path.isabs(path) else str(Path.cwd() / path)


def _command_with_absolute_files(command: str) -> str:
    """Return a command whose words that name existing files or folders, such as ``./worker.sh``, are absolute."""
    words = shlex.split(command)
    changed = [absolute(word) if "/" in word and os.path.exists(word) else word for word in words]
    return command if changed == words else shlex.join(changed)
