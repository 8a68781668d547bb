"""Keys, tokens and passwords: read on demand from the environment or a file of their own; never written."""

import os
import re
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

import platformdirs

from embedlab.errors import SettingsError

_NAMES_A_SECRET = re.compile(
    r"(?i)key|token(?!izers)|secret|passw|passphrase|credential|cookie|connection_string|sas$"
    r"|jwt|bearer|signature|webhook|authorization|(^|_)(auth|dsn|pass|pat|pwd)$"
)
_LEAST = 8  # characters of what is looked for in a text: shorter ones stand in any
_PASSWORD = re.compile(r"(://[^\s/:@]*:)[^\s/@]+@")
_SIGNED = re.compile(  # what gives access, in the query of an address
    r"(?i)([?&][\w.-]*(?:sig|token|key|credential|policy|secret)[\w.-]*=)[^\s&'\"<>]+"
)
_HEADER = re.compile(  # as libraries repeat it: a line of HTTP, or an item of a dict or of a list of pairs
    r"(?i)((?:authorization|cookie|api-key)['\"]?\s*[:,=]\s*(?:b?['\"])?(?:(?:bearer|basic|token)\s+)?)[^\s'\",}]+"
)
_from_files: set[str] = set()  # secrets that this process read from ``secret_file``
_A_NAME_ALONE = ("sftp", "ssh", "smb", "ftp", "hdfs", "webhdfs", "abfs", "abfss", "wasb", "wasbs")  # user@, container@


def secret_file(name: str) -> Path:
    """Where a secret is read from if the environment lacks it: a file of its name, readable by its owner alone."""
    return Path(platformdirs.user_config_dir("embedlab", appauthor=False)) / name


def secret(name: str) -> str | None:
    """A secret of this machine: from the environment, otherwise from ``secret_file``.

    Raises
    ------
    SettingsError
        others of this machine may read the file.
    """
    held = os.environ.get(name, "").strip()
    file = secret_file(name)
    if held or not file.is_file():
        return held or None
    if os.name != "nt" and file.stat().st_mode & 0o077:
        raise SettingsError(
            "E-SECRET-FILE", f"{file} holds a secret, but others can read it. Restrict it: chmod 600 {file}"
        )
    held = file.read_text(encoding="utf-8").strip()
    _from_files.update({held} - {""})
    return held or None


def holds_secret(text: str) -> bool:
    """Whether an address contains something that must not be stored: a password, a token, a signed query."""
    for address in re.findall(r"[A-Za-z][\w+.-]*://[^\s'\"]*", text.replace("::", " ")):
        try:
            parts = urlsplit(address)
        except ValueError:
            return True
        name, at, _ = parts.netloc.rpartition("@")
        if ":" in name or parts.query or (at and parts.scheme.lower() not in _A_NAME_ALONE):
            return True
    return False


def holds_password(text: str) -> bool:
    """Whether an address contains a password."""
    return _PASSWORD.search(text) is not None


def without_secrets(text: str) -> str:
    """The text with secrets replaced by dots, before it is written: those of this process, and what an address or a
    header of a request holds.
    """
    of_environment = {value for name, value in os.environ.items() if _NAMES_A_SECRET.search(name)}
    for value in sorted(of_environment | _from_files, key=len, reverse=True):  # one may begin another
        if len(value.strip()) >= _LEAST and not os.path.exists(value):
            for spelled in {value, value.strip(), ascii(value)[1:-1], repr(value)[1:-1]}:
                text = text.replace(spelled, "•••")
    return _HEADER.sub(r"\1•••", _SIGNED.sub(r"\1•••", _PASSWORD.sub(r"\1•••@", text)))


def hide_in_tracebacks() -> None:
    """From now on errors that end this process or one of its threads are written without secrets."""

    def write(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        print(without_secrets("".join(traceback.format_exception(kind, error, trace))), file=sys.stderr, flush=True)

    sys.excepthook = write
    threading.excepthook = lambda args: write(args.exc_type, args.exc_value, args.exc_traceback)
