"""Who goes on from a rung, and how many may enter; what is drawn for an encoder with prompts."""

from types import SimpleNamespace

from embedlab.config import validated
from embedlab.finds.model import Candidate
from embedlab.finds.sampler import Sampler, TrainingWay, end_of, more_entrants, promoted
from embedlab.prompts import Prompts
from embedlab.training.settings import RunSettings


def test_the_better_third_goes_on_best_first():
    values = {"a": 0.1, "b": 0.6, "c": 0.3, "d": 0.5, "e": 0.2, "f": 0.4}
    assert promoted(values) == ["b", "d"]


def test_of_equal_values_the_earlier_goes_on():
    assert promoted({"a": 0.5, "b": 0.5, "c": 0.5}) == ["a"]


def test_one_of_two_goes_on_and_nobody_of_nobody():
    assert promoted({"a": 0.2, "b": 0.3}) == ["b"]
    assert promoted({}) == []


def test_as_many_enter_as_fit_to_the_nearest_and_never_more_than_81():
    assert more_entrants(4.5, 112.5) == 25
    assert more_entrants(10, 16) == 2 and more_entrants(10, 4) == 0
    assert more_entrants(10, -30) == 0
    assert more_entrants(0.0, 10) == 81


def test_the_length_counts_in_the_last_rung_alone():
    assert [end_of(rung, 90, 90) for rung in range(3)] == [10, 30, 90]
    assert [end_of(rung, 90, 180) for rung in range(3)] == [10, 30, 180]
    assert [end_of(rung, 90, 45) for rung in range(3)] == [10, 30, 45]
    assert [end_of(rung, 3, 3) for rung in range(3)] == [1, 1, 3]


def drawn(sampler: Sampler, count: int) -> list[dict]:
    parameters = [sampler.ask(number) for number in range(count)]
    for number in range(count):
        sampler.tell(number, 0.5)
    return parameters


def test_an_encoder_with_prompts_is_tried_with_and_without_them(tmp_path):
    ways = [TrainingWay("words", "crops"), TrainingWay("e5", "crops", has_prompts=True),
            TrainingWay("e5", "simcse", has_prompts=True)]  # fmt: skip
    sampler = Sampler(SimpleNamespace(journal=tmp_path / "journal"), ways, seed=0, first=[ways[0].usual])
    assert sampler.enqueued == 4, "each way as usual, and each encoder with prompts once without"
    parameters = drawn(sampler, 8)
    assert [each["prompts"] for each in parameters[:4]] == ["own", "own", "own", "none"]
    assert parameters[3]["way"] == "e5/crops"
    settings = [validated(RunSettings, {"corpus": "x", **ways[1].settings(each)}) for each in parameters[2:4]]
    e5 = Prompts(by_name={"query": "query: ", "passage": "passage: "}, default_name="query")
    roles = ("document", "query", "default")
    assert [e5.changed(settings[0].prompts).of(role) for role in roles] == ["passage: ", "query: ", "query: "]
    assert [e5.changed(settings[1].prompts).of(role) for role in roles] == ["", "", ""]
    assert "prompts" not in ways[0].settings({**parameters[0], "prompts": "none"})
    without = Candidate(key="t00", kind="trained", title="a", settings=ways[1].settings(parameters[3]))
    assert "prompts none" in without.settings_line


def test_without_any_prompts_nothing_more_is_drawn(tmp_path):
    sampler = Sampler(SimpleNamespace(journal=tmp_path / "journal"), [TrainingWay("words", "crops")], seed=0)
    assert all(each.keys() == {"way", "temperature", "rate", "batch"} for each in drawn(sampler, 3))
