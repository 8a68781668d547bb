"""Who goes on from a rung, and how many may enter."""

from embedlab.finds.sampler import end_of, more_entrants, promoted


def test_the_better_third_goes_on_best_first():
    values = {"a": 0.1, "b": 0.6, "c": 0.3, "d": 0.5, "e": 0.2, "f": 0.4}
    assert promoted(values) == ["b", "d"]


def test_of_equal_values_the_earlier_goes_on():
    assert promoted({"a": 0.5, "b": 0.5, "c": 0.5}) == ["a"]


def test_one_of_two_goes_on_and_nobody_of_nobody():
    assert promoted({"a": 0.2, "b": 0.3}) == ["b"]
    assert promoted({}) == []


def test_as_many_enter_as_fit_to_the_nearest_and_never_more_than_81():
    assert more_entrants(4.5, 112.5) == 25
    assert more_entrants(10, 16) == 2 and more_entrants(10, 4) == 0
    assert more_entrants(10, -30) == 0
    assert more_entrants(0.0, 10) == 81


def test_the_length_counts_in_the_last_rung_alone():
    assert [end_of(rung, 90, 90) for rung in range(3)] == [10, 30, 90]
    assert [end_of(rung, 90, 180) for rung in range(3)] == [10, 30, 180]
    assert [end_of(rung, 90, 45) for rung in range(3)] == [10, 30, 45]
    assert [end_of(rung, 3, 3) for rung in range(3)] == [1, 1, 3]
