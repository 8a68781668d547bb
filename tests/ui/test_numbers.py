"""The row of numbers: a fall has an arrow that points down."""

import pytest
from streamlit.testing.v1 import AppTest

from embedlab.report.run_rows import _few_digits


@pytest.mark.parametrize(("change", "said"), [(0.02, "+2.0 points"), (-0.005, "−0.5 points"), (None, "")])
def test_a_change_in_points_turns_the_arrow(change, said):
    def page(change):
        from embedlab.ui.frame.layout import number_row

        number_row().metric("after", "28.7 %", change)

    at = AppTest.from_function(page, kwargs={"change": change}).run()
    (metric,) = at.metric
    assert (metric.value, metric.delta) == ("28.7 %", said)
    assert metric.proto.direction == {"+": 1, "−": 0, "": 2}[said[:1]]  # up, down, none


def test_few_digits_never_have_an_exponent():
    assert [_few_digits(number) for number in (0.12912, -5.09e-05, 285.4, 123456.0, -1.5)] == [
        "0.129", "0.000", "285", "123,456", "−1.5"
    ]  # fmt: skip
