"""How vectors lie in their space: values by hand, and what rotation and independence must give."""

import numpy as np
import pytest

from embedlab.statistics.geometry import (
    alignment,
    effective_rank,
    hubness,
    k_occurrence,
    linear_cka,
    mean_cosine,
    uniformity,
    variance_shares,
)

RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(400, 12))
ROTATION = np.linalg.qr(RNG.normal(size=(12, 12)))[0]
SQUARE = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])


def test_variance_shares_by_hand_and_of_equal_vectors():
    assert variance_shares(np.array([[3.0, 0], [-3, 0], [0, 1], [0, -1]]), 50) == pytest.approx([0.9, 0.1])
    assert variance_shares(np.ones((5, 3)), 50).sum() == 0
    assert len(variance_shares(CLOUD, 5)) == 5 and (np.diff(variance_shares(CLOUD, 50)) <= 0).all()


def test_the_effective_rank_of_an_isotropic_cloud_is_near_its_dimension_and_of_a_line_one():
    assert 11.8 < effective_rank(CLOUD) <= 12
    assert effective_rank(np.outer(np.arange(50.0), np.ones(7))) == pytest.approx(1)
    assert effective_rank(np.ones((9, 4))) == 0


def test_the_mean_cosine_is_of_pairs_of_different_rows():
    assert mean_cosine(SQUARE * [[2.0]]) == pytest.approx((2 * -1 + 4 * 0) / 6)
    unit = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    pairs = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
    assert mean_cosine(CLOUD) == pytest.approx(pairs.mean(), abs=1e-12)


def test_uniformity_by_hand_and_the_same_after_a_rotation():
    # two of the six pairs are opposite, ‖x−y‖² = 4; four at a right angle, 2
    assert uniformity(SQUARE) == pytest.approx(np.log((2 * np.exp(-8) + 4 * np.exp(-4)) / 6))
    assert uniformity(np.tile([1.0, 2.0], (5, 1))) == pytest.approx(0)
    assert uniformity(CLOUD @ ROTATION) == pytest.approx(uniformity(3 * CLOUD))


def test_alignment_is_the_mean_squared_distance_at_length_one():
    assert alignment(np.array([[2.0, 0], [1, 0]]), np.array([[5.0, 0], [0, 3]])) == pytest.approx((0 + 2) / 2)


def test_how_often_a_row_is_a_neighbor():
    assert k_occurrence(np.array([[1, 2], [0, 2], [1, -1]])).tolist() == [1, 2, 2]


def test_cka_is_one_for_what_is_turned_and_scaled_and_about_nought_for_independent_clouds():
    assert linear_cka(CLOUD, 7 * CLOUD @ ROTATION + 3) == pytest.approx(1)
    one, other = (np.random.default_rng(seed).normal(size=(500, 384)) for seed in (1, 2))
    assert abs(linear_cka(one, other)) < 0.05  # the biased estimator gives 0.43
    assert np.isnan(linear_cka(CLOUD[:3], CLOUD[:3])) and np.isnan(linear_cka(np.ones((9, 3)), np.ones((9, 3))))


def test_cka_by_hand():
    """The unbiased HSIC as a mean over all quadruples of different texts (Song 2012, Eq. 3 before summing)."""
    from itertools import permutations

    one, other = CLOUD[:6, :2], CLOUD[:6, 2:5] + CLOUD[:6, :1]

    def hsic(left, right):
        k, m = left @ left.T, right @ right.T
        quads = list(permutations(range(6), 4))
        return np.mean([k[i, j] * (m[i, j] + m[q, r] - 2 * m[i, q]) for i, j, q, r in quads])

    expected = hsic(one, other) / np.sqrt(hsic(one, one) * hsic(other, other))
    assert linear_cka(one, other) == pytest.approx(expected)


def test_cka_needs_four_texts():
    assert linear_cka(CLOUD[:4], 2 * CLOUD[:4] + 1) == pytest.approx(1)


def test_hubness_is_the_skewness_of_being_among_the_nearest_by_cosine():
    rows, times = CLOUD[:30] + 0.5, np.zeros(30)
    for row in range(30):
        cosine = [np.dot(rows[row], each) / np.linalg.norm(each) if n != row else -9 for n, each in enumerate(rows)]
        times[np.argsort(cosine)[-5:]] += 1
    apart = times - times.mean()
    assert hubness(rows, k=5) == pytest.approx((apart**3).mean() / (apart**2).mean() ** 1.5)
    assert hubness(CLOUD[:11], k=10) is None and hubness(CLOUD[:12], k=10) is not None
