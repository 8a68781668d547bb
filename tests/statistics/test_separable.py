"""Which rows are marked: the best always, the level by Bonferroni, only the same units, lower where lower is better."""

import numpy as np
import pytest

from embedlab.measurement import Difference
from embedlab.metrics.knn import KNN
from embedlab.statistics.intervals import paired_shares
from embedlab.statistics.separable import (
    ABOVE,
    BEST,
    INSEPARABLE,
    NOT_COMPARED,
    REFERENCE,
    WORSE,
    compared,
    measured_on,
)


def answers(right: int, n: int = 100) -> dict:
    """``right`` of n texts are right: the first ones."""
    return {"rows": np.arange(n), "correct": np.arange(n) < right}


def marks(rows: dict[str, dict], **asked) -> dict[str, str]:
    values = {key: float(units["correct"].mean()) for key, units in rows.items()}
    found = compared(values=values, units=rows, difference=KNN.difference, **asked)
    return {key: standing.mark for key, standing in found.standings.items()}


def test_two_rows_by_hand():
    # n = 100, b = 0, c = 10: p1 = 1/102, p2 = 11/102, d = -10/102 = -.098, half = 1.96 √((12/102 - .0096)/102) = .0638
    found = compared(values={"a": 0.9, "b": 0.8}, units={"a": answers(90), "b": answers(80)}, difference=KNN.difference)
    assert found.best == "a" and found.level == pytest.approx(0.95) and found.compared == 2
    to_best = found.standings["b"].to_best
    assert found.standings["b"].mark == WORSE
    assert (to_best.value, to_best.low, to_best.high) == pytest.approx((-0.1, -0.1618, -0.0343), abs=2e-4)
    assert marks({"a": answers(90), "b": answers(88)}) == {"a": BEST, "b": INSEPARABLE}


@pytest.mark.parametrize(("m", "level"), [(2, 0.95), (3, 0.975), (6, 0.99), (21, 0.9975)])
def test_the_level_is_five_percent_over_all_intervals_together(m, level):
    asked = []

    def difference(*, before, after, level):
        asked.append(level)
        return Difference(0.0, -1.0, 1.0, 100)

    rows = {str(key): answers(50 + key) for key in range(m)}
    found = compared(values={key: 0.0 for key in rows}, units=rows, difference=difference)
    assert asked == pytest.approx([level] * (m - 1)) and found.level == pytest.approx(level)


def test_more_rows_make_the_same_difference_inseparable():
    pair = {"a": answers(90), "b": answers(83)}
    assert marks(pair)["b"] == WORSE
    assert marks(pair | {f"x{number}": answers(90) for number in range(30)})["b"] == INSEPARABLE


@pytest.mark.parametrize("seed", range(20))
def test_the_best_is_always_marked_and_none_is_better(seed):
    rng = np.random.default_rng(seed)
    rows = {str(key): {"rows": np.arange(80), "correct": rng.random(80) < rng.random()} for key in range(6)}
    values = {key: units["correct"].mean() for key, units in rows.items()}
    found = compared(values=values, units=rows, difference=KNN.difference)
    assert values[found.best] == max(values.values()) and found.standings[found.best].is_marked
    assert sum(standing.mark == BEST for standing in found.standings.values()) == 1
    for key, standing in found.standings.items():  # the marks are those of the intervals, computed here again
        if key != found.best:
            known = paired_shares(before=rows[found.best]["correct"], after=rows[key]["correct"], level=0.99)
            assert (standing.mark == WORSE) == (known.high < 0)


def test_lower_is_better_where_the_metric_says_so():
    def difference(*, before, after, level):
        d = float(after["ranks"].mean() - before["ranks"].mean())
        return Difference(d, d - 1, d + 1, 60)

    values = {"slow": 9.0, "near": 5.5, "fast": 5.0}
    rows = {name: {"rows": np.arange(60), "ranks": np.full(60, rank)} for name, rank in values.items()}
    asked = {"values": values, "units": rows, "difference": difference, "higher_is_better": False}
    found = compared(**asked)
    told = {key: standing.mark for key, standing in found.standings.items()}
    assert told == {"slow": WORSE, "near": INSEPARABLE, "fast": BEST}
    above = compared(**asked, references=["fast"])
    assert above.best == "near" and above.standings["fast"].mark == REFERENCE
    assert above.standings["slow"].to_best.value == 3.5


def test_rows_on_other_texts_are_not_compared_and_said_so():
    other = answers(99)
    other["rows"] = other["rows"] + 1
    rows = {"other": other, "a": answers(60), "b": answers(58)}
    values = {"other": 0.99, "a": 0.6, "b": 0.58, "without": 0.97}
    found = compared(values=values, units=rows | {"without": None}, difference=KNN.difference)
    assert {key: standing.mark for key, standing in found.standings.items()} == {
        "other": NOT_COMPARED, "a": BEST, "b": INSEPARABLE, "without": NOT_COMPARED,
    }  # fmt: skip
    assert found.standings["other"].why == "measured on other texts" and found.compared == 2
    assert found.standings["without"].why == "its predictions were not stored"


def test_the_same_texts_in_another_order_are_the_same():
    units = answers(70)
    turned = {name: array[::-1] for name, array in units.items()}
    assert measured_on(units) == measured_on(turned) != measured_on(answers(70, n=99))
    assert marks({"a": units, "b": turned}) == {"a": BEST, "b": INSEPARABLE}


def test_references_are_set_against_the_best_and_are_not_counted():
    rows = {"reference": answers(99), "weak": answers(10), "a": answers(80), "b": answers(60), "near": answers(81)}
    found = compared(
        values={key: units["correct"].mean() for key, units in rows.items()},
        units=rows,
        difference=KNN.difference,
        references=["reference", "weak", "near"],
    )
    assert found.best == "a" and found.compared == 2 and found.level == pytest.approx(0.95)
    assert {key: standing.mark for key, standing in found.standings.items()} == {
        "reference": ABOVE, "weak": REFERENCE, "near": REFERENCE, "a": BEST, "b": WORSE,
    }  # fmt: skip


def test_one_row_has_nothing_to_be_compared_with_and_few_texts_tell_nothing_apart():
    assert marks({"a": answers(60)}) == {"a": NOT_COMPARED}
    few = {"a": answers(40, n=40), "b": answers(5, n=40)}
    assert marks(few) == {"a": BEST, "b": WORSE} and marks(few, fewest=50) == {"a": BEST, "b": INSEPARABLE}


def test_rows_left_out_with_a_reason_are_never_the_best():
    rows = {"labels": answers(99), "a": answers(60), "b": answers(59)}
    assert marks(rows, left_out={"labels": "trained on labels"})["labels"] == NOT_COMPARED
    assert marks(rows, left_out={"labels": "trained on labels"})["a"] == BEST


def test_of_equal_values_the_first_is_the_best():
    assert marks({"a": answers(60), "b": answers(60)}) == {"a": BEST, "b": INSEPARABLE}
