"""Runs and baselines compared: for each metric and corpus, which is best and which cannot be told apart from it."""

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any, TypedDict

from embedlab.comparison.rows import BASELINE, ComparedRow
from embedlab.comparison.values import Units, metric_of, predicted_units, units_of, values_of
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, or_either, other_distance
from embedlab.errors import SettingsError
from embedlab.measurement import PAPER_SPLIT, PUBLISHED_FOLDS, Difference, protocol_in_words
from embedlab.metrics import METRICS
from embedlab.metrics.base import MetricResult, paired
from embedlab.metrics.ten_fold import fold_difference
from embedlab.progress import Progress, silent
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.result import KNN, KNN_BY_FOLDS
from embedlab.statistics.separable import Standing, compared
from embedlab.statistics.verdict import FEWEST_TEXTS

SHARE = "correct"  # the units of a share of right texts; their interval needs no resampling
SUPERVISED = "trained on labels: an upper bound"
Comparison = dict[str, dict[str, Any]]  # {metric: {group: ComparedGroup, or one by each distance}}, as JSON has it


class ComparedValue(TypedDict):
    """The value of one row, its mark among the others, and its difference to the best: value, low, high and n."""

    value: float
    error: float | None
    n: int | None
    protocol: str | None
    mark: str
    why: str
    to_best: dict[str, float | None] | None


class ComparedGroup(TypedDict):
    """Rows that may be compared, for one metric and distance; ``level`` of each interval, None without intervals."""

    compared: int
    level: float | None
    rows: dict[str, ComparedValue]


def compare_rows(
    rows: list[ComparedRow], *, source: str = CORPUS, metrics: Iterable[str] = (), progress: Progress = silent
) -> Comparison:
    """``{metric: {group: {compared, level, rows: {key: {value, error, n, protocol, mark, why, to_best}}}}}``

    A group is a corpus (its fingerprint), or all rows where an evaluation set measured them (group ``""``). Of a
    metric that both distances measure it is ``{euclidean: {compared, …}, cosine: …}``.
    """
    metrics = list(metrics) or measured_metrics(rows, source)
    comparison: Comparison = {}
    for number, metric in enumerate(metrics):
        progress(f"Comparing {title_of(metric)}", number, len(metrics))
        comparison[metric] = _by_group(compare_group, rows, source, metric)
    return comparison


def group_by(comparison: Comparison, metric: str, group: str, distance: Distance | None) -> ComparedGroup:
    """The comparison of a metric within one group, for this distance; without rows if nothing was measured."""
    entry = comparison[metric].get(group, {"compared": 0, "level": None, "rows": {}})
    return entry.get(or_either(distance), entry)


def values_only(rows: list[ComparedRow], *, source: str, metrics: Iterable[str]) -> Comparison:
    """The comparison without marks, shown while they are being computed."""
    return {metric: _by_group(_unmarked, rows, source, metric) for metric in metrics}


def compare_group(rows: list[ComparedRow], source: str, metric: str, distance: Distance = EUCLIDEAN) -> ComparedGroup:
    """One metric, for one distance, over the rows of one group."""
    values = _values(rows, source, metric, distance)
    runs = (row for row in rows if row.corpus == rows[0].corpus and row.kind != BASELINE)
    tested = (predicted_units(row, metric, EUCLIDEAN, "before") for row in runs)
    test_rows = next((each["rows"] for each in tested if each is not None), None)  # the same for all runs of a corpus
    units = {row.key: units_of(row, source, metric, distance, test_rows=test_rows) for row in rows if row.key in values}
    is_share = all(SHARE in each for each in units.values() if each)
    comparison = compared(
        values={key: each.value for key, each in values.items()},
        units=units,
        difference=difference_of(metric),
        higher_is_better=metric_of(metric).higher_is_better,
        fewest=FEWEST_TEXTS if is_share else 0,
        references=references_of(rows),
        left_out=supervised([row for row in rows if row.key in values]),
    )
    return {
        "compared": comparison.compared,
        "level": comparison.level,
        "rows": {key: _cell_as_json(values[key], comparison.standings[key]) for key in values},
    }


def grouped(rows: list[ComparedRow], source: str) -> dict[str, list[ComparedRow]]:
    """Rows that may be compared: those on one corpus, or all measured on one evaluation set."""
    if source != CORPUS:
        return {"": rows}
    return {corpus: [row for row in rows if row.corpus == corpus] for corpus in dict.fromkeys(r.corpus for r in rows)}


def measured_metrics(rows: list[ComparedRow], source: str = CORPUS) -> list[str]:
    """Metrics that any of the rows has, in display order: the runs' own accuracy first, published folds last."""
    metrics = {metric for row in rows for metric in values_of(row, source)}
    order = METRICS.keys()

    def place(metric: str) -> tuple[bool, bool, int]:
        return metric != KNN_BY_FOLDS, "/" in metric, order.index(metric.partition("/")[0])

    return sorted(metrics, key=place)


def difference_of(metric: str) -> Callable[..., Difference]:
    """The metric's own interval; for ten folds, which share their train texts, the corrected one."""
    difference = metric_of(metric).difference

    def of_folds(*, before: Units, after: Units, level: float) -> Difference:
        if SHARE not in before or SHARE not in after:
            return difference(before=before, after=after, level=level)
        one, other = paired(before, after, SHARE)
        return fold_difference(before=one, after=other, level=level)

    return of_folds if "/" in metric else difference


def title_of(metric: str, *distances: Distance | None) -> str:
    """``kNN accuracy``, ``kNN accuracy (cosine), paper's split``, ``Linear probe, published folds, file order``

    Of kNN accuracy that of the runs, by ten folds, has no further name.
    """
    title = metric_of(metric).title
    if by := " and ".join(DISTANCES[distance] for distance in distances if distance is not None):
        title = f"{title} ({by})"
    if metric == KNN:
        return f"{title}, {protocol_in_words(PAPER_SPLIT)}"
    return f"{title}, {protocol_in_words(PUBLISHED_FOLDS)}" if metric.endswith(f"/{PUBLISHED_FOLDS}") else title


def measures_of(metric: str, first: Distance = SHOWN_FIRST) -> list[tuple[str, Distance | None]]:
    """The columns of a metric: one per distance, ``first`` first, or a single one if it has no distances."""
    if not metric_of(metric).by_both:
        return [(metric, None)]
    return [(metric, first), (metric, other_distance(first))]


def supervised(rows: list[ComparedRow]) -> dict[str, str]:
    """The rows trained on labels, directly or in an earlier phase, where others were not: these are not compared."""
    candidates = [row for row in rows if not row.is_reference]
    reasons = {row.key: SUPERVISED for row in candidates if row.saw_labels}
    return reasons if len(reasons) < len(candidates) else {}


def references_of(rows: list[ComparedRow]) -> list[str]:
    """The rows that do not compete: baselines and untouched encoders, unless there is nothing else."""
    keys = [row.key for row in rows if row.is_reference]
    return keys if len(keys) < len(rows) else []


def is_quick(rows: list[ComparedRow], source: str, metric: str) -> bool:
    """Whether a page may compute this comparison itself: shares of right texts, which have a closed formula."""
    units = (units_of(row, source, metric) for row in rows if metric in values_of(row, source))
    return (source, metric) in ((CORPUS, KNN), (CORPUS, KNN_BY_FOLDS)) or all(SHARE in each for each in units if each)


def state_of_knowledge(rows: list[ComparedRow], source: str) -> str:
    """A hash that changes when something further is measured for these rows."""
    values = [[row.key, row.name, *(values_of(row, source, each) for each in DISTANCES)] for row in rows]
    return hashlib.blake2b(json.dumps(values, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()


def known_metrics(keys: Iterable[str]) -> list[str]:
    """These metrics without repetition; raises an error with the choices for an unknown one."""
    metrics = list(dict.fromkeys(key.strip() for key in keys if key.strip()))
    for key in metrics:
        metric_of(key)
        if "/" in key and key != KNN_BY_FOLDS and not key.endswith(f"/{PUBLISHED_FOLDS}"):
            raise SettingsError(
                "E-METRIC",
                f"Only cv10 can follow a metric's /, and for knn folds, but found {key!r}. Write knn/folds, knn or "
                "knn/cv10.",
            )
    return metrics


def _by_group(compared_by: Callable[..., ComparedGroup], rows: list[ComparedRow], source: str, metric: str) -> Any:
    """``compared_by`` for the rows of each group: once, or for each distance if the metric has several."""
    groups = grouped(rows, source).items()
    if not metric_of(metric).by_both:
        return {group: compared_by(members, source, metric, or_either(None)) for group, members in groups}
    distances = (EUCLIDEAN, COSINE)
    return {group: {by: compared_by(members, source, metric, by) for by in distances} for group, members in groups}


def _unmarked(rows: list[ComparedRow], source: str, metric: str, distance: Distance) -> ComparedGroup:
    values = _values(rows, source, metric, distance).items()
    return {"compared": 0, "level": None, "rows": {key: _cell_as_json(each, Standing("")) for key, each in values}}


def _values(rows: list[ComparedRow], source: str, metric: str, distance: Distance) -> dict[str, MetricResult]:
    return {row.key: measured[metric] for row in rows if metric in (measured := values_of(row, source, distance))}


def _cell_as_json(measured: MetricResult, standing: Standing) -> ComparedValue:
    return {
        "value": measured.value,
        "error": measured.error,
        "n": measured.n,
        "protocol": measured.facts.get("protocol"),
        "mark": standing.mark,
        "why": standing.why,
        "to_best": None if standing.to_best is None else standing.to_best.as_json(),
    }
