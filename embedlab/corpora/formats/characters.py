"""The characters of a text file, read line by line and as often as asked, whatever their encoding.

A byte order mark tells it, else the bytes are UTF-8, else UTF-8 with a few damaged bytes, else a guess that is said.
"""

import codecs
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from typing import BinaryIO

from embedlab.corpora.notes import CountedRows, Note, counted_rows
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.numbers import counted, gibibytes

BEGINNING = 200_000  # characters from which delimiter and kind of a file are told
BYTES_AT_ONCE = 2**20
Opened = Callable[[], BinaryIO]  # gives the bytes of a file from the first on
_BOM = "\ufeff"
_MARKS = {
    "utf-8-sig": (codecs.BOM_UTF8,),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),  # the first of which begins with one of UTF-16
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
_CANDIDATES = [
    *("cp1252", "latin_1", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp1254"),
    *("cp932", "euc_jp", "gb18030", "big5", "euc_kr"),
]


@dataclass(frozen=True)
class TextEncoding:
    """The encoding of a file's characters, and notes on how it was found."""

    encoding: str
    errors: str = "strict"  # replace: the few bytes that are no UTF-8 become U+FFFD
    notes: tuple[Note, ...] = ()
    lines: int = 0  # of the file, where some are damaged
    damaged: CountedRows = field(default_factory=CountedRows)  # lines with bytes that are no UTF-8


class TextFile:
    """Characters of any number, opened again and again, without the byte order mark.

    They are read once, or again where they are no UTF-8, to know that all of them are characters and that they do not
    unpack to more than is read. ``is_cut``: only a file's beginning, whose last line is left out where it has no end.
    """

    def __init__(self, opened: Opened, name: str, encoding: str | None = None, *, is_cut: bool = False):
        self._opened, self.name, self.is_cut = opened, name, is_cut
        self.spelling, self.length, self.zeros = _spelled(opened, name, encoding, is_cut=is_cut)

    @cached_property
    def beginning(self) -> str:
        """Its first characters; one more than ``BEGINNING`` tells that there are more."""
        return self._read(BEGINNING + 1)

    def lines(self, newline: str = "") -> Iterator[str]:
        """Every line with its end; ``newline="\\n"`` ends lines nowhere else."""
        with self._characters(newline) as text:
            for number, line in enumerate(text):
                if not self.is_cut or line.endswith(("\n", "\r")):
                    yield line.removeprefix(_BOM) if number == 0 else line

    def whole(self) -> str:
        """The whole text."""
        return self._read(-1)

    def _read(self, size: int) -> str:
        with self._characters("") as text:
            return text.read(size).removeprefix(_BOM)

    def _characters(self, newline: str) -> io.TextIOBase:
        errors = "replace" if self.is_cut else self.spelling.errors  # a cut may divide the last character
        return io.TextIOWrapper(self._opened(), self.spelling.encoding, errors, newline)


def _spelled(opened: Opened, name: str, encoding: str | None, *, is_cut: bool) -> tuple[TextEncoding, int, int]:
    """How a file's bytes spell characters, how many there are, and how many of them are zeros."""
    with opened() as file:
        start = file.read(2_000)
    marked = (marked for marked, marks in _MARKS.items() if start.startswith(marks))
    marked_encoding = next(marked, None) if encoding is None else _known(encoding)
    wide = _wide_without_mark(start) if marked_encoding is None else None
    spelling = _guess(name, wide) if wide else TextEncoding(marked_encoding or "utf-8")
    try:
        return spelling, *_counted(opened, spelling, name, is_cut=is_cut)
    except CorpusError as error:
        if error.code != "E-ENCODING" or marked_encoding or wide:
            raise
        if (other := _damaged_utf8(opened, name) or _guessed_of(opened, name)) is None:
            raise
    return other, *_counted(opened, other, name, is_cut=is_cut)


def is_encoded_twice(text: str) -> bool:
    """Whether most lines that are not plain ASCII are the bytes of UTF-8, each shown as a character."""
    lines = [line for line in text.split("\n") if not line.isascii()][:200]
    return sum(any(map(_is_utf8_in, repeat(line), ("latin-1", "cp1252"))) for line in lines) > len(lines) / 2


def _is_utf8_in(text: str, encoding: str) -> bool:
    with suppress(UnicodeError):
        return bool(text.encode(encoding).decode("utf-8"))
    return False


def _known(encoding: str) -> str:
    codec = None
    with suppress(LookupError, ValueError):
        codec = codecs.lookup(encoding)
    if codec is None or not codec._is_text_encoding:  # hex, zip and rot13 are codecs too
        message = f"No encoding is called {encoding!r}. Choose one like utf-8, cp1252, latin-1, shift_jis or utf-16."
        raise CorpusError("E-ENCODING", message)
    return codec.name


def _damaged_utf8(opened: Opened, name: str) -> TextEncoding | None:
    """UTF-8 with some bytes that are none, where more characters are spelled by it than are not."""
    damaged, good, bad, lines = CountedRows(), 0, 0, 0
    with opened() as file:
        for lines, line in enumerate(file, start=1):
            if line.isascii():
                continue
            text = line.decode("utf-8", "surrogateescape")
            wrong = sum("\udc80" <= character <= "\udcff" for character in text)
            good += sum(character > "\x7f" for character in text) - wrong
            bad += wrong
            if wrong:
                damaged.add(lines - 1)
    if bad >= good:
        return None
    count = counted(bad, "byte")
    message = f"{counted_rows(damaged, 'line')} {count} that are not UTF-8; each was replaced with U+FFFD."
    note = Note(code="W-ENCODING", message=f"{name!r} is UTF-8, but {message}")
    return TextEncoding("utf-8", "replace", (note,), lines, damaged)


def _guessed_of(opened: Opened, name: str) -> TextEncoding | None:
    """The encoding that charset-normalizer guesses from the lines that are not plain ASCII."""
    from charset_normalizer import from_bytes

    with opened() as file:
        telling = bytearray()
        while len(telling) < 200_000 and (line := file.readline()):
            telling += b"" if line.isascii() else line
    guesses = from_bytes(bytes(telling), cp_isolation=_CANDIDATES)
    best = guesses.best()
    if best is None:
        return None
    equal = [one.encoding for one in guesses if (one.chaos, one.coherence) == (best.chaos, best.coherence)]
    return _guess(name, min(equal, key=_CANDIDATES.index))  # Western Europe's before others that fit as well


def _wide_without_mark(start: bytes) -> str | None:
    """UTF-16 without a mark shows in ASCII's zero bytes: every second byte of the start."""
    zeros = [start[0::2].count(0), start[1::2].count(0)]
    if len(start) < 4 or max(zeros) <= 0.2 * len(start) or min(zeros):
        return None
    return "utf-16-le" if zeros[1] else "utf-16-be"


def _guess(name: str, encoding: str) -> TextEncoding:
    message = f"{name!r} is not UTF-8 and was read as {encoding}. If characters look wrong, specify its encoding."
    return TextEncoding(encoding, notes=(Note(code="W-ENCODING", message=message),))


def _counted(opened: Opened, spelling: TextEncoding, name: str, *, is_cut: bool) -> tuple[int, int]:
    """Counts characters, and zeros among them; bytes that are no character are refused with their line."""
    decoder, error = codecs.getincrementaldecoder(spelling.encoding)(spelling.errors), None
    size, length, zeros, line, column = 0, 0, 0, 1, 1  # line and column: of the first byte that is not decoded yet
    with opened() as file:
        for chunk in chain(iter(lambda: file.read(BYTES_AT_ONCE), b""), [b""]):
            if (size := size + len(chunk)) > LIMITS.archive_bytes:
                limit = gibibytes(LIMITS.archive_bytes)
                raise CorpusError(
                    "E-ARCHIVE-TOO-BIG", f"{name!r} holds more than {limit}. Split it, or save it as Parquet."
                )
            read = decoder.getstate()[0] + chunk
            try:
                text = decoder.decode(chunk, final=not chunk and not is_cut)
                read = read[: len(read) - len(decoder.getstate()[0])]
            except UnicodeDecodeError as failed:
                read, error = failed.object[: failed.start], failed
            line += read.count(b"\n")
            column = len(read) - read.rfind(b"\n") if b"\n" in read else column + len(read)
            if error is not None:
                where = f"line {line:,}, byte {column:,} is 0x{error.object[error.start]:02X}"
                message = f"{name!r} cannot be read as {spelling.encoding}: {where}."
                raise CorpusError("E-ENCODING", f"{message} Save it as UTF-8, or specify its encoding.") from None
            length, zeros = length + len(text), zeros + text.count("\0")
    return length, zeros
