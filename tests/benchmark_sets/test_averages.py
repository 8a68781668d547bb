"""The papers' averages on numbers that can be checked on paper, and none before a set is whole."""

import pytest

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import BLOCKS, average_by_type, block_average, plain_average, weighted_average


def test_block_average_gives_each_block_the_same_weight():
    scores = {task: 10.0 * number for number, tasks in enumerate(BLOCKS.values(), 1) for task in tasks}
    found = block_average(scores)
    assert found.value == 25 and found.groups == {"clustering": 10, "reranking": 20, "retrieval": 30, "STS": 40}


def test_blocks_are_rounded_to_one_decimal_before_they_are_averaged():
    scores = dict.fromkeys((task for tasks in BLOCKS.values() for task in tasks), 50.0)
    assert block_average(scores | {"ArguAna": 50.26}).value == pytest.approx((50 + 50 + 50.1 + 50) / 4)


def test_no_average_before_the_last_task():
    scores = dict.fromkeys((task for tasks in BLOCKS.values() for task in tasks), 50.0)
    scores.pop("STS16")
    assert block_average(scores).value is None and block_average(scores).groups["STS"] == 50
    assert plain_average({"a": 1.0}, ("a", "b")).value is None and plain_average({"a": 1.0, "b": 2.0}).value == 1.5
    assert block_average({}).value is None and plain_average({}).value is None


def test_the_average_by_type_is_the_plain_mean_of_all_tasks():
    types = {"a": "STS", "b": "STS", "c": "Retrieval"}
    found = average_by_type({"a": 1.0, "b": 2.0, "c": 9.0}, types)
    assert found.groups == {"STS": 1.5, "Retrieval": 9.0} and found.value == pytest.approx(4.0)
    assert average_by_type({"a": 1.0, "c": 9.0}, types).value is None
    assert weighted_average({"x": 10, "y": 20}, {"x": 3, "y": 1}) == 12.5


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.key)
def test_a_constant_score_averages_to_itself(benchmark):
    found = benchmark.average({task.key: 42.0 for task in benchmark.tasks})
    assert found.value == pytest.approx(42) and benchmark.average({}).value is None
