"""The curves of a replay: kNN accuracy by one distance with its error and reference lines; the loss; over steps."""

import math

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import share_error
from embedlab.runs.curve import curve_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult
from embedlab.runs.store import read_rows

LOSSES = 400  # of more rows, means of neighboring ones are told


def knn_told(run: RunFolder, distance: Distance) -> dict:
    """``line``, ``references`` on its texts; ``marks``, ``reference_marks`` of all test texts; ``where`` in words.

    Points are ``[step, value, error, test texts]``, references ``[name, dash, value]``.
    """
    curve = curve_of(run, distance)
    return {
        "by": DISTANCES[curve.distance],
        "line": _points(curve.line),
        "marks": _points(curve.marks),
        "references": _lines(curve.references, curve.counted),
        "reference_marks": _lines(curve.reference_marks, curve.counted),
        "where": curve.where,
    }


def loss_told(run: RunFolder, result: RunResult) -> dict:
    """``loss``: ``[step, loss]``, and ``steps``, where every curve ends."""
    losses = [
        [row["step"], row["loss"]]
        for row in read_rows(run.terms)[0]
        if row.get("loss") is not None and math.isfinite(row["loss"])
    ]
    return {"loss": _thinned(losses), "steps": result.steps or 0}


def _points(rows: list[dict]) -> list[list]:
    return [
        [row["step"], row["knn"], share_error(row["knn"], row.get("test_texts")), row.get("test_texts")] for row in rows
    ]


def _lines(references: dict[str, float], counted: str) -> list[list]:
    return [[baseline_title(key, counted), REFERENCE_LINES[key].dash, value] for key, value in references.items()]


def _thinned(rows: list[list]) -> list[list]:
    if len(rows) <= LOSSES:
        return rows
    size = math.ceil(len(rows) / LOSSES)
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [[part[-1][0], sum(loss for _, loss in part) / len(part)] for part in parts]
