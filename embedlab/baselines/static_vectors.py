"""Averaged static word vectors from a file in GloVe's or word2vec's format: the oldest sentence embedding."""

from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

import numpy as np
import regex

from embedlab.errors import SettingsError
from embedlab.vectors.laid import MOST

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]")  # marks, too, which \w lacks
_LONGEST_WORD = 1_000


class StaticVectors:
    """The mean of a text's word vectors; unknown words are skipped, and their share is reported."""

    def __init__(self, texts: list[str], words: str | None = None):
        if not words:
            raise SettingsError(
                "E-WORDS", "Static word vectors need a file in GloVe or word2vec format. Give one (--words FILE)."
            )
        vocabulary = {form for text in texts for word in _WORD.findall(text) for form in (word, word.lower())}
        self.vectors = read_vectors(Path(words).expanduser(), vocabulary)
        self.seen = self.known = 0

    def embed(self, texts: list[str]) -> np.ndarray:
        """(texts, dim)"""
        dim = len(next(iter(self.vectors.values())))
        rows = np.zeros((len(texts), dim), np.float32)
        for row, text in enumerate(texts):
            words = _WORD.findall(text)
            forms = (word if word in self.vectors else word.lower() for word in words)
            vectors = [self.vectors[form] for form in forms if form in self.vectors]
            self.seen, self.known = self.seen + len(words), self.known + len(vectors)
            if vectors:
                rows[row] = np.mean(vectors, axis=0)
        return rows

    @property
    def facts(self) -> dict[str, str | float]:
        """Its width, and the share of known words."""
        return {"dim": len(next(iter(self.vectors.values()))), "known_words": self.known / max(self.seen, 1)}


def read_vectors(path: Path, vocabulary: set[str]) -> dict[str, np.ndarray]:
    """The vectors of a vocabulary's words: lines ``word numbers``, optionally after a line ``words dim``, or binary."""
    if not path.is_file():
        raise SettingsError("E-PATH", f"There is no file {str(path)!r}. Word vectors need a GloVe or word2vec file.")
    with path.open("rb") as file:
        first = file.readline(_LONGEST_WORD).split()
        header = len(first) == 2 and all(part.isdigit() for part in first)
        if header and _is_binary(file.peek(4096)):
            pairs = _binary(file, int(first[0]), int(first[1]), path)
        else:
            file.seek(0)
            pairs = _lines(file, path, skip=header)
        vectors = {word: vector for word, vector in pairs if word in vocabulary}
    if not vectors:
        raise SettingsError(
            "E-WORDS", f"{path.name!r} has no vector for any of the corpus's words. Choose vectors in its language."
        )
    return vectors


def _is_binary(start: bytes) -> bool:
    try:
        start[:-4].decode("utf-8")
    except UnicodeDecodeError:
        return True
    return b"\0" in start


def _lines(file: BufferedReader, path: Path, *, skip: bool) -> Iterator[tuple[str, np.ndarray]]:
    dim = 0
    for number, line in enumerate(file, start=1):
        if skip and number == 1:
            continue
        word, *numbers = line.decode("utf-8", errors="replace").rstrip().split(" ")
        dim = dim or len(numbers)
        word, numbers = " ".join([word, *numbers[:-dim]]), numbers[-dim:]  # a few GloVe entries hold a blank
        try:
            vector = np.array(numbers, np.float32)
        except ValueError:
            vector = np.empty(0, np.float32)
        if len(vector) != dim or dim < 2 or not (np.abs(vector) <= MOST).all():
            raise SettingsError(
                "E-WORDS",
                f"Each line of {path.name!r} must be a word and {dim} numbers, but line {number:,} begins "
                f"{line[:40].decode('utf-8', errors='replace')!r}. Choose a GloVe or word2vec file.",
            )
        yield word, vector


def _binary(file: BufferedReader, words: int, dim: int, path: Path) -> Iterator[tuple[str, np.ndarray]]:
    for number in range(words):
        word = bytearray()
        while (byte := file.read(1)) not in (b" ", b"") and len(word) < _LONGEST_WORD:
            if byte != b"\n":
                word += byte
        vector = np.frombuffer(file.read(4 * dim), "<f4")
        if len(vector) != dim:
            raise SettingsError(
                "E-WORDS",
                f"{path.name!r} should hold {words:,} words of {dim} numbers, but ends after {number:,}. Download it "
                f"again.",
            )
        if not (np.abs(vector) <= MOST).all():
            raise SettingsError(
                "E-WORDS",
                f"Word vectors are numbers up to {MOST:g}, but those of word {number + 1:,} in {path.name!r} hold "
                f"{vector[~(np.abs(vector) <= MOST)][0]}. Download the file again.",
            )
        yield word.decode("utf-8", errors="replace"), vector
