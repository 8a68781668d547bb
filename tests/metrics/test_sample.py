"""Of very many labeled texts a sample is evaluated: by class, always the same, and the same for every protocol."""

from collections import Counter

import numpy as np
import pytest

from embedlab.copies import numbered_copies
from embedlab.limits import LIMITS
from embedlab.metrics.split import (
    cv10_folds,
    development_split,
    evaluated_rows,
    fold_splits,
    is_sampled,
    labelled_rows,
    live_texts,
    paper_split,
    sample_sentence,
)

SIZES = {"big": 600, "middle": 300, "small": 97, "single": 3}


@pytest.fixture
def many() -> tuple[list[str], np.ndarray]:
    """1,000 labeled texts of four classes, shuffled, among 200 without a label."""
    labels = [name for name, size in SIZES.items() for _ in range(size)] + [None] * 200
    labels = np.array(labels, object)[np.random.default_rng(5).permutation(len(labels))]
    return [f"text {number}" for number in range(len(labels))], labels


@pytest.fixture
def limit(monkeypatch) -> int:
    monkeypatch.setitem(vars(LIMITS), "evaluated_texts", 200)
    return 200


def test_each_class_keeps_its_share(many, limit):
    rows = evaluated_rows(many[1])
    assert len(rows) == limit and (np.diff(rows) > 0).all()
    assert Counter(many[1][rows]) == {"big": 120, "middle": 60, "small": 19, "single": 1}


def test_the_sample_is_always_the_same_and_drawn_within_each_class(many, limit):
    texts, labels = many
    rows = evaluated_rows(labels)
    assert np.array_equal(rows, evaluated_rows(labels.copy(), np.arange(len(labels))))
    big = np.flatnonzero(labels == "big")
    assert not np.array_equal(rows[labels[rows] == "big"], big[:120]), "the first of a class are not its sample"
    kept = np.flatnonzero(np.arange(len(labels)) % 7 != 0)  # rows without a text take no part
    assert set(evaluated_rows(labels, kept)) <= set(kept)
    assert np.array_equal(kept[evaluated_rows(labels[kept])], evaluated_rows(labels, kept)), (
        "places or rows: one sample"
    )


def test_every_protocol_rests_on_it(many, limit):
    texts, labels = many
    rows, copies = set(evaluated_rows(labels).tolist()), numbered_copies(texts)
    split = paper_split(texts, labels)
    assert set(split.train.tolist()) | set(split.test.tolist()) == rows and len(split.test) == limit // 10
    development = development_split(split, copies)
    assert set(development.test.tolist()) < set(split.train.tolist())
    for whole in (True, False):
        assert set(live_texts(split, development, labels, size=50, whole=whole).rows.tolist()) <= rows
    for shuffled in (True, False):
        folds = fold_splits(labels, shuffled=shuffled, copies=copies)
        assert set(np.concatenate([each.test for each in folds]).tolist()) == rows
        assert len(folds) == 10 == cv10_folds(labels[sorted(rows)]).max() + 1


def test_up_to_the_limit_nothing_changes(many, monkeypatch):
    texts, labels = many
    before = paper_split(texts, labels)
    monkeypatch.setitem(vars(LIMITS), "evaluated_texts", 1000)
    after = paper_split(texts, labels)
    assert np.array_equal(before.train, after.train) and np.array_equal(before.test, after.test)
    assert np.array_equal(evaluated_rows(labels), labelled_rows(labels)) and not is_sampled(1000)
    monkeypatch.setitem(vars(LIMITS), "evaluated_texts", 999)
    assert is_sampled(1000) and len(evaluated_rows(labels)) == 999


def test_the_sentence_says_how_many(many, limit):
    said = sample_sentence(paper_split(*many), 1000)
    assert said.startswith("Evaluated on 200 of the 1,000 labeled texts") and "20 are tested among 180" in said
    assert "the error shown accounts" in said


def test_a_split_among_its_own_rows_names_the_same_texts(many, limit):
    texts, labels = many
    split = development_split(paper_split(texts, labels), numbered_copies(texts))
    among = split.among(split.rows)
    assert np.array_equal(split.rows[among.train], split.train) and np.array_equal(split.rows[among.test], split.test)
    assert np.array_equal(among.copies, split.copies[split.rows]) and among.protocol == split.protocol
