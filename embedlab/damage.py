"""Reading files that may be damaged: the store's by typed readers, users' within ``damage_said``.

What is wrong with a file is one sentence; a closed store and a full disk are not called its damage.
"""

import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from embedlab.disk_trouble import trouble_said
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.machine_refusals import is_short
from embedlab.store_root import MissingFile, UnreadableFile, read_json, require_regular

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

_CHARACTERS = 120  # of what a library said
Content = TypeVar("Content")
_adapters: dict[Any, TypeAdapter] = {}  # by model: making one takes longer than reading a file


def as_model(values: object, model: type[Content]) -> Content:
    """Plain values, validated as a pydantic model, a dataclass or a TypedDict."""
    if model not in _adapters:
        _adapters[model] = TypeAdapter(model)
    return _adapters[model].validate_python(values)


def read_model(path: Path, model: type[Content]) -> Content:
    """A JSON file of the store, validated as ``as_model`` does.

    Raises
    ------
    UnreadableFile
        it is damaged, or of another version; ``MissingFile`` where there is none.
    """
    try:
        return as_model(read_json(path), model)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"])) or "its content"
        raise UnreadableFile(path, f"{where} does not fit ({wrong['msg'][:_CHARACTERS]})") from error


def read_model_if_whole(path: Path, model: type[Content]) -> Content | None:
    """The same; None if the file is missing or damaged."""
    with suppress(UnreadableFile):
        return read_model(path, model)
    return None


def read_bytes(path: Path) -> bytes:
    """A file of the store as it is; errors as in ``read_array``."""
    with reading_stored(path):
        return path.read_bytes()


def read_log(path: Path) -> str:
    """What a process has printed into a file; errors as in ``read_array``."""
    with reading_stored(path):
        return path.read_text(encoding="utf-8", errors="replace")


def read_array(path: Path, *, dimensions: int | None = None, is_mapped: bool = False) -> "np.ndarray":
    """A .npy file of the store; ``is_mapped``: it stays on disk, read-only.

    Raises
    ------
    UnreadableFile
        it is damaged, or has another number of dimensions; ``MissingFile`` where there is none.
    """
    import numpy as np

    with reading_stored(path):
        array = np.load(path, mmap_mode="r" if is_mapped else None, allow_pickle=False)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
            raise UnreadableFile(path, "it is not an array of numbers")
        if dimensions is not None and array.ndim != dimensions:
            raise UnreadableFile(path, f"it has {array.ndim} dimensions instead of {dimensions}")
        return array


def read_arrays(path: Path) -> "dict[str, np.ndarray]":
    """The arrays of a .npz file of the store, by name; errors as in ``read_array``."""
    import numpy as np

    with reading_stored(path), np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def read_table(path: Path, columns: Iterable[str] | None = None) -> "pa.Table":
    """A Parquet file of the store, whole or some columns; errors as in ``read_array``."""
    import pyarrow.parquet as pq

    with reading_stored(path), pq.ParquetFile(path) as file:
        names = None if columns is None else list(columns)
        if missing := set(names or ()) - set(file.schema_arrow.names):
            raise UnreadableFile(path, f"it has no column {sorted(missing)[0]!r}")
        return file.read(columns=names)


@contextmanager
def reading_stored(path: Path) -> Iterator[None]:
    """Around a library that reads a file of the store: its errors on damaged bytes become ``UnreadableFile``, and what
    is missing ``MissingFile``.
    """
    try:
        require_regular(path)
        yield
    except EmbedlabError:
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFile(path) from None
    except Exception as error:  # of damaged bytes NumPy, zipfile and pyarrow make some twenty kinds
        if is_short(error):
            raise
        number = error.errno if isinstance(error, OSError) else None
        raise UnreadableFile(path, _detail(error), number) from error


@contextmanager
def damage_said(name: str, path: Path | None = None) -> Iterator[None]:
    """Around the reading of a user's file: a library's error on its bytes becomes a sentence naming the file, and the
    system's refusal one naming what is refused. Errors in embedlab's own code stay as they are.
    """
    try:
        yield
    except EmbedlabError:
        raise
    except Exception as error:  # of damaged bytes zipfile, openpyxl, pyarrow and NumPy make some twenty kinds
        if is_short(error):
            raise
        if (refusal := trouble_said(error, name=name, path=path)) is not None:
            raise refusal from error
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").startswith("embedlab."):  # not of a library that reads the bytes
            raise
        message = f"{name!r} cannot be read ({_detail(error)}). It may be damaged:"
        raise CorpusError("E-NOT-A-TABLE", f"{message} save it again, or choose another file.") from error


def _detail(error: Exception) -> str:
    """``BadZipFile: File is not a zip file``; for the system's errors without paths, which may be internal."""
    message = getattr(error, "strerror", None) or str(error)
    line = message.strip().split("\n", 1)[0][:_CHARACTERS].rstrip(". ")
    return f"{type(error).__name__}: {line}" if line else type(error).__name__
