"""Who goes on from a rung, and how many may enter."""

from embedlab.finds.rungs import entrants, promoted


def test_the_better_third_goes_on_best_first():
    values = {"a": 0.1, "b": 0.6, "c": 0.3, "d": 0.5, "e": 0.2, "f": 0.4}
    assert promoted(values) == ["b", "d"]


def test_of_equal_values_the_earlier_goes_on():
    assert promoted({"a": 0.5, "b": 0.5, "c": 0.5}) == ["a"]


def test_one_of_two_goes_on_and_nobody_of_nobody():
    assert promoted({"a": 0.2, "b": 0.3}) == ["b"]
    assert promoted({}) == []


def test_half_of_the_time_is_for_the_first_rung():
    assert entrants(4.5, 225) == 25  # 112.5 seconds / 4.5


def test_one_enters_however_little_is_left_and_never_more_than_81():
    assert entrants(60, 10) == 1
    assert entrants(0.0, 10) == 81
