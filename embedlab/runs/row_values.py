"""What was measured of a row, and the single texts behind it: from its evaluations, else from what its run found."""

import numpy as np
import pyarrow.parquet as pq

from embedlab.metrics import METRICS
from embedlab.metrics.by_distance import units_by, values_by
from embedlab.metrics.distance import EUCLIDEAN, Distance, at_distance
from embedlab.runs.accuracy import Accuracy, accuracy_of
from embedlab.runs.compared_rows import BASELINE, Row
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_result
from embedlab.store_root import read_json, store_root

KNN, REFERENCES = "knn", ("tfidf", "svd")
COUNTS = ("test_texts", "queries", "pairs", "candidates", "texts", "labelled_texts", "n")
_KEPT = ("standard_error", "protocol", *COUNTS)


def metric_of(metric: str):
    """``knn`` and ``knn/cv10`` are one metric by two protocols; None of one that is no longer known."""
    key = metric.partition("/")[0]
    return METRICS[key] if key in METRICS else None


def values_of(row: Row, source: str = CORPUS, distance: Distance = EUCLIDEAN) -> dict[str, dict]:
    """``{metric: {value, standard_error, protocol, …}}`` of this row on one source.

    Of metrics that both distances measure by this one; a metric that was not measured by it is not among them.
    """
    found = {} if source != CORPUS else _found_elsewhere(row, distance)
    for evaluations, state in reversed(_places(row)):  # its own come last and win
        for metric, states in evaluations.values(source).items():
            measured = values_by(metric_of(metric), states.get(state) or {}, distance) or {}
            if measured.get("value") is not None:
                found[metric] = measured
    return found


def units_of(
    row: Row, source: str, metric: str, distance: Distance = EUCLIDEAN, *, test_rows: np.ndarray | None = None
) -> dict | None:
    """What two rows are paired by; None where nothing was kept of this distance.

    ``test_rows`` are the texts that the runs of this corpus were tested on: a reference line kept only its right ones.
    """
    known = (
        units_by(metric_of(metric), evaluations.units(source, metric, state), distance)
        for evaluations, state in _places(row)
    )
    kept = next((units for units in known if units is not None), None)
    if kept is not None or (source, metric) != (CORPUS, KNN):
        return kept
    return _reference_units(row, test_rows) if row.kind == BASELINE else _predicted_units(row, distance)


def test_rows_of(rows: list[Row], corpus: str) -> np.ndarray | None:
    """The texts of the split on which the runs of a corpus were tested."""
    for row in rows:
        if row.corpus == corpus and row.kind != BASELINE:
            units = _predicted_units(row, EUCLIDEAN, "before")
            if units is not None:
                return units["rows"]
    return None


def counted(values: dict) -> int | None:
    """How many texts, queries or pairs stand behind a value."""
    return next((int(values[name]) for name in COUNTS if values.get(name) is not None), None)


def error_of(values: dict) -> float | None:
    """Its standard error, or its standard deviation over seeds, where there is one."""
    return next((values[name] for name in ("standard_error", "sd") if values.get(name) is not None), None)


def _places(row: Row) -> list[tuple[Evaluations, str]]:
    return [(row.evaluations, row.state), *((Evaluations(path), "before") for path in row.twins)]


def _found_elsewhere(row: Row, distance: Distance) -> dict[str, dict]:
    """kNN accuracy as the run itself, or the reference lines of its corpus, have it."""
    if row.kind == BASELINE:
        line = _reference(row)
        return {} if line is None else {KNN: {"value": line["value"], **_kept(line)}}  # the same by both distances
    result = read_result(RunFolder(row.path)) or {}
    told = accuracy_of(result, distance)
    if told is None or told.distance != distance:
        return {}
    value, error = _of_state(told, row.state)
    return {KNN: {"value": value, **_kept(result["knn"]), "standard_error": error}}


def _predicted_units(row: Row, distance: Distance, state: str | None = None) -> dict | None:
    """From the predictions of the run, which are of its beginning and of the encoder that is opened.

    None where they are of other texts than the accuracy that the run tells, as after one of the two was renewed.
    """
    state = state or row.state
    told = accuracy_of(read_result(RunFolder(row.path)), distance)
    said = at_distance(state, distance)
    try:
        table = pq.read_table(RunFolder(row.path).predictions, columns=["row", "label", said])
    except (FileNotFoundError, OSError, ValueError, KeyError):
        return None
    if told is None or told.distance != distance or said not in table.column_names:
        return None
    pairs = zip(table["label"].to_pylist(), table[said].to_pylist(), strict=True)
    right = np.array([label == neighbors for label, neighbors in pairs], bool)
    if len(right) != told.test_texts or right.sum() != round(_of_state(told, state)[0] * told.test_texts):
        return None
    return {"rows": table["row"].to_numpy(), "correct": right}


def _of_state(told: Accuracy, state: str) -> tuple[float, float]:
    """The value and its error, before training or of the encoder that is opened."""
    if state == "before":
        return told.before, told.standard_error_before
    return told.after, told.standard_error


def _reference_units(row: Row, test_rows: np.ndarray | None) -> dict | None:
    line = _reference(row)
    if line is None or test_rows is None or len(test_rows) != line.get("test_texts"):
        return None
    return {"rows": np.asarray(test_rows), "correct": np.isin(test_rows, line["correct_rows"])}


def _reference(row: Row) -> dict | None:
    key = row.path.name
    try:
        return read_json(store_root() / "corpora" / row.corpus / "references.json")[key] if key in REFERENCES else None
    except (FileNotFoundError, ValueError, KeyError):
        return None


def _kept(values: dict) -> dict:
    return {name: values[name] for name in _KEPT if name in values}
