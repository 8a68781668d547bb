"""Maps are drawn in the colours of the corpus's own classes; where it has none, of the labels given by hand."""

import numpy as np
import pytest
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.runs.hand_labels import ask_for, give_labels, shown_as, shown_names, shown_numbers


def stored(labels=None):
    corpus = store_corpus(Draft(name="mine", source="x", texts=toy_texts(per_class=3)[0], labels=labels))
    ask_for(corpus, range(12))
    return corpus


def test_labels_by_hand_stand_in_where_there_are_no_classes(store):
    corpus = stored()
    assert shown_names(corpus) == [] and set(shown_numbers(corpus)) == {-1}
    before = shown_as(corpus)
    give_labels(corpus, {7: "law", 2: "law", 5: "art"})
    assert shown_names(corpus) == ["law", "art"]
    expected = np.full(12, -1)
    expected[[2, 7]], expected[5] = 0, 1
    assert np.array_equal(shown_numbers(corpus), expected)
    assert shown_as(corpus) != before


@pytest.mark.parametrize("labels", [["own"] * 12, ["own", "other"] * 6])
def test_own_classes_come_first_also_where_there_is_one(store, labels):
    corpus = stored(labels)
    before = shown_as(corpus)
    give_labels(corpus, {0: "law"})
    assert "law" not in shown_names(corpus) and np.array_equal(shown_numbers(corpus), corpus.class_numbers)
    assert shown_as(corpus) == before


def test_labels_that_cannot_be_read_colour_nothing(store):
    corpus = stored()
    give_labels(corpus, {0: "law"})
    (corpus.folder / "labels.json").write_text("{", encoding="utf-8")
    assert shown_names(corpus) == [] and set(shown_numbers(corpus)) == {-1}
