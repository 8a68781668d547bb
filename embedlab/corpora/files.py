"""Your file: CSV, TSV, JSONL, Parquet, XLSX, or a folder or zip of text files; its content decides, not its name."""

import gzip
import io
import re
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from embedlab.archives import unpack_into
from embedlab.corpora.base import Corpus, CorpusSource, store_corpus
from embedlab.corpora.cleaning import parsed
from embedlab.corpora.formats.characters import TextFile, is_encoded_twice
from embedlab.corpora.formats.delimited import read_delimited
from embedlab.corpora.formats.folders import choose_files, files_of, holds_tables, joined, read_folder
from embedlab.corpora.formats.parquet import read_parquet
from embedlab.corpora.formats.records import JSON_NAME, read_json_records
from embedlab.corpora.formats.workbooks import is_workbook, read_workbook
from embedlab.corpora.notes import Note, ReadingReport, ReadOptions
from embedlab.corpora.proposal import Reading, checked_draft
from embedlab.corpora.tables import ACCEPT, Table
from embedlab.damage import damage_said
from embedlab.disk_trouble import refuse_closed_folders
from embedlab.errors import CorpusError
from embedlab.hub import HubFile
from embedlab.progress import Progress, silent
from embedlab.reader_process import read_limited
from embedlab.reader_worker import Answer

FORMS = "CSV, TSV, JSON Lines, Parquet, XLSX, XLS, ODS, a zip or folder of text files"
HEAD_BYTES = 2 * 2**20  # of a text file, and rows of a Parquet file, that a preview shows
HEAD_ROWS = 2_000
WHOLE_BYTES = 4 * 2**20  # so much is read at once without a pause
_ZIP = b"PK\x03\x04"
_GZIP = b"\x1f\x8b"
_BINARY = frozenset({".zip", ".xlsx", ".xlsb", ".ods", ".parquet"})
_JSON_START = re.compile(r"""\s*(\{\s*(["}]|$)|\[\s*(["{\[\]]|$))""")  # not a line of prose in brackets
_JSON_MARK = re.compile(r"""\A\s*[\[{"]|[\[{]\s*["'{\[]""")  # where the name says JSON
_DOCUMENT = re.compile(  # markup, some tag of which ends on a line of its own; SQL, literature, subtitles, Weka, mail
    r"""\s*(<(\?xml|!doctype|html|table|rss|feed)\b | <[a-z][^>]*>[^\0]*^\s*</ | \{\\rtf | \\documentclass\b
    | insert\s+into\s+\S+\s*\( | @\w+\s*\{[^\s,{}]+, | TY\ \ -\  | PMID-\  | (%.*\n\s*)*@relation\s
    | WEBVTT\b | \d+\n\d\d:\d\d:\d\d[,.]\d{3}\ --> | From\ \S+@
    | (from|to|subject|date|received|return-path|delivered-to|message-id|mime-version):\ .*\n[a-z][a-z-]*:\ )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_DOCUMENTS = (".yaml", ".yml", ".bib", ".ris", ".srt", ".vtt", ".sql", ".ipynb", ".tex")
_DOCUMENT_CHARACTERS = 20_000  # that are searched for the end of a tag
_TOKEN = re.compile(r"\S+([ \t]+\S+)*?[ \t]+(O|[BIESLU]-\S+)|\d+\t\S+(\t\S+){8}|-DOCSTART-.*")  # CoNLL, CoNLL-U
_FOREIGN: dict[str, bytes | tuple[bytes, ...]] = {
    "a program": (b"\x7fELF", b"MZ"),
    "a picture": (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"),
    "a PDF": b"%PDF",
    "a pickle, which is never opened": (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
    "a database": b"SQLite format 3",
    "an Arrow file: save it as Parquet": (b"ARROW1", b"FEA1"),
    "a file of SPSS, Stata or R: save it as CSV": (b"$FL2", b"$FL3", b"<stata_dta>", b"RDX", b"X\n\0\0\0"),
    "a file of arrays": (b"\x93NUMPY", b"\x89HDF"),
    "an Avro or ORC file: save it as Parquet": (b"Obj\x01", b"ORC"),
    "a RAR archive: make it a zip": b"Rar!",
    "a 7z archive: make it a zip": b"7z\xbc\xaf",
    "a bz2 archive: make it a zip": b"BZh",
    "an xz archive: make it a zip": b"\xfd7zXZ",
    "a Zstandard archive: unpack it": b"\x28\xb5\x2f\xfd",
    "packed twice: unpack it": _GZIP,  # what a .gz holds
}


class FileSource(CorpusSource):
    """A file or folder of the user's."""

    key = "file"
    connects = False

    def matches(self, reference: str) -> bool:
        try:
            return bool(reference.strip()) and Path(reference).expanduser().exists()  # "" would be the folder one is in
        except PermissionError:  # said when it is read
            return True
        except (OSError, ValueError):  # a name too long, or with a zero byte
            return False

    def load(self, reference: str, reading: Reading, progress: Progress = silent, *, name: str = "") -> Corpus:
        path = Path(reference).expanduser()
        table = read_table(path, reading, progress, name=name)
        return store_corpus(checked_draft(table, reading, source=name or path.name))


def read_table(
    path: Path,
    reading: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress = silent,
    *,
    name: str = "",
) -> Table:
    """The rows of a file or folder; ``name`` is what the user calls it, and decides nothing but a .txt."""
    table = _limited(path, reading, progress, name)
    assert table is not None
    return table


def first_rows(path: Path, reading: ReadOptions, *, name: str = "") -> Table | None:
    """A table of the first rows of the file called ``name``.

    None where only reading everything would give one: a folder, a large zip or XLSX, a large list of JSON.
    """
    sizes = {"whole_bytes": WHOLE_BYTES, "head_bytes": HEAD_BYTES}
    return None if path.is_dir() else _limited(path, reading, silent, name, **sizes)


def _limited(path: Path, reading: ReadOptions, progress: Progress, name: str, **sizes: int) -> Table | None:
    """What ``rows_of`` gives, called in a process with limits."""
    name, options = name or path.name, {field: getattr(reading, field) for field in ReadOptions.model_fields}
    progress(f"Reading {name}")
    arguments = {"file_name": name, "options": options, **sizes}
    answer, columns = read_limited(f"{__name__}:rows_of", path, arguments, name=name, progress=progress)
    if columns is None:
        return None
    notes = [Note.model_validate(note) for note in answer["notes"]]
    return Table(columns, answer["name"], notes, ReadingReport.model_validate(answer["report"]))


def rows_of(
    path: Path,
    *,
    file_name: str,
    options: dict,
    progress: Progress,
    whole_bytes: int | None = None,
    head_bytes: int = 0,
) -> Answer:
    """In the process that reads: all rows, or the first ones of a file of more than ``whole_bytes``; perhaps none."""
    reading, is_whole = ReadOptions(**options), True
    table: Table | None = None
    with damage_said(file_name, path):
        magic = b"" if whole_bytes is None else _start(path, file_name)[:4]
        if magic == b"PAR1":
            table = read_parquet(path, name=file_name, rows=HEAD_ROWS)
            is_whole = table.columns.num_rows < HEAD_ROWS
        elif whole_bytes is None or path.stat().st_size <= whole_bytes:
            table = _read(path, file_name, reading, progress)
        elif magic != _ZIP:
            table, is_whole = _read_beginning(path, reading, head_bytes, file_name), False
    if table is None:
        return {}, None
    if not is_whole:
        table.remark("so far only its beginning was read")
    notes = [note.model_dump() for note in table.notes]
    return {"name": table.name, "notes": notes, "report": table.report.model_dump(mode="json")}, table.columns


def _read_beginning(path: Path, reading: ReadOptions, size: int, name: str) -> Table | None:
    """The whole rows in the first ``size`` bytes of a text file, packed or not.

    None where they do not tell: in a list of JSON or one object, and where the first row is longer or opens a quote to
    the end.
    """
    with _opened(path) as file:
        content = file.read(size)
    _refuse_foreign(content[:512], name)
    is_cut = len(content) == size
    whole = content[: content.rfind(b"\n") + 1] or content if is_cut else content
    text = TextFile(lambda: io.BytesIO(whole), name, reading.encoding, is_cut=is_cut)
    first = next(filter(str.strip, text.lines()), "").lstrip()
    if is_cut and (first[:1] in ("", "[") or first[:1] == "{" and parsed(first) is None):
        return None
    try:
        return _table_of(text, reading)
    except CorpusError as error:
        if is_cut and error.code == "E-CSV-QUOTE":
            return None
        raise


def _read(path: Path, name: str, reading: ReadOptions, progress: Progress) -> Table:
    if path.is_dir():
        refuse_closed_folders(path, name)
        return _read_folder(path, name, reading, progress)
    start = _start(path, name)
    if start.startswith((_ZIP, b"PK\x05\x06")) and not is_workbook(path, name):
        with TemporaryDirectory(prefix="embedlab-") as aside:
            unpack_into(path, folder=aside, file_name=name, progress=progress)
            return _read_folder(Path(aside), Path(name).stem, reading, progress)
    if start.startswith((_ZIP, b"\xd0\xcf\x11\xe0")):  # the latter of XLS
        return read_workbook(path, name, reading)
    if start.startswith(b"PAR1"):
        return read_parquet(path, name=name, progress=progress)
    suffix = Path(name).suffix.lower()
    if suffix in _BINARY and b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        why = f"is called {suffix}, but its content is of another type"
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} {why}. It may be damaged: save it again, or choose another file.")
    with _opened(path) as file:
        _refuse_foreign(file.read(512), name)
    return _table_of(TextFile(partial(_opened, path), name, reading.encoding), reading)


def _start(path: Path, name: str) -> bytes:
    """The first bytes of a file; a pipe or device, which may never end, is refused before it is opened."""
    if not path.is_file():
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} is neither a file nor a folder. Choose {FORMS}.")
    with path.open("rb") as file:
        return file.read(512)


def _read_folder(path: Path, name: str, reading: ReadOptions, progress: Progress) -> Table:
    """The text files of a folder; where there are only tables, as in a snapshot of the hub's, those of one split."""
    paths, _ = files_of(path)
    if not holds_tables(paths):
        return read_folder(path, name, encoding=reading.encoding, progress=progress)
    chosen, sentence = choose_files([HubFile(file.as_posix(), (path / file).stat().st_size) for file in paths], name)
    parts = [_read(path / file.path, file.path.rsplit("/", 1)[-1], reading, progress) for file in chosen]
    return joined(parts, name, sentence)


def _opened(path: Path) -> io.BufferedReader:
    """The bytes of a file, of a .gz those that it unpacks to."""
    with path.open("rb") as file:
        is_packed = file.read(2) == _GZIP
    return io.BufferedReader(gzip.open(path)) if is_packed else path.open("rb")


def _table_of(text: TextFile, options: ReadOptions) -> Table:
    if text.zeros > 0.01 * text.length:
        raise CorpusError("E-NOT-A-TABLE", f"{text.name!r} contains zero bytes, so it is not a table. Choose {FORMS}.")
    if _DOCUMENT.match(text.beginning[:_DOCUMENT_CHARACTERS]) or Path(text.name).suffix.casefold() in _DOCUMENTS:
        message = f"{text.name!r} is a document (HTML, XML, mail, BibTeX, SQL …), not a table: its lines are no texts."
        raise CorpusError("E-NOT-A-TABLE", f"{message} Save its texts as CSV or XLSX, or choose {FORMS}.")
    lines = [line for line in text.beginning.splitlines()[:200] if line.strip() and not line.startswith("#")]
    if len(lines) >= 10 and sum(map(bool, map(_TOKEN.fullmatch, lines))) > 0.9 * len(lines):
        message = f"{text.name!r} has a token and its tags per line (CoNLL), so its lines are not texts."
        raise CorpusError("E-NOT-A-TABLE", f"{message} Join the tokens of each sentence into one text per row.")
    is_json = _JSON_START.match(text.beginning) or (JSON_NAME.search(text.name) and _JSON_MARK.search(text.beginning))
    table = read_json_records(text) if is_json else None
    if table is None:
        table = read_delimited(text, options)
    spelling = text.spelling
    if is_encoded_twice(text.beginning):
        message = f"{text.name!r} looks like UTF-8 that was once read as Latin-1 and saved ('Ã¶' for 'ö')."
        table.say("W-ENCODED-TWICE", f"{message} Save it again from its source.")
    table.notes[:0] = spelling.notes
    table.report = table.report.having(encoding=spelling.encoding)
    advice = f"specify the encoding (--encoding), {ACCEPT}"
    table.fails(spelling.damaged, spelling.lines, "contain bytes that are not UTF-8", advice)
    return table


def _refuse_foreign(start: bytes, name: str) -> None:
    for what, magic in _FOREIGN.items():
        if start.startswith(magic):
            raise CorpusError("E-NOT-A-TABLE", f"{name!r} is not a table but {what}. Choose {FORMS}.")
    if start[257:262] == b"ustar":
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} is a tar archive. Unpack it, or make it a zip.")
