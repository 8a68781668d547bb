"""The characters of a text file, read line by line and as often as asked, whatever their encoding."""

import codecs
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

from embedlab.corpora.formats.decoding import Spelling, encoding_of, undecodable

BEGINNING = 200_000  # characters from which delimiter and kind of a file are told
BYTES_AT_ONCE = 2**20
_BOM = "\ufeff"


class Characters:
    """Opens the same characters again and again, without the byte order mark."""

    def __init__(self, opened: Callable[[str], io.TextIOBase], length: int, zeros: int, spelling: Spelling):
        """``opened``: with how line ends are told (``newline`` of ``open``); how many there are, and how many zeros."""
        self._opened, self.length, self.zeros, self.spelling = opened, length, zeros, spelling
        with opened("") as text:
            self.beginning = text.read(BEGINNING + 1).removeprefix(_BOM)  # one more tells that there are more

    @classmethod
    def of(cls, text: str, spelling: Spelling) -> "Characters":
        """Those of a text in memory."""
        return cls(lambda newline: io.StringIO(text, newline=newline), len(text), text.count("\0"), spelling)

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
        counted(iter([content]), spelling, name)  # says where it cannot be read
    return codecs.getincrementaldecoder(spelling.encoding)(spelling.errors).decode(content), spelling


def characters_of_file(opened: Callable[[], BinaryIO], *, name: str, encoding: str | None = None) -> Characters:
    """Those of a file of any size.

    ``opened`` gives its bytes from the first on. They are read once or twice, to know that all of them are characters.
    """
    spelling = encoding_of(lambda: _chunks(opened), name=name, encoding=encoding)
    length, zeros = counted(_chunks(opened), spelling, name)

    def as_text(newline: str) -> io.TextIOBase:
        return io.TextIOWrapper(opened(), spelling.encoding, spelling.errors, newline)

    return Characters(as_text, length, zeros, spelling)


def counted(chunks: Iterator[bytes], spelling: Spelling, name: str) -> tuple[int, int]:
    """How many characters, and how many of them are zeros; what is no character is said with its line."""
    decoder = codecs.getincrementaldecoder(spelling.encoding)(spelling.errors)
    length = zeros = lines = done = line_begins = 0
    for chunk in _and_an_end(chunks):
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            before = error.object[waiting : error.start]  # of this chunk
            if (last := before.rfind(b"\n")) >= 0:
                lines, line_begins = lines + before.count(b"\n"), done + last + 1
            place = done - waiting + error.start
            byte = error.object[error.start]
            raise undecodable(name, spelling.encoding, lines + 1, place - line_begins + 1, byte) from None
        length, zeros = length + len(text), zeros + text.count("\0")
        if (last := chunk.rfind(b"\n")) >= 0:
            lines, line_begins = lines + chunk.count(b"\n"), done + last + 1
        done += len(chunk)
    return length, zeros


def _and_an_end(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield from chunks
    yield b""


def _chunks(opened: Callable[[], BinaryIO]) -> Iterator[bytes]:
    with opened() as file:
        while chunk := file.read(BYTES_AT_ONCE):
            yield chunk
