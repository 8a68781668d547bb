"""When a run is looked at, by hand."""

import pytest

from embedlab.config import validated
from embedlab.training.loop import TrainingStep
from embedlab.training.preparation import Pace, patience_of, steps_between_points, steps_in_time_of
from embedlab.training.settings import RunSettings


def settings(**asked) -> RunSettings:
    return validated(RunSettings, {"corpus": "x", "recipe": "sentences", **asked})


def pace(*, planned: int = 200, is_watched: bool = True, **asked) -> Pace:
    return Pace(settings(**asked), planned, is_watched)


def after(steps: int) -> TrainingStep:
    return TrainingStep(steps, texts=0, seconds=float(steps), learning_rate=0.0, terms={})


@pytest.mark.parametrize(("steps", "upcoming"), [(0, 20), (19, 20), (20, 40), (199, 200)])
def test_a_fitted_length_has_ten_points_wherever_it_goes_on_from(steps, upcoming):
    assert pace(encoder="words").next_after(after(steps), 1.0) == upcoming


def test_what_is_asked_comes_first_else_the_time_decides():
    assert pace(encoder="words", evaluate_every=6).next_after(after(6), 1.0) == 12
    by_time = pace(encoder="minilm")
    assert by_time.next_after(after(0), 1.75) == 4 and by_time.next_after(after(50), 1.75) == 57
    assert steps_between_points(by_time.settings, 200) is None
    assert pace(is_watched=False, encoder="words").next_after(after(0), 1.0) == float("inf")


def test_points_take_a_fifth_of_the_time():
    # a point of one second is paid for by four seconds of steps
    assert steps_in_time_of(1.0, 0.5) == 8 and steps_in_time_of(0.0, 1.0) == 1


@pytest.mark.parametrize(
    ("asked", "patience"),
    [
        ({"encoder": "words"}, 3),
        ({"encoder": "words", "early_stopping": 5}, 5),
        ({"encoder": "minilm"}, None),
        ({"encoder": "minilm", "early_stopping": 1}, 1),
    ],
)
def test_patience(asked, patience):
    assert patience_of(settings(**asked)) == patience
