"""The row of numbers: arrows point where a number went, and each has its width before the browser has drawn it."""

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.Metric_pb2 import Metric
from streamlit.testing.v1 import AppTest

from embedlab.report.run_rows import _few_digits
from embedlab.ui.frame.layout import number_row


@pytest.mark.parametrize(
    ("change", "said", "arrow"),
    [
        (0.02, "+2.0 points", Metric.UP),
        (-0.005, "−0.5 points", Metric.DOWN),
        (0.0002, "0.0 points", Metric.NONE),
        (0.0, "0.0 points", Metric.NONE),
        (None, "", Metric.NONE),
    ],
)
def test_an_arrow_stands_only_where_a_difference_can_be_seen(change, said, arrow):
    def page(change):
        from embedlab.ui.frame.layout import number_row as row

        row().metric("after", "28.7 %", change)

    at = AppTest.from_function(page, args=(change,)).run()
    (metric,) = at.metric
    assert (metric.value, metric.delta, metric.proto.direction) == ("28.7 %", said, arrow)


def test_a_number_is_as_wide_as_the_widest_of_its_lines(monkeypatch):
    widths = []

    def width(*lines, **more):
        monkeypatch.setattr(DeltaGenerator, "metric", lambda self, *lines, width, **more: widths.append(width))
        number_row().metric(*lines, **more)
        return widths[-1]

    # four digits and a point, 25.5 pixels high: 1.03 · 25.5 · (4 · 0.5 + 0.25) = 59.1
    assert width("n", "12.34") == 59
    assert width("a", "1") < width("Neighbors", "1") < width("Neighbors", "1", help="?") < width("a", "1,234 of 11,234")
    assert width("a", "1", 0.125) > width("a", "1") and width("a", "文字") > width("a", "ab")


def test_few_digits_never_have_an_exponent():
    assert [_few_digits(number) for number in (0.12912, -5.09e-05, 285.4, 123456.0, -1.5)] == [
        "0.129", "0.000", "285", "123,456", "−1.5"
    ]  # fmt: skip
