"""Seeds pooled: by hand, against the binomial error, and the same interval as pooled differences have."""

import numpy as np
import pytest
from scipy.stats import t

from embedlab.statistics.seeds import pooled, pooled_seeds, pooled_shares


def test_one_seed_has_its_binomial_standard_error():
    found = pooled(np.array([[1, 1, 1, 0]]))
    assert (found.value, found.sd, found.n) == (0.75, None, 4)
    assert found.error == pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    assert found.high - found.value == pytest.approx(1.96 * found.error, rel=1e-4)


def test_two_seeds_by_hand():
    found = pooled(np.array([[1, 1, 0, 0], [1, 0, 0, 0]]))  # means of the texts 1, .5, 0, 0; of the seeds .5, .25
    of_texts = (0.625**2 + 0.125**2 + 2 * 0.375**2) / 3 / 4
    of_seeds = (2 * 0.125**2) / 1 / 2
    assert found.value == 0.375 and found.sd == pytest.approx(np.sqrt(2 * 0.125**2))
    assert found.error == pytest.approx(np.sqrt(of_texts + of_seeds))
    freedom = (of_texts + of_seeds) ** 2 / (of_texts**2 / 3 + of_seeds**2 / 1)
    assert found.high - found.value == pytest.approx(t.ppf(0.975, freedom) * found.error)


def test_the_interval_is_that_of_pooled_differences_to_nothing():
    units = np.random.default_rng(0).integers(0, 2, (3, 200))
    ours, theirs = pooled(units), pooled_seeds(units)
    assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high))


def test_seeds_that_differ_widen_the_error_and_order_does_not_matter():
    rng = np.random.default_rng(1)
    alike = rng.integers(0, 2, (1, 300)).repeat(3, axis=0)
    apart = alike.copy()
    apart[0, :60], apart[1, :60] = 0, 1
    assert pooled(apart).error > pooled(alike).error
    assert pooled(apart[::-1]).error == pytest.approx(pooled(apart).error)


def test_shares_alone_take_the_binomial_part():
    found = pooled_shares([0.5, 0.6], 100)
    assert found.value == pytest.approx(0.55) and found.sd == pytest.approx(np.sqrt(0.005))
    assert found.error == pytest.approx(np.sqrt(0.55 * 0.45 / 100 + 0.005 / 2))
    assert pooled_shares([0.5], 100).error == pytest.approx(0.05) and pooled_shares([0.5], 100).sd is None


def test_all_texts_right_in_all_seeds_is_no_certainty():
    for found in (pooled(np.ones((3, 4))), pooled(np.ones((1, 4))), pooled_shares([1.0, 1.0, 1.0], 4)):
        assert (found.value, found.error) == (1.0, 0.0)
        assert (found.low, found.high) == pytest.approx((4 / (4 + 1.96**2), 1.0), abs=1e-4)  # Wilson: n/(n + z²)
    none = pooled(np.zeros((3, 4)))
    assert (none.low, none.high) == pytest.approx((0.0, 1.96**2 / (4 + 1.96**2)), abs=1e-4)
