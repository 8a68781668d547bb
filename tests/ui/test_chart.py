"""The live chart: the figure and its sentence reach the browser, plotly.js from our own address."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from embedlab.ui.frame.layout import file_name


def test_a_page_draws_a_chart():
    def page():
        from embedlab.figures.curves import knn_curve
        from embedlab.measurement import CurvePoint
        from embedlab.ui.frame.layout import chart

        chart(knn_curve([CurvePoint(0, 0.36, test_texts=1100)], identity="run"), key="knn")

    at = AppTest.from_function(page).run()
    assert not at.exception
    data = json.loads(at.get("bidi_component")[0].proto.json)
    assert data["alt"].startswith("kNN accuracy 36.0 %")
    assert data["figure"]["layout"]["uirevision"] == "run/step"
    assert data["plotly"].startswith("assets/plotly.min.js?v=")
    assert data["file"] == "knn-accuracy-while-training-1100-test-texts" and data["size"] == 1


@pytest.mark.parametrize(
    ("title", "name"),
    [("kNN accuracy", "knn-accuracy"), ("<b>A &amp; B</b>: ../c", "a-b-c"), ("Länge", "länge"), ("???", "")],
)
def test_a_picture_is_saved_under_its_title(title, name):
    assert file_name(title) == name
