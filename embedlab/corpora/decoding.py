"""Bytes to characters: a byte order mark, else strict UTF-8, else a proposal that is said; never with loss."""

import codecs
from collections.abc import Callable, Iterable, Iterator

from embedlab.corpora.notes import Note
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


def decoded(content: bytes, *, name: str, encoding: str | None = None, is_cut: bool = False) -> tuple[str, list[Note]]:
    """The characters of a file, and a note where its encoding had to be guessed.

    ``is_cut``: of a file's beginning; a character that the cut divides is left out.
    """
    if encoding is not None:
        return _strict(content, _known(encoding), name, is_cut), []
    for mark, marked in _MARKS:
        if content.startswith(mark):
            return _strict(content, marked, name, is_cut), []
    if wide := _wide_without_mark(content):
        return _strict(content, wide, name, is_cut), [_guess(name, wide)]
    try:
        return _characters(content, "utf-8", is_cut), []
    except UnicodeDecodeError as error:
        guess = _guessed(content)
        if guess is None:
            raise _undecodable(error, name, "UTF-8") from None
    return _strict(content, guess, name, is_cut), [_guess(name, guess)]


def _strict(content: bytes, encoding: str, name: str, is_cut: bool) -> str:
    try:
        return _characters(content, encoding, is_cut)
    except UnicodeDecodeError as error:
        raise _undecodable(error, name, encoding) from None


def _characters(content: bytes, encoding: str, is_cut: bool) -> str:
    return codecs.getincrementaldecoder(encoding)().decode(content) if is_cut else content.decode(encoding)


def _known(encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):
        codec = None
    if codec is None or not codec._is_text_encoding:  # hex, zip and rot13 are codecs too
        message = f"No encoding is called {encoding!r}. Choose one like utf-8, cp1252, latin-1, shift_jis or utf-16."
        raise CorpusError("E-ENCODING", message)
    return codec.name


def encoding_of(
    chunks: Callable[[], Iterator[bytes]], *, name: str, encoding: str | None = None
) -> tuple[str, list[Note]]:
    """How a file's bytes spell characters, and a note where that had to be guessed; as ``decoded`` finds it.

    ``chunks`` gives the bytes from the first on, part by part.
    """
    start = next(chunks(), b"")
    if encoding is not None:
        return _known(encoding), []
    for mark, marked in _MARKS:
        if start.startswith(mark):
            return marked, []
    if wide := _wide_without_mark(start):
        return wide, [_guess(name, wide)]
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in chunks():
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
        return "utf-8", []
    except UnicodeDecodeError:
        guess = _guessed_of(_lines(chunks()))
    return ("utf-8", []) if guess is None else (guess, [_guess(name, guess)])  # who reads it says where it is not


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    yield rest


def _guessed(content: bytes) -> str | None:
    return _guessed_of(content.split(b"\n"))


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
    if len(start) >= 4 and start[1::2].count(0) > 0.4 * len(start) / 2 and not start[0::2].count(0):
        return "utf-16-le"
    if len(start) >= 4 and start[0::2].count(0) > 0.4 * len(start) / 2 and not start[1::2].count(0):
        return "utf-16-be"
    return None


def _guess(name: str, encoding: str) -> Note:
    message = f"{name!r} is not UTF-8 and was read as {encoding}. If characters look wrong, give its encoding."
    return Note(code="W-ENCODING", message=message)


def _undecodable(error: UnicodeDecodeError, name: str, encoding: str) -> CorpusError:
    before = error.object[: error.start]
    column = error.start - (before.rfind(b"\n") + 1) + 1
    return undecodable(name, encoding, before.count(b"\n") + 1, column, error.object[error.start])


def undecodable(name: str, encoding: str, line: int, column: int, byte: int) -> CorpusError:
    """That a byte is no character; lines and columns are counted from 1."""
    return CorpusError(
        "E-ENCODING",
        f"{name!r} cannot be read as {encoding}: line {line:,}, byte {column:,} is 0x{byte:02X}. "
        f"Save it as UTF-8, or give its encoding.",
    )
