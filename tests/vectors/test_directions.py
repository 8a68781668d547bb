"""Directions of a matrix: the rank rule by hand, signs, and a decomposition that gives the same bits each time."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_info, threadpool_limits

from embedlab.vectors.directions import are_directions, one_blas_thread, signs_of, truncated_svd

# rows 1 and 3 are the same: the squares of the singular values are 2 · 9 = 18 and 4
OF_RANK_TWO = np.array([[3.0, 0, 0, 0], [0, 2, 0, 0], [3, 0, 0, 0]])


@pytest.mark.parametrize("most", [2, 3, 100])
@pytest.mark.parametrize("kind", [np.array, csr_matrix])
def test_a_matrix_of_rank_two_has_two_directions(kind, most):
    directions, values = truncated_svd(kind(OF_RANK_TWO), most)
    assert values == pytest.approx([18**0.5, 2])
    assert directions == pytest.approx(np.eye(4)[:, :2])


@pytest.mark.parametrize("shape", [(300, 200), (200, 300)])
def test_directions_beyond_the_rank_are_left_out_of_a_large_matrix_too(shape):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(shape[0], 7)) @ rng.normal(size=(7, shape[1]))
    matrix[1::2] = matrix[::2]
    directions, values = truncated_svd(csr_matrix(matrix), 100)
    assert directions.shape == (shape[1], 7) and len(values) == 7
    assert values == pytest.approx(np.linalg.svd(matrix)[1][:7])
    assert (matrix @ directions) @ directions.T == pytest.approx(matrix, abs=1e-9)


def test_the_rule_by_hand():
    eps = np.finfo(np.float64).eps
    values = np.array([2.0, 21 * eps, 20 * eps, 1e-300, 0.0])  # the floor: eps · 10 · 2
    assert are_directions(values, (3, 10)).tolist() == [True, True, False, False, False]
    assert are_directions(np.array([1, 1e-5, 1e-7], np.float32), (100, 3)).tolist() == [True, False, False]
    assert not are_directions(np.zeros(3), (3, 3)).any() and len(are_directions(np.zeros(0), (0, 3))) == 0


def test_the_same_bits_each_time_at_any_number_of_threads():
    rng = np.random.default_rng(0)
    matrix = np.repeat(rng.normal(size=(30, 250)), 8, axis=0)  # rank 30 of 240: the iteration starts anew
    with threadpool_limits(1):
        first = truncated_svd(matrix, 100)
    with threadpool_limits(2):
        others = [truncated_svd(matrix, 100) for _ in range(3)]
    for other in others:
        assert all(np.array_equal(one, again) for one, again in zip(first, other, strict=True))


def test_the_first_of_the_largest_entries_of_a_direction_is_positive():
    directions = np.array([[0.5, -0.7, 0.0], [-0.8, 0.7 * (1 + 1e-15), -1.0]])
    assert signs_of(directions).tolist() == [-1, -1, -1]


def test_overlapping_limits_give_the_threads_back():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    assert set(threads()) == {1}
    first.__exit__(None, None, None)
    assert set(threads()) == {1}
    second.__exit__(None, None, None)
    assert threads() == before
