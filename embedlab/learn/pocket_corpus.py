"""A pocket corpus: up to 1,200 texts of the ten largest classes, small enough for a lesson."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.counting import units
from embedlab.documentation.docstrings import first_texts
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.example import gathered
from embedlab.figures.palette import Shades, class_colours
from embedlab.figures.text import one_line
from embedlab.sentences import sentences

CLASSES, SHARE, FEWEST = 10, 120, 20  # classes, texts of each at most, texts of each at least
WORDS, LEAST_USES = 5_000, 2  # different words at most, and how often each is used: a word used once joins no texts
ENOUGH = 64  # words of a text: its first sentences until then, so that 1,200 texts fit into a page
TESTED = 4  # one in so many texts
SEED = 42
_CANDIDATES = 20 * SHARE  # of a class that are looked at, so that a million texts take no longer

Text = tuple[tuple[int, ...], ...]  # sentences of word numbers
Words = list[list[str]]  # the same in words


@dataclass(frozen=True)
class PocketCorpus:
    """Texts as sentences of word numbers, classes of equal size, in random order."""

    name: str
    texts: tuple[Text, ...]
    labels: np.ndarray  # (texts,) which of the classes, which are in sorted order
    is_test: np.ndarray  # (texts,) bool
    words: tuple[str, ...]  # the most used one first
    classes: tuple[str, ...]
    colours: tuple[Shades, ...]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the encoder reads; results belong to it."""
        content = repr((self.texts, self.labels.tolist(), self.is_test.tolist())).encode()
        return hashlib.sha256(content).hexdigest()[:16]

    @property
    def as_content(self) -> dict:
        """Plain values for the page: each text is a string with one character per word and spaces between sentences."""
        alphabet = letters(len(self.words))
        return {
            "name": self.name,
            "texts": [" ".join("".join(alphabet[word] for word in part) for part in text) for text in self.texts],
            "labels": self.labels.tolist(),
            "test": np.flatnonzero(self.is_test).tolist(),
            "words": " ".join(self.words),
            "classes": [
                [one_line(name, 40), each["light"], each["dark"]]
                for name, each in zip(self.classes, self.colours, strict=True)
            ],
        }


def letters(count: int) -> str:
    """This many distinct characters, none with a meaning in HTML or JSON."""
    special = set(" \"&'<>\\") | {chr(code) for code in range(0x7F, 0xA1)} | {"\u2028", "\u2029"}
    by_class = (chr(code) for code in range(0x21, 0xD800) if chr(code) not in special)
    return "".join(letter for letter, _ in zip(by_class, range(count), strict=False))


def pocket_corpus(corpus: Corpus) -> PocketCorpus:
    """Equal shares of the ten largest classes, drawn with a fixed seed; of copies only the first.

    Raises
    ------
    CorpusError
        there are no labels, or fewer than two classes have twenty texts of two sentences.
    """
    if corpus.labels is None:
        raise CorpusError(
            "E-LESSON-LABELS",
            f"A lesson scores texts by their class, but {corpus.name!r} has no labels. Specify their column (--label).",
        )
    rng = np.random.default_rng(SEED)
    rows = corpus.labelled[np.sort(np.unique(corpus.copies[corpus.labelled], return_index=True)[1])]
    numbers, names = corpus.class_numbers[rows], [each.label for each in corpus.info.classes]
    mixed = {name: rng.permutation(rows[numbers == number]) for number, name in enumerate(names[: 3 * CLASSES])}
    texts = {name: (corpus.texts[row] for row in rows[:_CANDIDATES].tolist()) for name, rows in mixed.items()}
    return pocket_of(corpus.name, texts, class_colours(names))


def pocket_of(name: str, texts: Mapping[str, Iterable[str]], colours: Mapping[str, Shades]) -> PocketCorpus:
    """The same for any texts by class, shuffled within each. Raises CorpusError as above."""
    by_class: dict[str, list[Words]] = {}
    for label, rows in texts.items():
        usable = list(_two_sentences(rows))
        if len(usable) >= FEWEST and len(by_class) < CLASSES:
            by_class[label] = usable
    taken, vocabulary = _equal_shares(by_class)
    if len(taken) < 2:
        raise CorpusError(
            "E-LESSON-CORPUS",
            f"A lesson needs two classes with at least {FEWEST} texts of two sentences each, but in {name!r} there "
            f"{'is 1' if len(taken) == 1 else 'are none'}. Choose a corpus with longer texts or fewer classes.",
        )
    return _mixed(name, taken, vocabulary, colours)


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
    words: set[str] | None = None
    texts: dict[str, list] = {}
    for _ in range(8):  # which texts are taken and which words they leave depend on each other; two turns settle it
        usable = {
            label: [remaining for each in rows if (remaining := _in_words(each, words))]
            for label, rows in by_class.items()
        }
        usable = {label: rows for label, rows in usable.items() if len(rows) >= FEWEST}
        share = min([SHARE, *map(len, usable.values())])
        texts = {label: rows[:share] for label, rows in usable.items()}
        uses = Counter(word for rows in texts.values() for text in rows for part in text for word in part)
        often = [
            word for word, count in sorted(uses.items(), key=lambda each: (-each[1], each[0])) if count >= LEAST_USES
        ]
        if words == set(often[:WORDS]):
            break
        words = set(often[:WORDS])
    often = often[:WORDS]
    texts = {
        label: [remaining for each in rows if (remaining := _in_words(each, words))] for label, rows in texts.items()
    }
    return texts, {word: number for number, word in enumerate(often)}


def _in_words(text: Words, words: set[str] | None) -> Words | None:
    """The text restricted to these words, None if fewer than two sentences are left."""
    if words is None:
        return text if len(text) > 1 else None
    remaining = [left for part in text if (left := [word for word in part if word in words])]
    return remaining if len(remaining) > 1 else None


def _mixed(
    name: str, texts: dict[str, list[Words]], vocabulary: dict[str, int], colours: Mapping[str, Shades]
) -> PocketCorpus:
    """Every fourth text of a class is a test text; the order does not reveal the class."""
    classes = sorted(texts)  # of equal votes the first wins, as in kNN accuracy elsewhere
    flat = [
        (text, position, number) for number, label in enumerate(classes) for position, text in enumerate(texts[label])
    ]
    flat = [flat[at] for at in np.random.default_rng(SEED).permutation(len(flat))]
    return PocketCorpus(
        name=name,
        texts=tuple(tuple(tuple(map(vocabulary.__getitem__, part)) for part in text) for text, *_ in flat),
        labels=np.array([number for *_, number in flat]),
        is_test=np.array([at % TESTED == 0 for _, at, _ in flat]),
        words=tuple(vocabulary),
        classes=tuple(classes),
        colours=tuple(Shades(**colours[label]) for label in classes),
    )


TOPICS = ("Tables", "Web page elements", "Signal processing", "Linear algebra")  # few files hold many texts of them
AT_ONCE, GATHERED = 60, 100  # texts of each: read now, or from the gathered corpus


def first_pocket() -> PocketCorpus | None:
    """None if the libraries hold too few texts on these topics."""
    fingerprint = gathered()
    texts = first_texts(TOPICS, AT_ONCE) if fingerprint is None else _of_corpus(open_corpus(fingerprint))
    try:
        return pocket_of("docs", texts, class_colours(TOPICS))
    except EmbedlabError:
        return None


def _of_corpus(corpus: Corpus) -> dict[str, list[str]]:
    """Evenly spaced over the texts of each topic."""
    names, texts = [each.label for each in corpus.info.classes], {}
    for topic in TOPICS:
        rows = corpus.labelled[corpus.class_numbers[corpus.labelled] == names.index(topic)] if topic in names else []
        step = max(1, len(rows) // GATHERED)
        texts[topic] = [corpus.texts[int(row)] for row in rows[::step][:GATHERED]]
    return texts
