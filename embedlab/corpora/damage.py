"""A file that cannot be read is said in a sentence; what embedlab itself does wrong stays an error of its own."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from embedlab.errors import CorpusError, EmbedlabError

_PACKAGE = "embedlab."
_CHARACTERS = 120  # of what a library said


@contextmanager
def damage_said(name: str) -> Iterator[None]:
    """Around the reading of a file: what a library raises on its bytes becomes a sentence that names the file."""
    try:
        yield
    except (EmbedlabError, MemoryError):
        raise
    except Exception as error:  # of damaged bytes zipfile, openpyxl, pyarrow and NumPy make some twenty kinds
        if _raised_by_us(error):
            raise
        raise CorpusError(
            "E-NOT-A-TABLE",
            f"{name!r} cannot be read ({_detail(error)}). It may be damaged or closed to you: save it again, or choose "
            "another file.",
        ) from error


def _raised_by_us(error: Exception) -> bool:
    """Whether a line of embedlab raised it, not one of a library that met the bytes."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").startswith(_PACKAGE)


def _detail(error: Exception) -> str:
    """``BadZipFile: File is not a zip file``; of the system's errors no path, which may be one of ours."""
    said = getattr(error, "strerror", None) or str(error)
    first = said.strip().split("\n", 1)[0][:_CHARACTERS].rstrip(". ")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
