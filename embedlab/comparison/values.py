"""A row's measured values and the units behind them, from its evaluations or from its run's result."""

import numpy as np

from embedlab.comparison.rows import BASELINE, ComparedRow
from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.metrics import METRICS
from embedlab.metrics.base import Metric, MetricResult
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import folds_of
from embedlab.runs.reference_lines import REFERENCES_FILE, KeptLine, read_lines
from embedlab.runs.result import accuracy_of, read_result
from embedlab.store_root import store_root

KNN = "knn"
Units = dict[str, np.ndarray]  # what two rows are paired by, such as rows and whether each is correct


def metric_of(metric: str) -> type[Metric]:
    """``knn`` and ``knn/cv10`` are one metric with two protocols."""
    return METRICS[metric.partition("/")[0]]


def values_of(row: ComparedRow, source: str = CORPUS, distance: Distance = EUCLIDEAN) -> dict[str, MetricResult]:
    """The measured values of this row on one source, by metric.

    Of metrics that both distances measure by this one; a metric that was not measured by it is not among them.
    """
    measured = {} if source != CORPUS else _of_run_or_reference(row, distance)
    for evaluations, state in reversed(_places(row)):  # its own come last and win
        for metric, states in evaluations.values(source, distance).items():
            if isinstance(value := states.get(state), MetricResult):
                measured[metric] = value
    return measured


def units_of(
    row: ComparedRow, source: str, metric: str, distance: Distance = EUCLIDEAN, *, test_rows: np.ndarray | None = None
) -> Units | None:
    """The units by which two rows are paired; None if none were stored for this distance.

    ``test_rows`` are the texts that the runs of this corpus were tested on: a reference line kept only its right ones.
    """
    candidates = (evaluations.units(source, metric, state, distance) for evaluations, state in _places(row))
    stored = next((units for units in candidates if units is not None), None)
    if stored is not None or (source, metric) != (CORPUS, KNN):
        return stored
    if row.kind != BASELINE:
        return predicted_units(row, distance)
    line = _reference(row)
    if line is None or test_rows is None or len(test_rows) != line.measured.either.n:
        return None
    return {"rows": np.asarray(test_rows), "correct": line.right(test_rows)}


def _places(row: ComparedRow) -> list[tuple[Evaluations, str]]:
    return [(row.evaluations, row.state), *((Evaluations(path), "before") for path in row.twins)]


def _of_run_or_reference(row: ComparedRow, distance: Distance) -> dict[str, MetricResult]:
    """kNN accuracy from the run's result, or from the reference lines of its corpus."""
    if row.kind == BASELINE:
        if (line := _reference(row)) is None:
            return {}
        return {KNN: MetricResult(**dict(line.measured.by(distance)), facts={"protocol": line.protocol})}
    result = read_result(RunFolder(row.path))
    accuracy = accuracy_of(result, distance)
    if result is None or result.knn is None or accuracy is None:
        return {}
    value, error = accuracy.of(row.state)
    return {KNN: MetricResult(value=value, error=error, n=accuracy.test_texts, facts={"protocol": result.knn.protocol})}


def predicted_units(row: ComparedRow, distance: Distance, state: str | None = None) -> Units | None:
    """The units in a run's predictions, for its untouched or its selected encoder.

    None where they are of another encoder than the accuracy that the run tells, as after one of the two was renewed.
    """
    run = RunFolder(row.path)
    result, folds = read_result(run), folds_of(run, distance, only_test_texts=True)
    if folds is None or result is None or result.knn is None or len(folds.rows) != result.knn.test_texts:
        return None
    if folds.weights_hash and folds.weights_hash != result.weights_hash:
        return None
    return {"rows": folds.rows, "correct": folds.right(state or row.state)}


def _reference(row: ComparedRow) -> KeptLine | None:
    return read_lines(store_root() / "corpora" / row.corpus / REFERENCES_FILE).get(row.path.name)


def missing_of(rows: list[ComparedRow], source: str, metrics: list[str]) -> dict[str, list[str]]:
    """Missing metrics by run: without a value, or without per-unit values, for either distance."""
    missing = {}
    for row in rows:
        if row.is_reference or read_result(RunFolder(row.path)) is None:
            continue
        lacking = [metric for metric in metrics if "/" not in metric and _lacks(row, source, metric)]
        if lacking:
            missing[row.path.name] = lacking
    return missing


def _lacks(row: ComparedRow, source: str, metric: str) -> bool:
    return any(
        metric not in values_of(row, source, distance) or units_of(row, source, metric, distance) is None
        for distance in DISTANCES
    )
