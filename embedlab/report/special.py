"""What is special about some texts: the labels and words they have more often than all others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.statistics.over_represented import OverRepresented, over_represented
from embedlab.statistics.word_index import WordIndex, word_counts

MOST_WORDS, MOST_LABELS = 12, 6
PRIOR_TEXTS = 10  # both groups begin as if they had so many texts more, mixed as all texts are


@dataclass(frozen=True)
class Line:
    """A word or label and in how many texts it stands."""

    name: str
    inside: int
    outside: int


@dataclass(frozen=True)
class Special:
    """Over-represented items of one kind, the most certain first."""

    lines: tuple[Line, ...]
    more: int  # that stand out too and are not listed
    compared: int
    of_inside: int
    of_outside: int


def special_labels(corpus: Corpus, rows: np.ndarray) -> Special | None:
    """Labels more frequent in these texts than in the others; None without two classes. rows: (chosen,)"""
    if len(corpus.info.classes) < 2:
        return None
    chosen = np.zeros(corpus.info.rows, bool)
    chosen[rows] = True
    class_of_row, names = corpus.class_numbers, [each.label for each in corpus.info.classes]
    labelled = (class_of_row >= 0) & ~corpus.excluded
    inside, outside = (np.bincount(class_of_row[labelled & each], minlength=len(names)) for each in (chosen, ~chosen))
    sizes = {"of_inside": int(inside.sum()), "of_outside": int(outside.sum())}
    tested = over_represented(inside=inside, outside=outside, prior=PRIOR_TEXTS, **sizes)
    return _listed(names, inside, outside, tested, MOST_LABELS, **sizes)


def special_words(corpus: Corpus, rows: np.ndarray, index: WordIndex) -> Special:
    """Words in more of these texts than expected from the others, allowing for text length.

    A word counts once a text, and its odds are among all such counts: longer texts do not make every word frequent.
    """
    counts = word_counts(index, corpus.texts, rows)
    totals = {"of_inside": int(counts.inside.sum()), "of_outside": int(counts.outside.sum())}
    different = max(counts.texts_inside + counts.texts_outside, 1)
    prior = PRIOR_TEXTS * sum(totals.values()) / different  # as many words as so many texts have
    clear = over_represented(inside=counts.inside, outside=counts.outside, prior=prior, **totals)
    texts = {"of_inside": counts.texts_inside, "of_outside": counts.texts_outside}
    return _listed(counts.vocabulary, counts.inside, counts.outside, clear, MOST_WORDS, **texts)


def _listed(
    names: Sequence[str], inside: np.ndarray, outside: np.ndarray, tested: OverRepresented, most: int, **of: int
) -> Special:
    lines = [Line(names[index], int(inside[index]), int(outside[index])) for index in tested.places[:most]]
    return Special(tuple(lines), max(len(tested.places) - most, 0), tested.compared, **of)
