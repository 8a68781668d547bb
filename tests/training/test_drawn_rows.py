"""Fewer texts to train on: so many, drawn by the seed, a smaller number within a larger; measured on all."""

import numpy as np

from embedlab.training.preparation import drawn_rows


def test_so_many_rows_in_order_and_all_where_there_are_no_more():
    rows = np.arange(100, 200)
    few = drawn_rows(rows, 10, seed=0)
    assert len(few) == 10 and set(few) <= set(rows) and list(few) == sorted(few)
    assert drawn_rows(rows, None, seed=0) is rows and drawn_rows(rows, 100, seed=0) is rows
    assert drawn_rows(rows, 500, seed=0) is rows


def test_a_smaller_number_lies_within_a_larger_one_and_seeds_differ():
    rows = np.arange(1000)
    small, large = drawn_rows(rows, 50, seed=3), drawn_rows(rows, 400, seed=3)
    assert set(small) < set(large)
    assert set(small) != set(drawn_rows(rows, 50, seed=4)) and list(small) == list(drawn_rows(rows, 50, seed=3))


def test_the_rows_are_spread_over_the_file_and_not_the_first_ones():
    drawn = drawn_rows(np.arange(10_000), 1000, seed=0)
    assert 4700 < drawn.mean() < 5300  # 4,999.5 expected, standard error 87
