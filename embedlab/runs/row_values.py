"""What was measured of a row, and the single texts behind it: from its evaluations, else from what its run found."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq

from embedlab.runs.compared_rows import BASELINE, Row
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_result
from embedlab.store_root import read_json, store_root

KNN, REFERENCES = "knn", ("tfidf", "svd")
COUNTS = ("test_texts", "queries", "pairs", "candidates", "texts", "labelled_texts", "n")
_KEPT = ("standard_error", "protocol", *COUNTS)


def values_of(row: Row, source: str = CORPUS) -> dict[str, dict]:
    """``{metric: {value, standard_error, protocol, …}}`` of this row on one source."""
    found = {} if source != CORPUS else _found_elsewhere(row)
    for evaluations, state in reversed(_places(row)):  # its own come last and win
        for metric, states in evaluations.values(source).items():
            measured = states.get(state) or {}
            if measured.get("value") is not None:
                found[metric] = measured
    return found


def units_of(row: Row, source: str, metric: str, *, test_rows: np.ndarray | None = None) -> dict | None:
    """What two rows are paired by; None where nothing was kept.

    ``test_rows`` are the texts that the runs of this corpus were tested on: a reference line kept only its right ones.
    """
    known = [evaluations.units(source, metric, state) for evaluations, state in _places(row)]
    kept = next((units for units in known if units is not None), None)
    if kept is not None or (source, metric) != (CORPUS, KNN):
        return kept
    return _reference_units(row, test_rows) if row.kind == BASELINE else _predicted_units(row)


def test_rows_of(rows: list[Row], corpus: str) -> np.ndarray | None:
    """The texts of the split on which the runs of a corpus were tested."""
    for row in rows:
        if row.corpus == corpus and row.kind != BASELINE:
            units = _predicted_units(row, state="before")
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


def _found_elsewhere(row: Row) -> dict[str, dict]:
    """kNN accuracy as the run itself, or the reference lines of its corpus, have it."""
    if row.kind == BASELINE:
        line = _reference(row)
        return {} if line is None else {KNN: {"value": line["value"], **_kept(line)}}
    result = read_result(RunFolder(row.path)) or {}
    knn = result.get("knn")
    if not knn:
        return {}
    if row.state == "before":
        error = knn.get("standard_error_before")
        return {KNN: {"value": knn["before"], **_kept(knn), "standard_error": error or _binomial(knn, "before")}}
    return {KNN: {"value": knn["best"] if row.is_stopped else knn["after"], **_kept(knn)}}


def _predicted_units(row: Row, state: str | None = None) -> dict | None:
    """From the predictions of the run, where they are of the encoder whose accuracy is told."""
    state = state or row.state
    told = _found_elsewhere(replace(row, state=state)).get(KNN)
    try:
        table = pq.read_table(RunFolder(row.path).predictions, columns=["row", "label", state])
    except (FileNotFoundError, OSError, ValueError, KeyError):
        return None
    label, said = table["label"].to_pylist(), table[state].to_pylist()
    right = np.array([one == other for one, other in zip(label, said, strict=True)], bool)
    if told is None or len(right) == 0 or abs(right.mean() - told["value"]) > 1e-9:
        return None
    return {"rows": table["row"].to_numpy(), "correct": right}


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


def _binomial(knn: dict, state: str) -> float | None:
    tested = knn.get("test_texts")
    return (knn[state] * (1 - knn[state]) / tested) ** 0.5 if tested else None
