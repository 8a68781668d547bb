"""Which rows a run may train on: all, without the test texts, (supervised) labelled ones of the train part, or few."""

import numpy as np

from embedlab.copies import normalised
from embedlab.metrics.split import Split, development_split

_DRAWN = 65_536  # keeps this drawing apart from the order of any epoch, which begins with the same seed


def training_rows(corpus, split: Split | None, train_on: str, *, labels_train: bool = False) -> np.ndarray:
    """``labels_train``: labels are what is learned from, so neither test nor development texts take part."""
    if split is None or (train_on == "all" and not labels_train):
        return corpus.kept
    left_out = split.test
    if labels_train:
        left_out = np.concatenate([left_out, development_split(split, corpus.copies).test])
    unseen = {normalised(corpus.texts[row]) for row in left_out}
    rows = split.train if labels_train else corpus.kept
    return np.array([row for row in rows if normalised(corpus.texts[row]) not in unseen], dtype=np.int64)


def drawn_rows(rows: np.ndarray, count: int | None, *, seed: int) -> np.ndarray:
    """``count`` of the rows by chance, in their order; all, where there are no more. A smaller count lies in a larger.

    rows: (n,) -> (min(n, count),)
    """
    if count is None or count >= len(rows):
        return rows
    return np.sort(np.random.default_rng([seed, _DRAWN]).permutation(rows)[:count])
