"""As many digits as differ: what is called different looks different, what looks alike is called unchanged."""

import ast
from pathlib import Path

import pytest
from builders import both, judged, knn

from embedlab.diagnostics.base import shift_in_words
from embedlab.diagnostics.cka import CKA
from embedlab.measurement import Difference
from embedlab.numbers import (
    accuracy,
    distinct,
    fixed,
    from_to,
    gibibytes,
    in_points,
    margin,
    points,
    signed,
    with_interval,
)
from embedlab.report.metric_tables import change
from embedlab.report.verdict_words import headline, outcome_words, verdict_details
from embedlab.runs.result import RunResult

ROOT = Path(__file__).parent.parent / "embedlab"


def test_two_values_take_the_digits_in_which_they_differ_or_are_called_unchanged():
    assert distinct(0.951, 0.948, digits=2) == ["0.951", "0.948"]
    assert from_to(0.66, 0.64) == "0.66 → 0.64"
    assert from_to(0.9512, 0.9487) == "0.951 → 0.949"
    assert from_to(0.95, 0.95) == from_to(0.95, 0.9500001) == "0.95 (unchanged)"
    assert from_to(-0.5, 0.25) == "−0.50 → 0.25"


def test_a_sign_is_a_minus_and_zero_has_none():
    assert [fixed(value, 2) for value in (0.824, -0.3, -0.001, 1313)] == ["0.82", "−0.30", "0.00", "1,313.00"]
    assert [signed(value) for value in (3, -3, 0)] == ["+3", "−3", "0"]
    assert [signed(value, 2) for value in (0.125, -0.004, -1200.5)] == ["+0.12", "0.00", "−1,200.50"]
    assert with_interval(-0.0002, -0.03, 0.02) == "0.000 (95 %: −0.030 … 0.020)"
    assert change("knn", Difference(0.0, -0.01, 0.01, 12)) == "0.0 points (−1.0 … 1.0)" == f"{points(0.0)} (−1.0 … 1.0)"


def test_only_one_module_writes_signs():
    """A format such as ``:+.1f`` would write ``+0.0``."""
    for path in sorted(ROOT.rglob("*.py")):
        formats = (each for each in ast.walk(ast.parse(path.read_bytes())) if isinstance(each, ast.FormattedValue))
        signs = [
            each.lineno for each in formats if each.format_spec and ast.unparse(each.format_spec).startswith("f'+")
        ]
        assert not signs or path.name == "numbers.py", f"{path}:{signs}: use signed() of embedlab.numbers"


def test_an_error_of_a_share_is_in_points():
    assert margin(0.0143) == "± 1.4" and accuracy(0.589, 0.0143) == "58.9 % ± 1.4" and accuracy(0.589) == "58.9 %"
    assert gibibytes(4 * 2**30) == "4 GiB"


def test_an_interval_without_zero_shows_none():
    assert in_points(0.215, 0.189, 0.24) == "+21.5 points (95 %: 18.9 … 24.0)"
    assert in_points(0.0004, 0.0001, 0.0007) == "+0.04 points (95 %: 0.01 … 0.07)"
    assert in_points(-0.0004, -0.0007, -0.0001) == "−0.04 points (95 %: −0.07 … −0.01)"
    assert in_points(0.0004, -0.0001, 0.0009) == "0.0 points (95 %: 0.0 … 0.1)"  # no claim is made
    assert points(0.0004) == "0.0 points" and points(0.0004, 0.0001, 0.0007) == "+0.04 points"


def test_a_change_in_ranks_says_so_and_the_sign_means_better_in_either_unit():
    assert change("match-title", Difference(-3.0, -4.0, -2.0, 12)) == "−3.0 ranks (−4.0 … −2.0) ▲"
    assert change("knn", Difference(0.0004, 0.0001, 0.0007, 12)) == "+0.04 points (0.01 … 0.07) ▲"
    assert change("knn", Difference(-0.04, -0.07, 0.01, 12)) == "−4.0 points (−7.0 … 1.0)"


@pytest.mark.parametrize(
    ("alike", "said"),
    [
        ([1.0, 0.99981, 0.99967], "No layer moved visibly: on 500 texts the CKA of each layer with itself before is "
                                  "1.000."),
        ([0.99, 0.9, 0.95], "Layer 1 of 2 moved farthest: its CKA with before is 0.900 on 500 texts; that of the last "
                            "layer is 0.950."),
        ([0.99, 0.95, 0.8], "Layer 2 of 2 moved farthest: its CKA with before is 0.800 on 500 texts."),
        ([0.8, 0.9, 0.8], "Layers 0 and 2 of 2 moved farthest: their CKA with before is 0.800 on 500 texts."),
    ],
)  # fmt: skip
def test_no_layer_moved_farthest_where_none_moved_visibly(alike, said):
    assert CKA.in_words({"after": {"cka": alike, "texts": 500}}) == said


def test_repeating_moves_nothing_that_cannot_be_seen():
    assert shift_in_words({"before": (0.951, 0.949), "after": (0.41, 0.41)}) == (
        "from 0.951 to 0.949 before, and by nothing visible (0.41) after fine-tuning"
    )


def test_each_distance_has_its_own_outcome_and_no_sentence_has_two():
    values = {"euclidean": (0.4, 0.02, 0.01, 0.03), "cosine": (0.4, 0.01, -0.01, 0.03)}
    result = RunResult.model_validate({
        "steps": 3,
        "knn": knn((0.4, 0.42, 0.4), (0.4, 0.41, 0.4), n=400),
        "judged": {each: {"change": {"difference": d, "low": low, "high": high}, "against": {}}
                   for each, (_, d, low, high) in values.items()},
    })  # fmt: skip
    assert headline(result, "cosine") == (
        "No clear change: kNN accuracy +1.0 points (cosine, 95 %: −1.0 … 3.0) on 400 test texts."
    )
    assert headline(result, "euclidean").startswith("Helped: kNN accuracy +2.0 points (Euclidean distance, ")
    assert outcome_words(result, "cosine") == "No clear change" and outcome_words(result, "euclidean") == "Helped"


def test_a_change_on_few_texts_is_not_said_to_be_too_small_to_be_seen():
    result = RunResult.model_validate(
        {"steps": 3, "knn": knn((0.4, 0.6, 0.4), (0.4, 0.6, 0.4), n=12), "judged": both(judged())}
    )
    said = " ".join(verdict_details(result))
    assert "At least 50 are needed to call a change clear." in said and "cannot be detected" not in said
