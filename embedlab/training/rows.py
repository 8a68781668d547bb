"""Which rows a run may train on: all, without the test texts, or (supervised) the labelled ones of the train part."""

import numpy as np

from embedlab.copies import normalised
from embedlab.metrics.split import LiveSample, Split


def training_rows(
    corpus, split: Split | None, train_on: str, *, sample: LiveSample | None = None, labels_train: bool = False
) -> np.ndarray:
    """``labels_train``: labels are what is learned from, so neither test nor development texts take part."""
    if split is None or (train_on == "all" and not labels_train):
        return corpus.kept
    left_out = split.test
    if labels_train and sample is not None:
        left_out = np.concatenate([left_out, sample.development])
    unseen = {normalised(corpus.texts[row]) for row in left_out}
    rows = split.train if labels_train else corpus.kept
    return np.array([row for row in rows if normalised(corpus.texts[row]) not in unseen], dtype=np.int64)
