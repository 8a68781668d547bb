"""What is called over-represented: by hand, and never more often than one time in twenty where nothing is."""

from math import log, sqrt

import numpy as np
import pytest

from embedlab.statistics.over_represented import chance_of_more, log_odds, over_represented


def test_the_chance_is_that_of_fishers_test():
    # five balls, two of them drawn: of three red ones both drawn are red in 3 of 10 ways, at least one in 9 of 10
    both, one = chance_of_more(
        inside=np.array([2, 1]), outside=np.array([1, 2]), of_inside=2, of_outside=3
    )  # of three finds in all
    assert both == pytest.approx(3 / 10) and one == pytest.approx(9 / 10)


def test_the_order_is_by_log_odds_with_the_prior_of_all_texts():
    # prior 10, shared out by 40 of 100 finds: 4 each; inside 34 of 60, outside 14 of 60
    expected = (log(34 / 26) - log(14 / 46)) / sqrt(1 / 34 + 1 / 26 + 1 / 14 + 1 / 46)
    found = log_odds(inside=np.array([30]), outside=np.array([10]), of_inside=50, of_outside=50, prior=10)
    assert found == pytest.approx([expected])
    turned = log_odds(inside=np.array([10]), outside=np.array([30]), of_inside=50, of_outside=50, prior=10)
    assert turned == pytest.approx(-found)


def test_two_finds_in_a_small_group_are_not_enough_among_many_words():
    rare = {"inside": np.array([2, *[0] * 999]), "outside": np.array([3, *[2] * 999])}
    assert log_odds(**rare, of_inside=50, of_outside=10_000, prior=10)[0] > 4  # which would be called clear
    assert len(over_represented(**rare, of_inside=50, of_outside=10_000, prior=10).places) == 0
    alone = {name: counts[:1] for name, counts in rare.items()}
    assert list(over_represented(**alone, of_inside=50, of_outside=10_000, prior=10).places) == [0]


def test_of_chance_alone_one_group_in_twenty_has_a_word_at_most():
    rng, hits = np.random.default_rng(0), 0
    words = rng.random((2000, 300)) < 1 / np.arange(1, 301)  # a few frequent, many rare
    for _ in range(200):
        chosen = np.zeros(2000, bool)
        chosen[rng.choice(2000, 60, replace=False)] = True
        inside, outside = words[chosen].sum(axis=0), words[~chosen].sum(axis=0)
        of = {"of_inside": int(inside.sum()), "of_outside": int(outside.sum())}
        hits += bool(len(over_represented(inside=inside, outside=outside, prior=60, **of).places))
    assert hits <= 18  # 5 % of 200 and three standard errors


def test_what_stands_out_is_listed_from_the_largest_and_what_was_not_counted_is_nought():
    counts = {"inside": np.array([20, 0, 40]), "outside": np.array([30, 0, 30])}
    found = over_represented(**counts, of_inside=100, of_outside=1000, prior=10)
    assert list(found.places) == [2, 0] and found.z[0] > found.z[1] > 0 and found.compared == 2
    assert log_odds(**counts, of_inside=100, of_outside=1000, prior=10)[1] == 0
    for of in ((0, 1000), (100, 0)):
        assert not log_odds(**counts, of_inside=of[0], of_outside=of[1], prior=10).any()


def test_without_a_group_or_others_nothing_stands_out():
    for inside, outside in (([5, 0], [0, 0]), ([0, 0], [5, 1]), ([], [])):
        inside, outside = np.array(inside, int), np.array(outside, int)
        of = {"of_inside": int(inside.sum()), "of_outside": int(outside.sum())}
        assert len(over_represented(inside=inside, outside=outside, prior=10, **of).places) == 0
