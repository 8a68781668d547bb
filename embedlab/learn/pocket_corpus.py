"""A pocket corpus: up to 1,200 texts of the ten largest classes, small enough for a lesson."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.counting import units
from embedlab.errors import CorpusError
from embedlab.figures.one_file import packed
from embedlab.palette import Shades, class_colours
from embedlab.plain_text import one_line
from embedlab.sentences import sentences

CLASSES, SHARE, FEWEST = 10, 120, 20  # classes, texts of each at most, texts of each at least
WORDS, LEAST_USES = 5_000, 2  # different words at most, and how often each is used: a word used once joins no texts
ENOUGH = 64  # words of a text: its first sentences until then, so that 1,200 texts fit into a page
TESTED = 4  # one in so many texts
SEED = 42
_CANDIDATES = 20 * SHARE  # of a class that are looked at, so that a million texts take no longer

Words = list[list[str]]  # of each sentence of a text


class PocketContent(TypedDict):
    """A pocket corpus for the page: the ``sizes`` of each text's sentences, and the ``numbers`` of all words in a row.

    Of these all low bytes stand before all high ones, which compresses better.
    """

    name: str
    numbers: str
    sizes: list[list[int]]
    labels: list[int]
    test: list[int]
    words: str
    classes: list[list[str]]


@dataclass(frozen=True)
class PocketCorpus:
    """Texts as sentences of word numbers, classes of equal size, in random order."""

    name: str
    texts: tuple[tuple[np.ndarray, ...], ...]  # word numbers of each sentence
    labels: np.ndarray  # (texts,) which of the classes, which are in sorted order
    is_test: np.ndarray  # (texts,) bool
    words: tuple[str, ...]  # the most used one first
    classes: tuple[str, ...]
    colours: tuple[Shades, ...]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the encoder reads; results belong to it."""
        texts = tuple(tuple(tuple(part.tolist()) for part in text) for text in self.texts)
        return hashlib.sha256(repr((texts, self.labels.tolist(), self.is_test.tolist())).encode()).hexdigest()[:16]

    @cached_property
    def whole(self) -> list[np.ndarray]:
        """The words of each text."""
        return [np.concatenate(text) for text in self.texts]

    @property
    def as_content(self) -> PocketContent:
        """Plain values for the page."""
        numbers = np.concatenate(self.whole)
        return {
            "name": self.name,
            "numbers": packed(np.concatenate([numbers & 255, numbers >> 8]).astype(np.uint8)),
            "sizes": [[len(part) for part in text] for text in self.texts],
            "labels": self.labels.tolist(),
            "test": np.flatnonzero(self.is_test).tolist(),
            "words": " ".join(self.words),
            "classes": [
                [one_line(name, 40), each["light"], each["dark"]]
                for name, each in zip(self.classes, self.colours, strict=True)
            ],
        }


def pocket_corpus(corpus: Corpus, topics: Sequence[str] | None = None, most: int = _CANDIDATES) -> PocketCorpus:
    """Equal shares of the ten largest classes, or of these, drawn with a fixed seed; of copies only the first.

    Raises CorpusError if there are no labels, or fewer than two classes have twenty texts of two sentences.
    """
    if corpus.labels is None:
        message = f"A lesson scores texts by their class, but {corpus.name!r} has no labels."
        raise CorpusError("E-LESSON-LABELS", f"{message} Specify their column (--label).")
    rng = np.random.default_rng(SEED)
    rows = corpus.labelled[np.sort(np.unique(corpus.copies[corpus.labelled], return_index=True)[1])]
    numbers, names = corpus.class_numbers[rows], [each.label for each in corpus.info.classes]
    texts = {}
    for number, name in enumerate(names):
        if name in (names[: 3 * CLASSES] if topics is None else topics):
            texts[name] = [corpus.texts[row] for row in rng.permutation(rows[numbers == number])[:most].tolist()]
    return pocket_of(corpus.name, texts, class_colours(names if topics is None else topics))


def pocket_of(name: str, texts: Mapping[str, Iterable[str]], colours: Mapping[str, Shades]) -> PocketCorpus:
    """The same for any texts by class, shuffled within each. Raises CorpusError as above."""
    by_class: dict[str, list[Words]] = {}
    for label, rows in texts.items():
        usable = list(_two_sentences(rows)) if len(by_class) < CLASSES else []
        if len(usable) >= FEWEST:
            by_class[label] = usable
    taken, vocabulary = _equal_shares(by_class)
    if len(taken) < 2:
        there = f"in {name!r} there {'is 1' if len(taken) == 1 else 'are none'}"
        need = f"A lesson needs two classes with at least {FEWEST} texts of two sentences each, but {there}."
        raise CorpusError("E-LESSON-CORPUS", f"{need} Choose a corpus with longer texts or fewer classes.")
    classes = sorted(taken)  # of equal votes the first wins, as in kNN accuracy elsewhere
    flat = [(text, at, number) for number, label in enumerate(classes) for at, text in enumerate(taken[label])]
    flat = [flat[at] for at in np.random.default_rng(SEED).permutation(len(flat))]  # the order tells no class
    return PocketCorpus(
        name=name,
        texts=tuple(tuple(np.array([vocabulary[word] for word in part]) for part in text) for text, *_ in flat),
        labels=np.array([number for *_, number in flat]),
        is_test=np.array([at % TESTED == 0 for _, at, _ in flat]),
        words=tuple(vocabulary),
        classes=tuple(classes),
        colours=tuple(Shades(**colours[label]) for label in classes),
    )


def _two_sentences(texts: Iterable[str]) -> Iterator[Words]:
    """The first words of each text by sentence, where it has two sentences of two words."""
    for text in texts:
        left = ENOUGH
        parts: Words = []
        for sentence in sentences(text):
            words = units(sentence)[:ENOUGH]
            if len(words) > 1 and (left > 0 or len(parts) < 2):
                parts.append(words)
                left -= len(words)
        if len(parts) > 1:
            yield parts


def _equal_shares(by_class: dict[str, list[Words]]) -> tuple[dict[str, list[Words]], dict[str, int]]:
    """The same number of texts of each class, restricted to words used twice among them; and each word's number."""
    words = {word for rows in by_class.values() for text in rows for part in text for word in part}
    for _ in range(8):  # which texts are taken and which words they leave depend on each other; two turns settle it
        within = {label: _within(rows, words) for label, rows in by_class.items()}
        usable = {label: rows for label, rows in within.items() if len(rows) >= FEWEST}
        share = min([SHARE, *map(len, usable.values())])
        texts = {label: rows[:share] for label, rows in usable.items()}
        uses = Counter(word for rows in texts.values() for text in rows for part in text for word in part)
        by_use = sorted(uses.items(), key=lambda each: (-each[1], each[0]))
        often = [word for word, count in by_use if count >= LEAST_USES][:WORDS]
        if words == set(often):
            break
        words = set(often)
    return {label: _within(rows, words) for label, rows in texts.items()}, {word: n for n, word in enumerate(often)}


def _within(texts: Iterable[Words], words: set[str]) -> list[Words]:
    """The texts restricted to these words, without those of fewer than two sentences then."""
    within = ([left for part in text if (left := [word for word in part if word in words])] for text in texts)
    return [text for text in within if len(text) > 1]
