"""Which texts are asked for: spread, each once, always the same, and of few texts all."""

import numpy as np
import pytest
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.finds.labelling import ASKED, spread, texts_to_label

RNG = 7


def stored(texts: list[str], labels: list[str | None] | None = None):
    return store_corpus(Draft(name="mine", source="x", texts=texts, labels=labels))


def test_the_next_one_is_never_where_one_was_drawn():
    """From 0 the squared distances are 0, 0, 0 and 25: the last is drawn for certain, and then there is no other."""
    places = np.array([[0.0], [0.0], [0.0], [5.0]])
    assert spread(places, 4, np.random.default_rng(RNG), first=[1]) == [3]


def test_the_chance_of_a_text_is_its_squared_distance():
    """Beside 0 lie 1 and 3: 9 draws of 10 take 3."""
    places = np.array([[0.0], [1.0], [3.0]])
    drawn = [spread(places, 1, np.random.default_rng(seed), first=[0])[0] for seed in range(1000)]
    assert np.mean(np.array(drawn) == 2) == pytest.approx(0.9, abs=0.03)  # three standard errors


def test_every_group_is_drawn_before_any_is_drawn_twice():
    """Six groups far from each other, one of them of 500 texts, which chance alone would draw from nearly always."""
    rng = np.random.default_rng(0)
    sizes = [500, 20, 20, 20, 20, 20]
    groups = np.repeat(np.arange(6), sizes)
    places = 100 * np.eye(6)[groups] + rng.normal(scale=0.01, size=(600, 6))
    assert sorted(groups[spread(places, 6, np.random.default_rng(RNG))]) == list(range(6))


def test_the_same_corpus_gives_the_same_texts_each_once(store):
    corpus = stored(toy_texts(per_class=40)[0])
    rows = texts_to_label(corpus)
    assert len(rows) == ASKED == len(set(rows.tolist()))
    assert np.array_equal(rows, texts_to_label(corpus))


def test_of_few_texts_all_are_asked_for_and_copies_once(store):
    texts = ["one text of words", "another one", "ONE  text of words", "", "...", "!", 'a\nline "break"']
    rows = texts_to_label(stored(texts))
    assert sorted(rows.tolist()) == [0, 1, 4, 5, 6]  # row 2 is a copy, row 3 has no text, "..." and "!" no word


def test_one_text_is_that_text(store):
    assert texts_to_label(stored(["only one"])).tolist() == [0]


def test_texts_with_a_label_are_not_asked_for(store):
    texts, labels = toy_texts(per_class=40)
    partly = [label if row % 2 else None for row, label in enumerate(labels)]
    rows = texts_to_label(stored(texts, partly))
    assert len(rows) == 80 and (rows % 2 == 0).all()


def test_a_label_that_all_texts_have_is_none(store):
    texts = toy_texts(per_class=10)[0]
    assert len(texts_to_label(stored(texts, ["only"] * len(texts)))) == len(texts)
