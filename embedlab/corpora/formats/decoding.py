"""Bytes to characters: a byte order mark, else UTF-8, else UTF-8 with damaged bytes, else a guess that is said."""

import codecs
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from embedlab.corpora.notes import CountedRows, Note, counted_rows
from embedlab.errors import CorpusError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = [
    *("cp1252", "latin_1", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp1254"),
    *("cp932", "euc_jp", "gb18030", "big5", "euc_kr"),
]
_SAMPLE_BYTES = 200_000


@dataclass(frozen=True)
class Spelling:
    """How the bytes of a file spell its characters, and what is to be said of it."""

    encoding: str
    errors: str = "strict"  # replace: the few bytes that are no UTF-8 become U+FFFD
    notes: tuple[Note, ...] = ()
    lines: int = 0  # of the file, where some are damaged
    damaged: CountedRows = field(default_factory=CountedRows)  # lines with bytes that are no UTF-8


def _known(encoding: str) -> str:
    codec = None
    with suppress(LookupError, ValueError):
        codec = codecs.lookup(encoding)
    if codec is None or not codec._is_text_encoding:  # hex, zip and rot13 are codecs too
        message = f"No encoding is called {encoding!r}. Choose one like utf-8, cp1252, latin-1, shift_jis or utf-16."
        raise CorpusError("E-ENCODING", message)
    return codec.name


def encoding_of(
    chunks: Callable[[], Iterator[bytes]], *, name: str, encoding: str | None = None, is_cut: bool = False
) -> Spelling:
    """How a file's bytes spell characters. ``chunks`` gives the bytes from the first on, part by part."""
    start = next(chunks(), b"")
    if encoding is not None:
        return Spelling(_known(encoding))
    for mark, marked in _MARKS:
        if start.startswith(mark):
            return Spelling(marked)
    if wide := _wide_without_mark(start):
        return _guess(name, wide)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in chunks():
            decoder.decode(chunk)
        decoder.decode(b"", final=not is_cut)
        return Spelling("utf-8")
    except UnicodeDecodeError:
        damaged = _damaged_utf8(_lines(chunks()), name)
        guess = None if damaged else _guessed_of(_lines(chunks()))
    return damaged or (Spelling("utf-8") if guess is None else _guess(name, guess))  # who reads it says where it is not


def _damaged_utf8(lines: Iterator[bytes], name: str) -> Spelling | None:
    """UTF-8 with some bytes that are none, where more characters are spelled by it than are not."""
    damaged, good, bad, number = CountedRows(), 0, 0, -1
    for number, line in enumerate(lines):
        if line.isascii():
            continue
        text = line.decode("utf-8", "surrogateescape")
        wrong = sum("\udc80" <= character <= "\udcff" for character in text)
        good += sum(character > "\x7f" for character in text) - wrong
        bad += wrong
        if wrong:
            damaged.add(number)
    if bad >= good:
        return None
    count = "1 byte" if bad == 1 else f"{bad:,} bytes"
    message = f"{counted_rows(damaged, 'line')} {count} that are not UTF-8; each was replaced by U+FFFD."
    note = Note(code="W-ENCODING", message=f"{name!r} is UTF-8, but {message}")
    return Spelling("utf-8", "replace", (note,), number + 1, damaged)


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    yield rest


def _guessed_of(lines: Iterable[bytes]) -> str | None:
    """What charset-normalizer makes of the lines that are not plain ASCII."""
    from charset_normalizer import from_bytes

    telling, size = [], 0
    for line in lines:
        if not line.isascii():
            telling.append(line)
            size += len(line)
            if size > _SAMPLE_BYTES:
                break
    found = from_bytes(b"\n".join(telling), cp_isolation=_CANDIDATES)
    best = found.best()
    if best is None:
        return None
    equal = [one.encoding for one in found if (one.chaos, one.coherence) == (best.chaos, best.coherence)]
    return min(equal, key=_CANDIDATES.index)  # Western Europe's before others that fit as well


def _wide_without_mark(content: bytes) -> str | None:
    """UTF-16 without a mark shows in ASCII's zero bytes: every second byte of the start."""
    start = content[:2_000]
    zeros = [start[0::2].count(0), start[1::2].count(0)]
    if len(start) < 4 or max(zeros) <= 0.2 * len(start) or min(zeros):
        return None
    return "utf-16-le" if zeros[1] else "utf-16-be"


def _guess(name: str, encoding: str) -> Spelling:
    message = f"{name!r} is not UTF-8 and was read as {encoding}. If characters look wrong, give its encoding."
    return Spelling(encoding, notes=(Note(code="W-ENCODING", message=message),))


def undecodable(name: str, encoding: str, line: int, column: int, byte: int) -> CorpusError:
    """That a byte is no character; lines and columns are counted from 1."""
    return CorpusError(
        "E-ENCODING",
        f"{name!r} cannot be read as {encoding}: line {line:,}, byte {column:,} is 0x{byte:02X}. "
        f"Save it as UTF-8, or give its encoding.",
    )
