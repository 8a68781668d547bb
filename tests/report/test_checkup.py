"""The check-up: numbers that can be counted by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from embedlab.corpora.base import Draft, store_corpus
from embedlab.report import checkup
from embedlab.report.checkup import Checkup, _histogram, check, kept_checkup


def small(store):
    texts = ["aa bb", "", "AA  bb", "cccc", "aa bb", "d" * 90]
    return store_corpus(Draft(name="n", source="s", texts=texts, labels=["x", "x", "y", "y", "x", None]))


def test_counts_copies_and_conflicts(store):
    found = check(small(store))
    assert (found.rows, found.texts, found.empty, found.labelled, found.classes) == (6, 5, 1, 4, 2)
    assert found.duplicates == 2  # rows 3 and 5 repeat row 1
    assert found.conflicts == 1
    assert found.conflict_examples[0].labels == ("x", "y")
    assert found.conflict_examples[0].rows == (0, 2, 4)
    assert found.characters_max == 90
    assert found.characters_mean == (5 + 6 + 4 + 5 + 90) / 5


def test_copies_with_one_label_contradict_nothing(store):
    corpus = store_corpus(Draft(name="n", source="s", texts=["a b", "A b", "a b", "c"], labels=["x", "x", None, "y"]))
    found = check(corpus)
    assert (found.duplicates, found.conflicts) == (2, 0)


def test_truncation_is_estimated_and_says_so(store):
    found = check(small(store), max_length=2)  # two words are 2.6 tokens
    assert (found.truncated_share, found.tokens_estimated) == (0.6, True)


def test_texts_with_two_crops_are_those_the_rule_gives_two(store):
    sentence = "This sentence is neither too short nor too long for a crop of the paper, which needs a hundred letters."
    texts = [f"{sentence} " * count for count in (1, 2, 3, 4)]  # a crop has two sentences, and two crops differ
    assert check(store_corpus(Draft(name="n", source="s", texts=texts))).texts_with_two_crops == 2


def test_a_check_up_survives_json(toy_corpus):
    found = check(toy_corpus)
    assert Checkup.model_validate_json(found.model_dump_json()) == found


@given(st.lists(st.integers(1, 5_000), min_size=1, max_size=50))
def test_every_text_is_in_the_histogram_once(lengths):
    found = _histogram(np.array(lengths))
    assert sum(found.counts) == len(lengths)
    assert len(found.edges) == len(found.counts) + 1
    assert list(found.edges) == sorted(set(found.edges))


def test_a_checkup_is_made_once_and_again_when_it_cannot_be_read(store, monkeypatch):
    corpus = small(store)
    first = kept_checkup(corpus)
    assert first == check(corpus)
    monkeypatch.setattr(checkup, "number_of_crops", lambda text: 2)
    assert kept_checkup(corpus) == first  # nothing is counted a second time
    (corpus.folder / "checkup.json").write_text('{"texts": 1', encoding="utf-8")
    assert kept_checkup(corpus).texts_with_two_crops == 5 > first.texts_with_two_crops
