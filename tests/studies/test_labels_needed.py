"""Labels needed to match: the whole interval lies above −2 points, by hand; one that touches zero is no match."""

import pytest

from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.measurement import Difference
from embedlab.studies import STUDIES
from embedlab.studies.answers import against_line, answer, labels_needed, matches
from embedlab.studies.kinds import MATCH_MARGIN
from embedlab.studies.plan import Cell
from embedlab.studies.points import line_of, points_of
from embedlab.studies.summary import summary


def right(texts: int, of: int = 1000) -> list[int]:
    return [1] * texts + [0] * (of - texts)


@pytest.fixture
def told(study_of, put):
    """``told({8: right(…), …}, line=right(…))``: the sentence of a study with these values, and the difference."""

    def made(values: dict, *, line, distance=EUCLIDEAN, **more):
        study, asked = study_of("labels-needed", values=tuple(values), seeds=(0,))
        put(study, Cell("line", None, 0), line)
        for value, found in values.items():
            put(study, Cell("value", value, 0), found, usable=value - 1, **more)
        points, base = points_of(study, asked, distance), line_of(study, asked, distance)
        said = labels_needed(points, base, recipe=asked.recipe, distance=distance)
        assert said == answer(asked, points, base, distance)
        return said, [against_line(point, base, distance) for point in points]

    return made


def test_a_match_is_an_interval_wholly_above_minus_two_points():
    assert MATCH_MARGIN == 0.02
    assert matches(Difference(0.0, -0.0199, 0.02, 500)) and not matches(Difference(0.0, -0.02, 0.02, 500))
    assert matches(Difference(-0.01, -0.019, -0.001, 9000))  # clearly below, but by less than the margin
    assert not matches(Difference(0.05, -0.03, 0.13, 50))  # may be above, may be far below: nothing is shown


def test_an_interval_that_only_touches_zero_matched_once_and_does_not_now(told):
    """Of 100 texts 3 are lost and none won: p1 = 1/102, p2 = 4/102, d = −.0294, half = 1.96·√((p1+p2−d²)/102) = .0426.

    The interval −7.2 … 1.3 has zero inside, which the old rule took for a match; its lower end lies 5.2 below −2.
    """
    said, (found,) = told({16: right(57, 100)}, line=right(60, 100))
    assert found.low == pytest.approx(-0.0720, abs=1e-4) and found.high == pytest.approx(0.0132, abs=1e-4)
    assert found.high >= 0, "what the old rule asked for"
    assert said == (
        "Not reached with up to 15 labeled texts: the best, 15, is −3.0 points (95 %: −7.2 … 1.3) from the crops "
        "recipe without labels (60.0 % ± 4.9, Euclidean distance); its lower bound misses −2 points by 5.2. 100 "
        "test texts are too few: even equal encoders would not match. Match means: not more than 2 points below, at "
        "95 %. For both, kNN accuracy itself uses the labels of all train texts."
    )


def test_equal_encoders_match_from_137_test_texts_on(told):
    """d = 0 and half = 1.96·√(2/(n+2)/(n+2)) = 2.772/(n+2), which is below .02 where n + 2 > 138.6."""
    said, (found,) = told({16: right(60, 136)}, line=right(60, 136))
    assert found.low == pytest.approx(-2.7719 / 138, abs=1e-5) and "136 test texts are too few" in said
    said, (found,) = told({16: right(60, 137)}, line=right(60, 137))
    assert found.low > -0.02 and "match the crops recipe" in said
    assert "too few" not in told({16: right(10, 137)}, line=right(60, 137))[0]


def test_the_smallest_number_that_matches_is_named(told):
    """Of 1,000 texts 5 are lost: d = −5/1002, half = 1.96·√((7/1002 − d²)/1002) = .00516, −1.0 … 0.0: above −2."""
    said, found = told({16: right(580), 64: right(595), 100: right(700)}, line=right(600))
    assert found[1].low == pytest.approx(-0.01016, abs=2e-5) and found[1].low > -0.02 > found[0].low
    assert said.startswith(
        "63 labeled texts match the crops recipe without labels (60.0 % ± 1.5, Euclidean distance): "
        "−0.5 points (95 %: −1.0 … 0.0), the smallest number that does. Match means: not more than 2 points below"
    )


def test_where_the_first_number_matches_fewer_may_too(told):
    said, _ = told({16: right(700), 64: right(700)}, line=right(600))
    assert said.startswith("15 labeled texts or fewer, the smallest number tried, match the crops recipe without")


def test_not_reached_names_the_best_one_which_need_not_be_the_largest(told):
    said, found = told({16: right(500), 64: right(570), 100: right(560)}, line=right(600))
    assert "Not reached with up to 99 labeled texts: the best, 63, is −3.0 points" in said
    assert f"its lower bound misses −2 points by {100 * (-0.02 - found[1].low):.1f}." in said


def test_each_distance_is_judged_on_its_own_texts(told):
    values = {16: right(600)}
    assert "15 labeled texts or fewer" in told(values, line=right(600), cosine=right(400))[0]
    said, (found,) = told(values, line=right(600), distance=COSINE, cosine=right(400))
    assert found.value == pytest.approx(-0.2)
    assert said.startswith("Not reached") and "60.0 % ± 1.5, cosine" in said


def test_without_a_line_or_a_point_nothing_is_said(study_of, put):
    study, asked = study_of("labels-needed", values=(16,), seeds=(0,))
    assert summary(study).measured.euclidean.answer == ""
    put(study, Cell("line", None, 0), right(60, 100))
    put(study, Cell("value", 16, 0), right(20, 100))
    found = summary(study).measured
    assert "Not reached" in found.euclidean.answer and "Not reached" in found.cosine.answer
    assert labels_needed(points_of(study, asked, EUCLIDEAN), None, recipe="crops", distance=EUCLIDEAN) == ""


def test_the_card_states_the_margin():
    assert "not more than 2 points below, at 95 %" in STUDIES["labels-needed"].sentence
