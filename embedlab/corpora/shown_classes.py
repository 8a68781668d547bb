"""The classes in whose colours a corpus is drawn: its own; where it has none, those of the labels given by hand."""

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.corpora.hand_labels import HandLabels, hand_labels_of
from embedlab.errors import EmbedlabError


def shown_names(corpus: Corpus) -> list[str]:
    """Their names, by size, the largest first, then by name."""
    if corpus.info.classes:
        return [each.label for each in corpus.info.classes]
    given = _by_hand(corpus)
    return [] if given is None else list(given.sizes)


def shown_numbers(corpus: Corpus) -> np.ndarray:
    """Which of them each row is of  (rows,), -1 for none."""
    if corpus.info.classes or (given := _by_hand(corpus)) is None:
        return corpus.class_numbers
    places = {name: place for place, name in enumerate(given.sizes)}
    numbers = np.full(corpus.info.rows, -1)
    for row, name in given.labels.items():
        numbers[row] = places[name]
    return numbers


def shown_as(corpus: Corpus) -> str:
    """The same as long as no label by hand changes what is drawn."""
    given = None if corpus.info.classes else _by_hand(corpus)
    return corpus.fingerprint if given is None else f"{corpus.fingerprint} {sorted(given.labels.items())}"


def _by_hand(corpus: Corpus) -> HandLabels | None:
    try:
        return hand_labels_of(corpus)
    except EmbedlabError:  # damaged, which is said where they are given
        return None
