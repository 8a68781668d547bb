"""How often the intervals hold the truth when train and test texts, or seeds, are drawn anew."""

import numpy as np
import pytest

from embedlab.metrics.ten_fold import FACTOR, fold_difference
from embedlab.statistics.intervals import paired_shares
from embedlab.statistics.seeds import pooled_seeds

DRAWS = 400
CLASSES, DIM, K = 6, 4, 10
CENTRES = np.random.default_rng(5).normal(size=(CLASSES, DIM)) * 1.3


def texts_seen_by_two_encoders(rng: np.random.Generator, n: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Gaussian classes, each text seen by two encoders, of which the second is blurred more."""
    labels = rng.integers(0, CLASSES, n)
    texts = CENTRES[labels] + 0.6 * rng.normal(size=(n, DIM))
    return labels, [texts + blur * rng.normal(size=(n, DIM)) for blur in (0.7, 0.5)]


def right(embeddings: np.ndarray, labels: np.ndarray, allowed: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Which of these rows kNN tells right among the allowed others.  allowed: (rows, texts) bool"""
    squares = (embeddings**2).sum(axis=1)
    apart = squares[None, :] - 2 * embeddings[rows] @ embeddings.T
    near = np.argpartition(np.where(allowed, apart, np.inf), K, axis=1)[:, :K]
    return np.eye(CLASSES)[labels[near]].sum(axis=1).argmax(axis=1) == labels[rows]


def coverage(differences: list, truth: float) -> float:
    """The share of intervals that hold the truth."""
    return float(np.mean([each.low <= truth <= each.high for each in differences]))


def test_the_interval_of_a_split_covers_when_train_and_test_are_drawn_anew():
    rng, found = np.random.default_rng(1), []
    for _ in range(DRAWS):
        labels, seen = texts_seen_by_two_encoders(rng, 600)
        test, allowed = np.arange(60), np.tile(np.arange(600) >= 60, (60, 1))
        before, after = (right(embeddings, labels, allowed, test) for embeddings in seen)
        found.append(paired_shares(before=before, after=after))
    truth = float(np.mean([each.value for each in found]))
    assert truth > 0.03 and coverage(found, truth) >= 0.92


@pytest.fixture(scope="module")
def by_ten_folds() -> list[tuple[np.ndarray, np.ndarray]]:
    """Right before and right after, 400 times 300 texts, each of them tested once."""
    rng, found = np.random.default_rng(2), []
    for _ in range(DRAWS):
        labels, seen = texts_seen_by_two_encoders(rng, 300)
        folds = rng.permutation(300) % 10
        allowed = folds[:, None] != folds[None, :]
        found.append(tuple(right(embeddings, labels, allowed, np.arange(300)) for embeddings in seen))
    return found


def test_the_interval_of_ten_folds_covers_when_all_texts_are_drawn_anew(by_ten_folds):
    found = [fold_difference(before=before, after=after) for before, after in by_ten_folds]
    truth = float(np.mean([each.value for each in found]))
    assert truth > 0.03 and coverage(found, truth) >= 0.92


def test_without_the_factor_of_nadeau_and_bengio_it_covers_less(by_ten_folds):
    truth = float(np.mean([after.mean() - before.mean() for before, after in by_ten_folds]))
    covered = {}
    for factor in (1.0, FACTOR):
        inside = []
        for before, after in by_ten_folds:
            d = after * 1.0 - before
            inside.append(abs(d.mean() - truth) <= 1.96 * factor * d.std(ddof=1) / np.sqrt(len(d)))
        covered[factor] = np.mean(inside)
    assert covered[1.0] < 0.95 < covered[FACTOR]


@pytest.mark.parametrize(("of_seeds", "of_texts"), [(0.0, 0.25), (0.01, 0.3), (0.03, 0.2)])
def test_three_pooled_seeds_cover(of_seeds, of_texts):
    # text i is gained by a seed with a probability of its own around the seed's; the truth is the mean over both
    rng, truth, found = np.random.default_rng(3), 0.1, []
    for _ in range(2 * DRAWS):
        seeds = truth + of_seeds * rng.normal(size=(3, 1))
        texts = of_texts * rng.choice([-1.0, 1.0], size=(1, 422))
        share = np.clip(seeds + texts, -1, 1)  # the expected change of text i in run s
        changes = np.where(rng.random((3, 422)) < np.abs(share), np.sign(share), 0)
        found.append(pooled_seeds(changes))
    assert coverage(found, truth) >= 0.93
