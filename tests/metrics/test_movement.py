"""What moved: Jaccard of nearest texts without copies, class effect, noise floor, groups with intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from embedlab.copies import numbered_copies
from embedlab.metrics.movement import (
    above,
    class_effect,
    group_moves,
    movement,
    nearest_others,
    noise_floor,
    same_class,
)


def lists(*rows) -> np.ndarray:
    """Neighbor lists, filled up with nobody."""
    return np.array([[*row, *[-1] * (10 - len(row))] for row in rows], np.int32)


def test_movement_by_hand():
    ten = list(range(10))
    before = lists(ten, ten, ten, [1, 2, 3], [], [])
    after = lists(ten[::-1], range(10, 20), [*ten[:5], *range(10, 15)], [3, 4], [7], [])
    found = movement(before=before, after=after)
    assert found[:5].tolist() == pytest.approx([0, 1, 1 - 5 / 15, 1 - 1 / 4, 1])
    assert np.isnan(found[5])


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 15), max_size=10), st.sets(st.integers(0, 15), max_size=10)), min_size=1)
)
def test_movement_is_one_less_jaccard_of_sets_and_the_same_both_ways(pairs):
    before, after = lists(*(one for one, _ in pairs)), lists(*(other for _, other in pairs))
    found = movement(before=before, after=after)
    for value, (one, other) in zip(found, pairs, strict=True):
        if one | other:
            assert value == pytest.approx(1 - len(one & other) / len(one | other), abs=1e-6)
        else:
            assert np.isnan(value)
    np.testing.assert_array_equal(found, movement(before=after, after=before))


def test_copies_and_the_text_itself_are_no_neighbors_and_the_next_ones_move_up():
    copies = numbered_copies(["A cat.", "a  CAT.", "dog", "a cat.", "bird", "fish"])
    assert copies.tolist() == [0, 0, 1, 0, 2, 3]
    near = np.array([[1, 3, 2, 5, 4], [0, 2, 3, 4, 5], [2, 5, 4, -1, -1]])
    found = nearest_others(near, copies, text_of_list=np.array([0, 1, 2]), k=2)
    assert found.tolist() == [[2, 5], [2, 4], [5, 4]]
    assert nearest_others(near[:1], copies, text_of_list=np.array([0]), k=4).tolist() == [[2, 5, 4, -1]]


def test_class_effect_counts_neighbors_of_the_own_class():
    classes = np.array([0, 0, 1, -1, 1])
    before, after = lists([1, 2, 3], [0], [0, 1], [0], []), lists([1], [2, 3], [4, 0], [1], [2])
    was, now = same_class(before, classes), same_class(after, classes)
    assert was.tolist() == [1, 1, 0, -1, 0] and now.tolist() == [1, 0, 1, -1, 1]
    effect = class_effect(same_before=was, same_after=now)
    assert effect[[0, 1, 2, 4]].tolist() == pytest.approx([0, -0.1, 0.1, 0.1]) and np.isnan(effect[3])


def test_the_floor_is_what_95_of_100_texts_stay_at_or_below():
    moved = np.array([*range(1, 101), np.nan]) / 100
    assert noise_floor(moved) == pytest.approx(0.95)
    assert above(moved, 0.95).sum() == 5
    assert noise_floor(np.array([np.nan])) == 0.0
    assert above(np.array([0.0, 0.1, np.nan]), None).tolist() == [False, True, False]


def test_groups_of_ten_and_more_are_ranked_with_students_interval():
    rng = np.random.default_rng(0)
    groups = np.array([0] * 9 + [1] * 12 + [2] * 30 + [-1] * 5)
    moved = rng.uniform(size=len(groups)).astype(np.float32)
    moved[groups == 2] /= 4
    effect = rng.choice([-0.1, 0.0, 0.2], len(groups)).astype(np.float32)
    effect[groups == 2] = np.nan
    found = group_moves(moved=moved, effect=effect, is_above=moved > 0.2, groups=groups)
    assert [each.name for each in found] == [1, 2]
    own = moved[groups == 1].astype(float)
    low, high = t.interval(0.95, 11, own.mean(), own.std(ddof=1) / np.sqrt(12))
    assert found[0].movement == pytest.approx((own.mean(), max(low, 0), min(high, 1)))
    own = effect[groups == 1].astype(float)
    assert found[0].effect == pytest.approx(
        (own.mean(), *t.interval(0.95, 11, own.mean(), own.std(ddof=1) / np.sqrt(12)))
    )
    assert found[0].above == (moved[groups == 1] > 0.2).sum() and found[0].texts == 12
    assert found[1].effect is None
