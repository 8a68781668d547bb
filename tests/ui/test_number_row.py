"""Numbers side by side: a change that is none has no arrow."""

import pytest
from streamlit.proto.Metric_pb2 import Metric
from streamlit.testing.v1 import AppTest


@pytest.mark.parametrize(
    ("change", "arrow"), [(0.0, Metric.NONE), (0.0002, Metric.NONE), (0.02, Metric.UP), (-0.02, Metric.DOWN)]
)
def test_an_arrow_stands_only_where_a_difference_can_be_seen(change, arrow):
    def page(change):
        from embedlab.ui.frame.layout import number_row

        number_row().metric("after", "60.0 %", change)

    at = AppTest.from_function(page, args=(change,)).run()
    assert not at.exception and at.metric[0].proto.direction == arrow
