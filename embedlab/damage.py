"""A file that cannot be read is said in a sentence; a closed store and a full disk are not called its damage."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embedlab.disk_trouble import trouble_said
from embedlab.errors import CorpusError, EmbedlabError

_PACKAGE = "embedlab."
_CHARACTERS = 120  # of what a library said


@contextmanager
def damage_said(name: str, path: Path | None = None) -> Iterator[None]:
    """Around the reading of a file: what a library raises on its bytes becomes a sentence that names the file, and what
    the system refuses one that names what is refused. What embedlab itself does wrong stays an error of its own.
    """
    try:
        yield
    except (EmbedlabError, MemoryError):
        raise
    except Exception as error:  # of damaged bytes zipfile, openpyxl, pyarrow and NumPy make some twenty kinds
        if (refused := trouble_said(error, name=name, path=path)) is not None:
            raise refused from error
        if _raised_by_us(error):
            raise
        message = f"{name!r} cannot be read ({_detail(error)}). It may be damaged:"
        raise CorpusError("E-NOT-A-TABLE", f"{message} save it again, or choose another file.") from error


def _raised_by_us(error: Exception) -> bool:
    """Whether a line of embedlab raised it, not one of a library that met the bytes."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").startswith(_PACKAGE)


def _detail(error: Exception) -> str:
    """``BadZipFile: File is not a zip file``; of the system's errors no path, which may be one of ours."""
    said = getattr(error, "strerror", None) or str(error)
    first = said.strip().split("\n", 1)[0][:_CHARACTERS].rstrip(". ")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
