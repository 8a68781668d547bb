"""Paired intervals: by hand, by scipy, extremes, and what too few units say."""

import numpy as np
import pytest
from scipy import stats

from embedlab.statistics.intervals import (
    counted_shares,
    interval_of_share,
    normal,
    paired_bootstrap,
    paired_means,
    paired_shares,
)


def test_a_paired_mean_is_scipys_paired_t():
    rng = np.random.default_rng(0)
    before, after = rng.random(40), rng.random(40)
    found = paired_means(before=before, after=after)
    theirs = stats.ttest_rel(after, before).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert found.value == pytest.approx((after - before).mean()) and found.n == 40


def test_queries_without_a_number_on_either_side_are_left_out():
    found = paired_means(before=np.array([0.0, np.nan, 0.2, 0.1]), after=np.array([0.5, 0.9, np.nan, 0.4]))
    assert found.n == 2 and found.value == pytest.approx(0.4)


@pytest.mark.parametrize("units", [0, 1])
def test_one_unit_says_nothing_of_its_spread(units):
    found = paired_means(before=np.zeros(units), after=np.ones(units))
    assert (found.low, found.high) == (-np.inf, np.inf) and not found.is_clear
    found = paired_bootstrap(lambda weights: (0.25, 1.0), units)
    assert (found.value, found.low, found.high) == (0.75, -np.inf, np.inf)


def test_two_units_have_an_interval_and_a_share_has_one_within_nought_and_one():
    found = paired_means(before=np.zeros(2), after=np.array([0.1, 0.3]))
    assert found.value == pytest.approx(0.2) and found.high - found.value == pytest.approx(12.706 * 0.1, rel=1e-3)
    assert interval_of_share(0.5, 0.1) == pytest.approx({"low": 0.304, "high": 0.696})
    assert interval_of_share(0.02, 0.1)["low"] == 0 and interval_of_share(0.98, 0.1)["high"] == 1


def test_shares_stay_between_minus_one_and_one_and_no_text_says_nothing():
    everything = paired_shares(before=np.zeros(60, bool), after=np.ones(60, bool))
    assert everything.value == 1 and everything.high == 1 and everything.low > 0.85
    nothing = paired_shares(before=np.empty(0, bool), after=np.empty(0, bool))
    assert (nothing.value, nothing.low, nothing.high, nothing.n) == (0, -1, 1, 0)


def test_different_texts_are_not_compared():
    with pytest.raises(ValueError, match="found 3 and 4"):
        paired_shares(before=np.ones(3, bool), after=np.ones(4, bool))


def test_a_level_nearer_to_one_is_wider_and_the_factor_widens():
    levels = [counted_shares(n=200, gained=20, lost=10, level=level) for level in (0.9, 0.95, 0.99)]
    widths = [each.high - each.low for each in levels]
    assert widths == sorted(widths) and widths[0] < widths[1] < widths[2]
    assert normal(0.95) == 1.96 and normal(0.99) == pytest.approx(2.5758, abs=1e-4)
    wide = counted_shares(n=200, gained=20, lost=10, widened=1.45)
    assert wide.high - wide.low == pytest.approx(1.45 * widths[1]) and wide.value == 0.05


def test_the_bootstrap_agrees_with_scipys_percentiles_and_repeats_itself():
    rng = np.random.default_rng(1)
    before, after = rng.random(80), rng.random(80) + 0.1

    def means(weights):
        return np.average(before, weights=weights), np.average(after, weights=weights)

    found = paired_bootstrap(means, 80)
    theirs = stats.bootstrap(
        (after - before,), np.mean, n_resamples=2000, method="percentile", random_state=np.random.default_rng(9)
    ).confidence_interval
    assert found.value == pytest.approx((after - before).mean())
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.012)
    assert paired_bootstrap(means, 80) == found != paired_bootstrap(means, 80, seed=1)


def test_resamples_without_a_value_are_left_out():
    def defined_only_with_the_first(weights):
        return 0.0, float(weights[0]) if weights[0] else np.nan

    found = paired_bootstrap(defined_only_with_the_first, 5, resamples=200)
    assert found.low >= 1 and np.isfinite(found.high)
    assert paired_bootstrap(lambda weights: (0.0, np.nan), 5, resamples=5).high == np.inf
