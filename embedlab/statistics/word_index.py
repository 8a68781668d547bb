"""Which words each text has, once a text; of a large corpus a sample of its texts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from embedlab.copies import numbered_copies
from embedlab.counting import units

MOST_TEXTS = 20_000
SEED = 42
_CHARACTERS = 20_000  # of a text: a book tells its words by its first pages


@dataclass(frozen=True)
class WordIndex:
    """The words of some texts."""

    rows: np.ndarray  # (texts,) of the corpus, growing
    copies: np.ndarray  # (texts,) one number for each different text
    starts: np.ndarray  # (texts + 1,) where a text's words begin in ``words``
    words: np.ndarray  # (entries,) places in the vocabulary
    vocabulary: list[str]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each word stands in the vocabulary."""
        return {word: number for number, word in enumerate(self.vocabulary)}

    def counted(self, chosen: np.ndarray) -> tuple[np.ndarray, int]:
        """In how many of the chosen texts each word occurs, and how many those are; copies of a text are one text.

        chosen: (texts,) bool -> (vocabulary,), texts
        """
        texts = np.flatnonzero(chosen)
        texts = texts[np.unique(self.copies[texts], return_index=True)[1]]
        lit = np.zeros(len(self.rows), bool)
        lit[texts] = True
        entries = np.repeat(lit, np.diff(self.starts))
        return np.bincount(self.words[entries], minlength=len(self.vocabulary)), len(texts)


@dataclass(frozen=True)
class WordCounts:
    """Words and in how many texts they occur: inside a selection, and in the others."""

    vocabulary: list[str]
    inside: np.ndarray  # (words,)
    outside: np.ndarray  # (words,)
    texts_inside: int  # different texts that were counted
    texts_outside: int


def sampled(rows: np.ndarray, most: int = MOST_TEXTS) -> np.ndarray:
    """Rows to index: these, or of many always the same ``most``, in their order."""
    if len(rows) <= most:
        return np.asarray(rows)
    return np.sort(np.random.default_rng(SEED).choice(rows, most, replace=False))


def word_index(texts: Sequence[str], rows: np.ndarray) -> WordIndex:
    """The words of these rows of a corpus."""
    vocabulary: dict[str, int] = {}
    words, starts = [], [0]
    for row in rows:
        words += [vocabulary.setdefault(word, len(vocabulary)) for word in words_of(texts[row])]
        starts.append(len(words))
    copies = numbered_copies(texts[row] for row in rows)
    return WordIndex(np.asarray(rows), copies, np.array(starts), np.array(words, np.int64), list(vocabulary))


def word_counts(index: WordIndex, texts: Sequence[str], rows: np.ndarray) -> WordCounts:
    """Words of the texts of ``rows`` and of all others that the index knows; of many rows a sample is read."""
    chosen = np.isin(index.rows, rows)
    outside, texts_outside = index.counted(~chosen)
    rest = np.setdiff1d(sampled(rows), index.rows)
    if not len(rest):
        inside, texts_inside = index.counted(chosen)
        return WordCounts(index.vocabulary, inside, outside, texts_inside, texts_outside)
    read = np.union1d(index.rows[chosen], rest)
    different = read[np.unique(numbered_copies(texts[row] for row in read), return_index=True)[1]]
    counts = Counter(word for row in different for word in words_of(texts[row]))
    vocabulary = index.vocabulary + [word for word in counts if word not in index.places]
    inside = np.array([counts[word] for word in vocabulary])
    outside = np.pad(outside, (0, len(vocabulary) - len(outside)))
    return WordCounts(vocabulary, inside, outside, len(different), texts_outside)


def words_of(text: str) -> Iterable[str]:
    """The different words of a text that have a letter, in their order."""
    return [word for word in dict.fromkeys(units(text[:_CHARACTERS], bigrams_only=True)) if not word.isdigit()]
