"""Your file: CSV, TSV, JSONL, Parquet, XLSX, or a folder or zip of text files; its content decides, not its name."""

import gzip
import zlib
from pathlib import Path

from embedlab.corpora.base import Corpus, store_corpus
from embedlab.corpora.characters import Characters, characters_of_file
from embedlab.corpora.damage import damage_said
from embedlab.corpora.decoding import decoded
from embedlab.corpora.delimited import read_delimited
from embedlab.corpora.folders import read_folder, read_zip
from embedlab.corpora.notes import Note
from embedlab.corpora.records import read_json_records, read_parquet, read_xlsx
from embedlab.corpora.stored.spool import HELD_BYTES
from embedlab.corpora.tables import Reading, Table, draft_of
from embedlab.disk_trouble import refuse_closed_folders
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent

_FORMS = "CSV, TSV, JSON Lines, Parquet, XLSX, a zip or folder of text files"
_GZIP = b"\x1f\x8b"
_FOREIGN = (
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF"),
    (b"\xd0\xcf\x11\xe0", "an old Office file; save it as .xlsx"),
    (b"SQLite format 3", "a database"),
    (b"ARROW1", "an Arrow file; save it as Parquet"),
    (b"Rar!", "a RAR archive; make it a zip"),
    (b"7z\xbc\xaf", "a 7z archive; make it a zip"),
    (b"BZh", "a bz2 archive; make it a zip"),
    (b"\xfd7zXZ", "an xz archive; make it a zip"),
)


class FileSource:
    """A file or folder of the user's."""

    key = "file"
    title = "Your file"
    sentence = f"{_FORMS}, by upload or by path."
    connects = False

    def matches(self, reference: str) -> bool:
        try:
            return Path(reference).expanduser().exists()
        except PermissionError:  # said when it is read
            return True
        except (OSError, ValueError):  # a name too long, or with a zero byte
            return False

    def is_stored(self, reference: str, reading: Reading) -> bool:
        return False  # it may have changed since it was read

    def load(self, reference: str, reading: Reading, progress: Progress = silent, *, name: str = "") -> Corpus:
        path = Path(reference).expanduser()
        table = read_table(path, reading, progress, name=name)
        return store_corpus(draft_of(table, reading, source=name or path.name))


def read_table(path: Path, reading: Reading = Reading(), progress: Progress = silent, *, name: str = "") -> Table:  # noqa: B008
    """The rows of a file or folder; ``name`` is what the user calls it, and decides nothing but a .txt."""
    name = name or path.name
    progress(f"Reading {name}")
    with damage_said(name, path):
        return _read(path, name, reading, progress)


def read_beginning(path: Path, reading: Reading, size: int, *, name: str = "") -> Table | None:
    """The whole rows in the first ``size`` bytes of a text file, packed or not.

    None where they do not tell: in a list of JSON, and where the first row is longer or opens a quote to the end.
    """
    name = name or path.name
    with damage_said(name, path):
        with path.open("rb") as file:
            is_packed = file.read(2) == _GZIP
        with gzip.open(path) if is_packed else path.open("rb") as file:
            content = file.read(size)
        is_cut = len(content) == size
        text, notes = _characters(content, name, reading.encoding, is_cut=is_cut)
        if is_cut and text.beginning.lstrip()[:1] == "[":
            return None
        try:
            return _table_of(text, notes, name, is_cut=is_cut)
        except CorpusError as error:
            if is_cut and error.code == "E-CSV-QUOTE":
                return None
            raise


def _read(path: Path, name: str, reading: Reading, progress: Progress) -> Table:
    if path.is_dir():
        refuse_closed_folders(path, name)
        return read_folder(path, encoding=reading.encoding, progress=progress)
    if not path.is_file():
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} is neither a file nor a folder. Choose {_FORMS}.")
    with path.open("rb") as file:
        start = file.read(512)
    if start.startswith(b"PK\x03\x04") or start.startswith(b"PK\x05\x06"):
        return read_xlsx(path, name) or read_zip(path, name=name, encoding=reading.encoding, progress=progress)
    if start.startswith(b"PAR1"):
        return read_parquet(path, name=name, progress=progress)
    return _table_of(*_characters_of_file(path, start, name, reading.encoding), name)


def _characters(
    content: bytes, name: str, encoding: str | None, *, is_cut: bool = False
) -> tuple[Characters, list[Note]]:
    """Those of a file's content, or of its whole lines where it was cut."""
    _refuse_foreign(content[:512], name)
    text, notes = decoded(content, name=name, encoding=encoding, is_cut=is_cut)
    return _refused_zeros(Characters.of((text[: text.rfind("\n") + 1] or text) if is_cut else text), name), notes


def _characters_of_file(path: Path, start: bytes, name: str, encoding: str | None) -> tuple[Characters, list[Note]]:
    """Those of a text file, unpacked if it is a .gz; of a large one they stay on the disk."""
    _check_size(path, start, name)
    if not start.startswith(_GZIP):
        if path.stat().st_size <= HELD_BYTES:
            return _characters(path.read_bytes(), name, encoding)
        _refuse_foreign(start, name)
    elif (content := _unpacked_start(path, name)) is not None:
        return _characters(content, name, encoding)
    packed = start.startswith(_GZIP)
    text, notes = characters_of_file(
        lambda: gzip.open(path) if packed else path.open("rb"), name=name, encoding=encoding
    )
    return _refused_zeros(text, name), notes


def _refused_zeros(text: Characters, name: str) -> Characters:
    if text.zeros > 0.01 * text.length:
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} is full of zero bytes: not a table. Choose {_FORMS}.")
    return text


def _table_of(text: Characters, notes: list[Note], name: str, *, is_cut: bool = False) -> Table:
    if text.beginning.lstrip()[:1] in ("{", "[") and (table := read_json_records(text, name=name)):
        pass
    else:
        table = read_delimited(text, name=name, is_cut=is_cut)
    table.notes[:0] = notes
    return table


def _check_size(path: Path, start: bytes, name: str) -> None:
    """Refuse a file that is too large, packed or unpacked, and a damaged .gz."""
    limit = LIMITS.archive_bytes
    if path.stat().st_size > limit:
        raise CorpusError(
            "E-TOO-BIG", f"{name!r} is larger than {limit / 2**30:.0f} GiB. Split it, or save it as Parquet."
        )
    if not start.startswith(_GZIP):
        return
    size = 0
    try:
        with gzip.open(path) as file:
            while chunk := file.read(2**20):
                size += len(chunk)
                if size > limit:
                    raise CorpusError("E-ARCHIVE-TOO-BIG", f"{name!r} unpacks to more than {limit / 2**30:.0f} GiB.")
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} is a damaged .gz file ({error}). Choose {_FORMS}.") from None


def _unpacked_start(path: Path, name: str) -> bytes | None:
    """All that a .gz holds, or None where that is much; the beginning tells whether it is a table at all."""
    with gzip.open(path) as file:
        content = file.read(HELD_BYTES + 1)
    if len(content) <= HELD_BYTES:
        return content
    _refuse_foreign(content[:512], name)
    return None


def _refuse_foreign(start: bytes, name: str) -> None:
    for magic, what in _FOREIGN:
        if start.startswith(magic):
            raise CorpusError("E-NOT-A-TABLE", f"{name!r} is {what}, not a table. Choose {_FORMS}.")
    if start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05":
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} is a pickle, which is never opened. Save it as Parquet or CSV.")
