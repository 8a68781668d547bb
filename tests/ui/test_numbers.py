"""The row of numbers: a fall has an arrow that points down."""

import pytest
from streamlit.testing.v1 import AppTest


@pytest.mark.parametrize(("change", "said"), [(0.02, "+2.0 points"), (-0.005, "-0.5 points"), (None, "")])
def test_a_change_in_points_with_the_sign_that_turns_the_arrow(change, said):
    def page(change):
        from embedlab.ui.frame.layout import number_row

        number_row().metric("after", "28.7 %", change)

    at = AppTest.from_function(page, kwargs={"change": change}).run()
    (metric,) = at.metric
    assert (metric.value, metric.delta) == ("28.7 %", said)
    assert metric.proto.direction == {"+": 1, "-": 0, "": 2}[said[:1]]  # up, down, none
