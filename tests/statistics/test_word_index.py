"""Words are counted once a text, copies once, and of a large corpus on a sample."""

import numpy as np

from embedlab.statistics.word_index import sampled, word_counts, word_index

TEXTS = ["court court judge", "the court", "oven and flour", "Oven  and flour", "", "judge 2021"]


def counts(found) -> dict[str, tuple[int, int]]:
    each = zip(found.vocabulary, found.inside.tolist(), found.outside.tolist(), strict=True)
    return {word: pair for word, *pair in each if any(pair)}


def test_a_word_counts_once_a_text_and_copies_once():
    found = word_counts(word_index(TEXTS, np.array([0, 1, 2, 3, 5])), TEXTS, np.array([0, 2, 3]))
    assert counts(found) == {
        "court": [1, 1], "judge": [1, 1], "the": [0, 1], "oven": [1, 0], "and": [1, 0], "flour": [1, 0]
    }  # fmt: skip
    assert (found.texts_inside, found.texts_outside) == (2, 2)


def test_texts_outside_the_sample_are_read_where_they_are_chosen():
    found = word_counts(word_index(TEXTS, np.array([0, 1])), TEXTS, np.array([1, 2, 3]))
    assert counts(found) == {
        "court": [1, 1], "judge": [0, 1], "the": [1, 0], "oven": [1, 0], "and": [1, 0], "flour": [1, 0]
    }  # fmt: skip
    assert (found.texts_inside, found.texts_outside) == (2, 1)


def test_a_sample_is_always_the_same_and_of_few_rows_all():
    many = np.arange(1000)
    assert list(sampled(many, 10)) == list(sampled(many, 10)) == sorted(sampled(many, 10))
    assert list(sampled(many, 1000)) == list(many)


def test_scripts_without_blanks_are_counted_by_pairs_of_characters():
    texts = ["北京大学", "北京市"]
    assert counts(word_counts(word_index(texts, np.arange(2)), texts, np.array([0])))["北京"] == [1, 1]
