"""Who neighbors whom, related classes side by side, and three words a cluster."""

from collections import Counter

import numpy as np
import pytest

from embedlab.maps.clusters import class_tfidf, keywords, word_counts
from embedlab.metrics.movement import class_links, classes_that_matter, largest_changes, related_order, shares


def test_links_by_hand_and_nobody_counts_for_nothing():
    classes = np.array([0, 0, 1, 2])
    nearest = np.array([[1, 2], [0, -1], [0, 3], [2, 2]])
    links = class_links(nearest, classes, 3)
    assert links.tolist() == [[2, 1, 0], [1, 0, 1], [0, 2, 0]]
    assert shares(links)[0].tolist() == pytest.approx([2 / 3, 1 / 3, 0])


def test_links_are_those_of_a_slow_count():
    rng = np.random.default_rng(1)
    classes, nearest = rng.integers(0, 5, 300), rng.integers(-1, 300, (300, 10))
    slow = Counter((classes[row], classes[near]) for row in range(300) for near in nearest[row] if near >= 0)
    links = class_links(nearest, classes, 5)
    assert all(links[pair] == count for pair, count in slow.items()) and links.sum() == sum(slow.values())
    assert shares(links).sum(axis=1) == pytest.approx(np.ones(5))


def test_classes_that_neighbor_each_other_stand_side_by_side():
    links = np.diag([90.0] * 6)
    for one, other in ((0, 3), (1, 5), (2, 4)):
        links[one, other] = links[other, one] = 10
    order = related_order(links).tolist()
    assert sorted(order) == list(range(6))
    assert all(abs(order.index(one) - order.index(other)) == 1 for one, other in ((0, 3), (1, 5), (2, 4)))


def test_changes_between_different_classes_the_largest_first():
    before = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.0, 1.0]])
    after = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    assert largest_changes(before, after)[0] == (1, 2) and set(largest_changes(before, after)) == {
        (1, 2),
        (0, 1),
        (0, 2),
    }
    assert largest_changes(before, after, most=1) == [(1, 2)]
    assert largest_changes(before, before) == []


def test_class_tfidf_by_hand():
    counts = np.array([[3, 1, 0], [1, 1, 2]])  # both clusters have 4 words, so A = 4
    found = class_tfidf(counts)
    assert found[0].tolist() == pytest.approx([np.sqrt(0.75) * np.log(2), np.sqrt(0.25) * np.log(3), 0])
    assert found[1, 2] == pytest.approx(np.sqrt(0.5) * np.log(3))
    assert (class_tfidf(np.zeros((2, 3))) == 0).all()


def test_keywords_tell_clusters_apart_and_leave_out_stop_words_and_plurals():
    texts = [
        "The galaxy and the star",
        "galaxies of stars and a galaxy",
        "the oven and the flour",
        "flour for the oven",
    ]
    texts += ["a star in the galaxy", "an oven with flour"]
    counts, words = word_counts(texts, np.array([0, 0, 1, 1, 0, 1]), 2)
    assert "the" not in words and "with" not in words and "galaxies" not in words  # of one text only
    found = keywords(counts, words)
    assert set(found[0]) >= {"galaxy"} and set(found[1]) == {"flour", "oven"}
    assert counts[0, words.index("galaxy")] == 3
    doubled = keywords(np.array([[50, 4, 3]]), ["network", "networks", "neural"], most=3)
    assert len(doubled[0]) == 2 and "neural" in doubled[0]


def test_a_word_of_few_texts_names_no_cluster():
    counts = np.array([[4, 90], [0, 90]])
    assert keywords(counts, ["rare", "plain"], texts=np.array([100, 100]))[0] == ["plain"]
    assert keywords(counts, ["rare", "plain"], texts=np.array([80, 100]))[0] == ["rare", "plain"]


def test_texts_of_stop_words_only_have_no_words():
    counts, words = word_counts(["the and of", "of the"], np.array([0, 1]), 2)
    assert words == [] and keywords(counts, words) == [[], []]
    assert keywords(np.zeros((0, 4)), ["a", "b", "c", "d"]) == []


def test_the_classes_that_matter_are_those_whose_neighbors_changed_and_the_chosen_ones():
    before = np.array([[9, 1, 0, 0], [1, 9, 0, 0], [0, 0, 9, 1], [0, 0, 1, 50]])
    after = np.array([[5, 1, 4, 0], [1, 9, 0, 0], [3, 0, 6, 1], [0, 0, 1, 90]])  # the last one only within itself
    assert classes_that_matter(before, after, 2).tolist() == [0, 2]
    assert classes_that_matter(before, after, 2, always=(3, 1)).tolist() == [1, 3]
    assert classes_that_matter(before, after, 3, always=(3, 3)).tolist() == [0, 2, 3]
    assert classes_that_matter(before, after, 9).tolist() == [0, 1, 2, 3]
    assert before[0, 0] == 9 and after[3, 3] == 90  # what was handed in stays
