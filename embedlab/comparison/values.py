"""A row's measured values and the units behind them, from its evaluations or from its run's result."""

import numpy as np

from embedlab.comparison.rows import BASELINE, ComparedRow
from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.metrics import METRICS
from embedlab.metrics.base import Metric, MetricResult
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import Folds, folds_of, judged_texts
from embedlab.runs.reference_lines import REFERENCES_FILE, KeptLine, read_lines
from embedlab.runs.result import KNN, KNN_BY_FOLDS, as_measured, read_result
from embedlab.store_root import store_root

Units = dict[str, np.ndarray]  # what two rows are paired by, such as rows and whether each is correct


def metric_of(metric: str) -> type[Metric]:
    """``knn``, ``knn/folds`` and ``knn/cv10`` are one metric with three protocols."""
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
    if stored is not None or source != CORPUS or metric not in (KNN, KNN_BY_FOLDS):
        return stored
    if row.kind != BASELINE:
        return predicted_units(row, metric, distance)
    line = _reference(row, metric)
    if line is None or test_rows is None or len(test_rows) != line.measured.either.n:
        return None
    return {"rows": np.asarray(test_rows), "correct": line.right(test_rows)}


def _places(row: ComparedRow) -> list[tuple[Evaluations, str]]:
    return [(row.evaluations, row.state), *((Evaluations(path), "before") for path in row.twins)]


def _of_run_or_reference(row: ComparedRow, distance: Distance) -> dict[str, MetricResult]:
    """kNN accuracy by each protocol, from the run's result or from the reference lines of its corpus."""
    if row.kind == BASELINE:
        lines = {metric: _reference(row, metric) for metric in (KNN_BY_FOLDS, KNN)}
        return {
            metric: MetricResult(**dict(line.measured.by(distance)), facts={"protocol": line.protocol})
            for metric, line in lines.items()
            if line is not None
        }
    return {
        metric: value
        for metric, states in as_measured(read_result(RunFolder(row.path)), distance).items()
        if isinstance(value := states.get(row.state), MetricResult)
    }


def predicted_units(row: ComparedRow, metric: str, distance: Distance, state: str | None = None) -> Units | None:
    """The units in a run's predictions by this protocol, for its untouched or its selected encoder.

    None where they are of another encoder than the accuracy that the run tells, as after one of the two was renewed.
    """
    run = RunFolder(row.path)
    texts = _folded_texts(run, distance) if metric == KNN_BY_FOLDS else _test_texts(run, distance)
    if texts is None:
        return None
    return {"rows": texts.rows, "correct": texts.right(state or row.state)}


def _folded_texts(run: RunFolder, distance: Distance) -> Folds | None:
    texts = judged_texts(run, distance)
    return None if texts is None or texts.of_test_texts else texts


def _test_texts(run: RunFolder, distance: Distance) -> Folds | None:
    result, texts = read_result(run), folds_of(run, distance, only_test_texts=True)
    if texts is None or result is None or result.knn is None or len(texts.rows) != result.knn.test_texts:
        return None
    is_same = not texts.weights_hash or texts.weights_hash == result.weights_hash
    return texts if is_same else None


def _reference(row: ComparedRow, metric: str) -> KeptLine | None:
    line = read_lines(store_root() / "corpora" / row.corpus / REFERENCES_FILE).get(row.path.name)
    return line.folds if line is not None and metric == KNN_BY_FOLDS else line


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
