"""t-SNE's gradient on a grid against sums over all pairs and against openTSNE's own."""

import numpy as np
import pytest
import scipy.sparse as sp
from openTSNE.tsne import kl_divergence_fft

from embedlab.maps import grid
from embedlab.maps.few_points import exact_gradient
from embedlab.maps.grid import GridGradient


def affinities(points: int, seed: int = 0) -> sp.csr_matrix:
    """Symmetric, without itself, sum 1."""
    found = sp.random(points, points, density=min(1, 60 / points), format="lil", random_state=seed)
    found.setdiag(0)
    found = sp.csr_matrix(found + found.T)
    found.eliminate_zeros()
    return found / found.sum()


def by_all_pairs(places: np.ndarray, p: sp.csr_matrix) -> tuple[float, np.ndarray]:
    """KL divergence and a quarter of its gradient: van der Maaten and Hinton 2008, equations 2 to 5."""
    apart = places[:, None] - places[None]
    near = 1 / (1 + (apart**2).sum(axis=-1))
    np.fill_diagonal(near, 0)
    full, q = p.toarray(), near / near.sum()
    there = full > 0
    divergence = (full[there] * np.log(full[there] / q[there])).sum()
    return divergence, (((full - q) * near)[..., None] * apart).sum(axis=1)


def error(found: np.ndarray, true: np.ndarray) -> float:
    return np.linalg.norm(found - true) / np.linalg.norm(true)


def test_two_points_by_hand():
    places, p = np.array([[0.0, 0.0], [1.0, 0.0]]), sp.csr_matrix([[0.0, 0.5], [0.5, 0.0]])
    divergence, gradient = GridGradient()(places, p, should_eval_error=True)  # q is p, wherever the two lie
    assert divergence == pytest.approx(0, abs=1e-6) and np.abs(gradient).max() < 1e-6
    _, doubled = GridGradient()(places, 2 * p)  # as exaggeration does: p − q = 1/2, nearness 1/2, one apart
    assert doubled[1].tolist() == pytest.approx([0.25, 0], abs=1e-6)


@pytest.mark.parametrize("size", [1e-4, 0.3, 5, 30])
def test_it_is_the_gradient_of_all_pairs_at_every_size_and_place(size):
    places = np.random.default_rng(1).normal(size=(900, 2)) * [size, 0.4 * size] + [70, -9]
    p = affinities(900)
    divergence, gradient = GridGradient()(places, p, should_eval_error=True)
    true_divergence, true = by_all_pairs(places, p)
    _, theirs = kl_divergence_fft(
        places, p, dof=1, fft_params={"n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1}
    )
    assert divergence == pytest.approx(true_divergence, abs=5e-3)
    assert error(gradient, true) < 0.025 and error(gradient, true) < max(1.5 * error(theirs, true), 1e-9)
    assert np.abs(gradient.sum(axis=0)).max() < 2e-3 * np.abs(gradient).sum()  # what pushes is pushed back


@pytest.mark.parametrize("size", [1e-4, 5, 30])
def test_pair_by_pair_it_is_exact(size):
    places, p = np.random.default_rng(5).normal(size=(900, 2)) * size, affinities(900)
    divergence, gradient = exact_gradient(places, p, should_eval_error=True)
    true_divergence, true = by_all_pairs(places, p)
    assert divergence == pytest.approx(true_divergence, rel=1e-5) and error(gradient, true) < 1e-4
    assert exact_gradient(places, p)[0] == 0 and np.array_equal(exact_gradient(places, p)[1], gradient)


def test_finer_nodes_come_nearer(monkeypatch):
    places, p = np.random.default_rng(2).normal(size=(700, 2)) * 25, affinities(700)
    _, true = by_all_pairs(places, p)
    errors = []
    for spacing in (1.0, 0.5, 0.25, 0.125):
        monkeypatch.setattr(grid, "SPACING", spacing)
        errors.append(error(GridGradient()(places, p)[1], true))
    assert all(finer < coarser / 3 for coarser, finer in zip(errors, errors[1:], strict=False))


@pytest.mark.slow
def test_the_same_bits_at_any_number_of_threads_and_with_kernels_kept_or_not():
    rng, p = np.random.default_rng(3), affinities(9_000)
    kept = GridGradient()
    for size in (12, 20, 20, 4):  # the second time at this size the kernels are there already
        places = rng.normal(size=(9_000, 2)) * size
        first = kept(places, p, n_jobs=1, should_eval_error=True)
        for jobs in (1, 2, 3):
            other = GridGradient()(places, p, n_jobs=jobs, should_eval_error=True)
            assert first[0] == other[0] and np.array_equal(first[1], other[1])


@pytest.mark.parametrize("places", [np.ones((5, 2)), np.array([[1e6, 0], [-1e6, 3.0], [0, 0]])])
def test_points_on_one_spot_or_burst_apart_stay_numbers(places):
    p = affinities(len(places))
    divergence, gradient = GridGradient()(places, p, should_eval_error=True)
    assert np.isfinite(divergence) and np.isfinite(gradient).all()


def test_the_places_are_left_as_they_are():
    places = np.random.default_rng(4).normal(size=(50, 2))
    before = places.copy()
    GridGradient()(places, affinities(50))
    assert np.array_equal(places, before)
