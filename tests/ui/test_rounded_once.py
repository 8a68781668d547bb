"""A share is rounded once, where it is shown: 0.95146 is 95.1 in a table as it is in a sentence."""

from types import SimpleNamespace

import numpy as np
import pytest
from builders import both

from embedlab.distance import EUCLIDEAN
from embedlab.figures.classes import class_neighbor_map
from embedlab.measurement import ClassChange, Difference, LayerValue, Measurement
from embedlab.metrics.layer_rows import layers_table
from embedlab.numbers import percent
from embedlab.report.class_tables import classes_table
from embedlab.report.run_rows import run_row
from embedlab.studies.points import MeasuredPoint
from embedlab.studies.summary import MeasuredStudy, column, rows_of

SHARE = 0.95146  # 95.15 by two digits, which would be 95.2


def of_runs(made_run) -> float:
    run = made_run(after=SHARE)
    return run_row(run, "mine", "toy")["kNN after, Euclidean (%)"]


def of_layers(made_run) -> float:
    value = LayerValue(0, "mean", before=Measurement(value=0.5), after=Measurement(value=SHARE))
    return layers_table([value]).column(2)[0].as_py()


def of_studies(made_run) -> float:
    over = {"accuracy": SHARE, "error": 0.0, "sd": None, "low": 0.0, "high": 1.0, "before": 0.5, "measured": {}}
    point = MeasuredPoint("a", "a", (), **over, steps=1, usable_texts=1, test_texts=9)
    measured = MeasuredStudy([point], None, "", {}, counted=None)
    report = SimpleNamespace(design=SimpleNamespace(series=""), measured=both(measured))
    return rows_of(report, EUCLIDEAN)[0][column("accuracy", EUCLIDEAN)]


def of_classes(made_run) -> float:
    each = ClassChange("a", 9, before=0.5, after=SHARE, gained=1, lost=0, difference=Difference(0.4, 0.3, 0.5, 9))
    return classes_table(SimpleNamespace(classes=[each])).to_pylist()[0]["after (%)"]


def of_class_neighbors(made_run) -> float:
    before = np.array([[0.5, 0.5], [0.5, 0.5]])
    figure = class_neighbor_map(["a", "b"], before=before, after=np.full((2, 2), SHARE))
    return float(figure.data[0].customdata[0][0][1])


@pytest.mark.parametrize("table", [of_runs, of_layers, of_studies, of_classes, of_class_neighbors])
def test_a_table_shows_what_a_sentence_says(made_run, table):
    assert f"{table(made_run):.1f} %" == percent(SHARE) == "95.1 %"
