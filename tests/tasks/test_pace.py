"""When a run is looked at and when it has been looked at enough, by hand."""

from types import SimpleNamespace

import pytest

from embedlab.config import validated
from embedlab.tasks.fine_tune.pace import Pace, steps_between_points
from embedlab.training.loop import Step
from embedlab.training.settings import RunSettings


def pace(curve=None, *, planned: int = 200, **asked) -> Pace:
    return Pace(validated(RunSettings, {"corpus": "x", "recipe": "sentences", **asked}), planned, curve)


def curve(*, since_best: int = 0, can_judge: bool = True) -> SimpleNamespace:
    return SimpleNamespace(points_since_best=since_best, can_judge=can_judge, steps_between=lambda seconds: 7)


def after(steps: int) -> Step:
    return Step(steps, texts=0, seconds=float(steps), learning_rate=0.0, terms={})


@pytest.mark.parametrize(("steps", "upcoming"), [(0, 20), (19, 20), (20, 40), (199, 200)])
def test_a_fitted_length_has_ten_points_wherever_it_goes_on_from(steps, upcoming):
    assert pace(curve(), encoder="words").next_after(after(steps)) == upcoming


def test_what_is_asked_comes_first_else_the_time_decides():
    assert pace(curve(), encoder="words", evaluate_every=6).next_after(after(6)) == 12
    by_time = pace(curve(), encoder="minilm")
    assert by_time.next_after(after(0)) == 4 and by_time.next_after(after(50)) == 57
    assert steps_between_points(by_time.settings, 200) is None
    assert pace(None, encoder="words").next_after(after(0)) == float("inf")


@pytest.mark.parametrize(
    ("since_best", "asked", "is_enough"),
    [
        (2, {"encoder": "words"}, False),
        (3, {"encoder": "words"}, True),
        (3, {"encoder": "words", "early_stopping": 5}, False),
        (99, {"encoder": "minilm"}, False),
        (1, {"encoder": "minilm", "early_stopping": 1}, True),
    ],
)
def test_patience(since_best, asked, is_enough):
    assert pace(curve(since_best=since_best), **asked).is_enough == is_enough


def test_where_nothing_can_judge_a_fitted_length_is_gone_to_its_end():
    assert not pace(curve(since_best=99, can_judge=False), encoder="words").is_enough
    assert not pace(None, encoder="words").is_enough
