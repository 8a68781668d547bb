"""How numbers are written at the bounds where one way ends and another begins."""

from datetime import UTC, datetime, timedelta

import pytest

from embedlab.numbers import (
    ago,
    by_number,
    digits_of_claim,
    distinct,
    duration,
    fixed,
    from_to,
    in_bytes,
    in_unit,
    minus,
    points,
    signed,
    with_interval,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (in_bytes(1), "1 byte"), (in_bytes(999), "999 bytes"), (in_bytes(1000), "1 kB"),
        (in_bytes(99_499), "99 kB"), (in_bytes(99_500), "0.1 MB"), (in_bytes(9_900_000), "9.9 MB"),
        (in_bytes(10_000_000), "10 MB"), (in_bytes(999_000_000), "999 MB"), (in_bytes(10**9), "1.0 GB"),
        (duration(0.2), "1 s"), (duration(89), "89 s"), (duration(90), "2 min"), (duration(89 * 60), "89 min"),
        (duration(90 * 60), "1 h 30 min"),
        (in_unit(-0.0001, None, ""), "0.000"), (" ".join(distinct(0.13, -0.001, digits=2)), "0.13 0.00"),
        (in_unit(9.9996, None, ""), "10.000"), (in_unit(10, None, "seconds"), "10.0 s"),
        (in_unit(-2.5, 0.25, "points"), "−2.5 points ± 0.2"), (in_unit(0.5, 0.014, "share"), "50.0 % ± 1.4"),
        (minus("-0.00"), "0.00"), (minus("-0 %"), "0 %"), (minus("-0.05"), "−0.05"), (minus("1e-05"), "1e−05"),
        (fixed(-0.001, 2), "0.00"), (fixed(1313, 1), "1,313.0"), (signed(0.04, 1), "0.0"), (signed(-3), "−3"),
        (from_to(0.66, 0.64), "0.66 → 0.64"), (from_to(0.951, 0.948), "0.951 → 0.948"),
        (from_to(0.95, 0.95), "0.95 (unchanged)"), (from_to(0.00001, 0.00002), "0.00 (unchanged)"),
        (" ".join(distinct(0.1, 0.10004, digits=1)), "0.1 0.1"), (" ".join(distinct(0.1, 0.1004, digits=1)),
                                                                  "0.1000 0.1004"),
        (points(0.215), "+21.5 points"), (points(0.0004, 0.0001, 0.0007), "+0.04 points"),
        (with_interval(0.047, 0.019, 0.074), "+0.047 (95 %: 0.019 … 0.074)"),
        (with_interval(0.0004, 0.0001, 0.0007), "+0.0004 (95 %: 0.0001 … 0.0007)"),
    ],
)  # fmt: skip
def test_as_written(written, expected):
    assert written == expected


def test_an_interval_that_leaves_out_zero_has_the_decimals_to_show_it_and_no_more():
    assert digits_of_claim(-0.01, 0.5, 1) == 1 and digits_of_claim(0.01, 0.5, 1) == 2
    assert digits_of_claim(-0.5, -0.001, 1) == 3 and digits_of_claim(1e-9, 1, 1) == 4
    assert digits_of_claim(0.0, 0.5, 1) == 1 and digits_of_claim(1e-9, 1, 1, most=2) == 2


@pytest.mark.parametrize(("seconds", "expected"), [(60, "just now"), (300, "5 min ago"), (82_800, "23 h 0 min ago")])
def test_a_moment_is_so_long_ago(seconds, expected):
    assert ago((datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()) == expected


def test_another_day_is_a_date_and_numbers_in_names_are_in_order():
    assert ago("2020-02-03T10:00:00+00:00") == "2020-02-03" and ago("never") == ""
    assert sorted(["step-1000000", "step-999999"], key=by_number) == ["step-999999", "step-1000000"]
