"""Marks of a comparison: below fifty test texts nothing is told apart."""

import numpy as np
import pytest

from embedlab.comparison.best import compare_group
from embedlab.comparison.rows import RUN, ComparedRow
from embedlab.metrics.base import MetricResult
from embedlab.runs.evaluations import CORPUS, Evaluations


def row(folder, name: str, right: int, texts: int) -> ComparedRow:
    """A row of which a linear probe was right on the first so many of its test texts."""
    units = {"rows": np.arange(texts), "correct": np.arange(texts) < right}
    Evaluations(folder / name).keep(CORPUS, "linear", "after", MetricResult(value=right / texts, units=units))
    return ComparedRow(name, RUN, name, "a" * 16, "toy", folder / name)


@pytest.mark.parametrize(("texts", "mark"), [(49, "not separable"), (50, "worse")])
def test_nothing_is_told_apart_on_fewer_than_fifty_texts(tmp_path, texts, mark):
    rows = [row(tmp_path, "all", texts, texts), row(tmp_path, "none", 0, texts)]
    assert compare_group(rows, CORPUS, "linear")["rows"]["none"]["mark"] == mark
