"""Seeds pooled: variance and degrees of freedom by hand, and of whom the sentence speaks."""

import numpy as np
import pytest
from scipy import stats

from embedlab.measurement import Difference
from embedlab.statistics.intervals import paired_shares
from embedlab.statistics.seeds import pooled, pooled_seeds, seeds_sentence


def test_two_runs_of_four_texts_by_hand():
    # means over seeds 1, .5, 0, −.5: variance .416667, /4 = .104167; seeds .5 and 0: variance .125, /2 = .0625
    changes = np.array([[1, 1, 0, 0], [1, 0, 0, -1]])
    found = pooled_seeds(changes)
    variance = 0.104167 + 0.0625
    freedom = variance**2 / (0.104167**2 / 3 + 0.0625**2 / 1)
    half = stats.t.ppf(0.975, freedom) * variance**0.5
    assert found.value == 0.25 and found.n == 4
    assert (found.low, found.high) == pytest.approx((0.25 - half, 1.0), abs=1e-5)  # 0.25 + 1.06 is cut at 1


def test_the_order_of_seeds_and_of_texts_changes_nothing_and_the_sign_mirrors():
    rng = np.random.default_rng(0)
    changes = rng.choice([-1, 0, 1], size=(4, 200), p=[0.1, 0.6, 0.3])
    found = pooled_seeds(changes)
    shuffled = pooled_seeds(changes[::-1][:, rng.permutation(200)])
    mirrored = pooled_seeds(-changes)
    assert (found.low, found.high) == pytest.approx((shuffled.low, shuffled.high))
    assert (found.low, found.high) == pytest.approx((-mirrored.high, -mirrored.low))


def test_seeds_that_differ_widen_the_interval_and_many_alike_narrow_it():
    rng = np.random.default_rng(1)
    alike = rng.choice([0, 1], size=(5, 400), p=[0.8, 0.2])
    apart = np.concatenate([alike[:3], 0 * alike[3:]])
    width = {
        name: np.ptp([p.low, p.high]) for name, p in (("alike", pooled_seeds(alike)), ("apart", pooled_seeds(apart)))
    }
    assert width["apart"] > 2 * width["alike"]


def test_one_run_is_its_own_paired_interval_and_runs_without_any_change_have_a_width():
    one = np.array([[1] * 20 + [-1] * 5 + [0] * 75])
    assert pooled_seeds(one) == paired_shares(before=one[0] < 0, after=one[0] > 0)
    still = pooled_seeds(np.zeros((3, 100)))
    assert still.low < 0 < still.high


def test_only_three_seeds_speak_of_the_recipe():
    found = Difference(0.21, 0.19, 0.23, 422)
    assert seeds_sentence(found, 3, "cosine") == (
        "This recipe, 3 seeds together: +21.0 points (95 %: 19.0 … 23.0) with cosine on 422 test texts."
    )
    assert seeds_sentence(found, 2, "cosine").startswith("These runs, 2 seeds together: +21.0 points ")
    assert "recipe" not in seeds_sentence(found, 2, "cosine")
    assert seeds_sentence(found, 1, "cosine").startswith("This is one seed. Train three to judge the recipe")
    assert "over ten folds of 422 labeled texts" in seeds_sentence(found, 4, "euclidean", "folds")


def test_texts_of_ten_folds_make_the_interval_wider_and_the_mean_no_other():
    """sd of the texts' means is √(2/3) for 1, 0, −1: the part of the texts alone is widened."""
    changes = np.tile([1, 0, -1], (3, 1))
    plain, wide = pooled(changes), pooled(changes, widened=1.45)
    assert wide.value == plain.value == 0 and wide.error == pytest.approx(1.45 * np.sqrt(1 / 3))
