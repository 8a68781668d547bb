"""The characters of a text file, read line by line and as often as asked, whatever their encoding."""

import codecs
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from embedlab.corpora.formats.decoding import Spelling, encoding_of, undecodable
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS

BEGINNING = 200_000  # characters from which delimiter and kind of a file are told
BYTES_AT_ONCE = 2**20
_BOM = "\ufeff"


class Characters:
    """Opens the same characters again and again, without the byte order mark."""

    def __init__(self, opened: Callable[[str], io.TextIOBase], length: int, zeros: int, spelling: Spelling, name: str):
        """``opened``: with how line ends are told (``newline`` of ``open``); how many there are, and how many zeros."""
        self._opened, self.length, self.zeros, self.spelling, self.name = opened, length, zeros, spelling, name
        with opened("") as text:
            self.beginning = text.read(BEGINNING + 1).removeprefix(_BOM)  # one more tells that there are more

    @classmethod
    def of(cls, text: str, spelling: Spelling, name: str) -> "Characters":
        """Those of a text in memory."""
        return cls(lambda newline: io.StringIO(text, newline=newline), len(text), text.count("\0"), spelling, name)

    def lines(self, newline: str = "") -> Iterator[str]:
        """Every line with its end; ``newline="\\n"`` ends lines nowhere else."""
        with self._opened(newline) as text:
            for number, line in enumerate(text):
                yield line.removeprefix(_BOM) if number == 0 else line

    def whole(self) -> str:
        """All of them."""
        with self._opened("") as text:
            return text.read().removeprefix(_BOM)


def decoded(content: bytes, *, name: str, encoding: str | None = None, is_cut: bool = False) -> tuple[str, Spelling]:
    """The characters of a file that is in memory, and how they were spelled.

    ``is_cut``: of a file's beginning; a character that the cut divides is left out.
    """
    whole = content[: content.rfind(b"\n") + 1] or content if is_cut else content
    spelling = encoding_of(lambda: iter([whole]), name=name, encoding=encoding, is_cut=is_cut)
    if not is_cut:
        counted([content], spelling, name)  # says where it cannot be read
    return codecs.getincrementaldecoder(spelling.encoding)(spelling.errors).decode(content), spelling


def characters_of_file(opened: Callable[[], BinaryIO], *, name: str, encoding: str | None = None) -> Characters:
    """Those of a file of any size.

    ``opened`` gives its bytes from the first on. They are read once or twice, to know that all of them are characters
    and that they do not unpack to more than is read.
    """

    def chunks() -> Iterator[bytes]:
        size = 0
        with opened() as file:
            while chunk := file.read(BYTES_AT_ONCE):
                size += len(chunk)
                if size > LIMITS.archive_bytes:
                    limit = f"{LIMITS.archive_bytes / 2**30:.0f} GiB"
                    raise CorpusError("E-ARCHIVE-TOO-BIG", f"{name!r} unpacks to more than {limit}.")
                yield chunk

    spelling = encoding_of(chunks, name=name, encoding=encoding)
    length, zeros = counted(chunks(), spelling, name)

    def as_text(newline: str) -> io.TextIOBase:
        return io.TextIOWrapper(opened(), spelling.encoding, spelling.errors, newline)

    return Characters(as_text, length, zeros, spelling, name)


def counted(chunks: Iterable[bytes], spelling: Spelling, name: str) -> tuple[int, int]:
    """How many characters, and how many of them are zeros; what is no character is said with its line."""
    decoder, error = codecs.getincrementaldecoder(spelling.encoding)(spelling.errors), None
    length, zeros, line, column = 0, 0, 1, 1  # line and column: of the first byte that is not decoded yet
    for chunk in chain(chunks, [b""]):
        read = decoder.getstate()[0] + chunk
        try:
            text = decoder.decode(chunk, final=not chunk)
            read = read[: len(read) - len(decoder.getstate()[0])]
        except UnicodeDecodeError as failed:
            read, error = failed.object[: failed.start], failed
        line += read.count(b"\n")
        column = len(read) - read.rfind(b"\n") if b"\n" in read else column + len(read)
        if error is not None:
            raise undecodable(name, spelling.encoding, line, column, error.object[error.start]) from None
        length, zeros = length + len(text), zeros + text.count("\0")
    return length, zeros
