"""Collapse, no learning and falling accuracy are said with what to try; a healthy run is left in peace."""

import math

import numpy as np
import pytest

from embedlab.measurement import Measurement
from embedlab.statistics.geometry import dimension_std, effective_rank
from embedlab.training.preparation import held_out_rows, rank_of_own
from embedlab.training.watchdog import Spread, Watchdog, spread_of


def codes(notices) -> list[str]:
    return [notice.code for notice in notices]


def healthy(rank: float = 50.0, std: float = 0.9) -> Spread:
    return Spread(rank, std, 512)


def test_effective_rank_of_equal_singular_values_is_their_number_and_of_equal_vectors_zero():
    corners = np.concatenate([np.eye(4), -np.eye(4)])  # centred, four equal singular values
    assert effective_rank(corners) == pytest.approx(4)
    assert effective_rank(np.ones((10, 3))) == 0 and effective_rank(np.zeros((0, 3))) == 0
    values = np.array([3.0, 1.0])
    shares = values / 4
    by_hand = math.exp(-(shares * np.log(shares)).sum())
    assert effective_rank(np.diag([3.0, 1.0, 0, 0])[[0, 0, 1, 1]] * [[1], [-1], [1], [-1]]) == pytest.approx(by_hand)


def test_spread_is_one_for_random_directions_and_zero_for_one_direction():
    rng = np.random.default_rng(0)
    assert dimension_std(rng.normal(size=(4000, 64))) == pytest.approx(1, abs=0.02)
    assert dimension_std(np.outer(rng.random(20) + 1, np.ones(8))) == pytest.approx(0, abs=1e-7)
    found = spread_of(np.array([[0.0, 0.0], [1, 0], [0, 1], [np.nan, 1]]))
    assert found.texts == 2, "neither zero nor non-finite vectors count"


def test_a_collapse_is_said_against_what_was_before():
    dog = Watchdog()
    assert dog.look(steps=0, spread=healthy(), judged=None) == []
    assert dog.look(steps=10, spread=healthy(30, 0.7), judged=None) == []
    (notice,) = dog.look(steps=20, spread=healthy(2, 0.5), judged=None)
    assert notice.code == "W-COLLAPSE" and "2 directions" in notice.message and "against 50" in notice.message
    assert codes(dog.look(steps=30, spread=healthy(40, 0.05), judged=None)) == ["W-COLLAPSE"]


def test_a_loss_that_does_not_fall_is_said_after_a_hundred_steps():
    dog = Watchdog()
    for _ in range(99):
        dog.losses.append(4.16)
    assert dog.look(steps=99, spread=None, judged=None) == []
    dog.losses.append(4.16)
    (notice,) = dog.look(steps=100, spread=None, judged=None)
    assert notice.code == "W-NOT-LEARNING" and "4.16" in notice.message
    learning = Watchdog(losses=[4.0 - 0.01 * step for step in range(200)])
    assert learning.look(steps=200, spread=None, judged=None) == []
    negative = Watchdog(losses=[-10 - 0.01 * step for step in range(200)])
    assert negative.look(steps=200, spread=None, judged=None) == [], "corinfomax has negative losses"
    stuck = Watchdog(losses=[-10.0] * 200)
    assert codes(stuck.look(steps=200, spread=None, judged=None)) == ["W-NOT-LEARNING"]


def share(value: float) -> Measurement:
    return Measurement(value=value, error=0.02)


def test_falling_accuracy_is_said_since_its_best_step_and_not_for_one_low_point():
    dog = Watchdog()
    assert dog.look(steps=0, spread=None, judged=share(0.4)) == []
    assert dog.look(steps=10, spread=None, judged=share(0.6)) == []
    assert dog.look(steps=20, spread=None, judged=share(0.5)) == [], "one low point may be chance"
    (notice,) = dog.look(steps=30, spread=None, judged=share(0.5))
    assert notice.code == "W-KNN-FALLING" and "since step 10" in notice.message
    assert dog.look(steps=40, spread=None, judged=share(0.58)) == [], "within two standard errors"


def test_ranks_are_one_when_each_finds_its_own_and_half_way_when_nothing_is_told_apart():
    points = np.random.default_rng(0).normal(size=(9, 4))
    assert rank_of_own(points, points) == 1
    assert rank_of_own(np.ones((9, 4)), np.ones((9, 4))) == 5
    candidates = np.array([[0.0], [1.0], [2.0]])
    assert rank_of_own(np.array([[0.0], [0.1], [0.2]]), candidates) == pytest.approx((1 + 2 + 3) / 3)


def test_a_tenth_of_the_texts_with_two_summaries_is_held_out():
    summaries = [["a", "b"]] * 100 + [["a"], ["a", "a"], None] * 10
    rows = held_out_rows(summaries, range(130), seed=0)
    assert len(rows) == 10 and rows.max() < 100 and (rows == held_out_rows(summaries, range(130), seed=0)).all()
    assert len(held_out_rows([["a", "b"]] * 20_000, range(20_000), seed=0)) == 900
