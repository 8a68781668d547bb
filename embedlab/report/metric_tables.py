"""All metrics of a run as a table: each value with its error, the change with its interval, the baselines."""

from math import isfinite

import pyarrow as pa

from embedlab.comparison.best import measures_of, title_of
from embedlab.comparison.values import metric_of
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, or_either, other_distance
from embedlab.measurement import ByDistance, Difference
from embedlab.metrics import METRICS
from embedlab.metrics.base import MetricResult
from embedlab.numbers import accuracy, counted, digits_of_claim, fixed, percent, signed
from embedlab.runs.evaluations import CORPUS, DIFFERENCE, Evaluations, States, baselines_beside, evaluations_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import KNN, KNN_BY_FOLDS, as_measured, read_result
from embedlab.runs.store import reads_beginnings

Measurements = dict[str, States]  # {metric: {before, after, difference, tfidf, …}}
NOTHING = "–"
RANKED = " (mean rank, lower is better)"
STATES = {"before": "untouched", "after": "fine-tuned"}


def measurements(
    run: RunFolder, fingerprint: str, source: str, baselines: list[str], dimensions: int | None = None
) -> ByDistance[Measurements]:
    """Measurements of a run on one source, in display order; ``dimensions``: of its vectors cut to the first so many.

    On its own corpus kNN accuracy is known from training; where it was evaluated since, that wins. A run that reads
    the beginnings of its texts keeps its own reference lines, which count no more than it reads.
    """
    baseline_runs = {key: Evaluations(baselines_beside(run, fingerprint, source, key)) for key in baselines}
    order = {key: position for position, key in enumerate(METRICS.keys())}
    keeps_lines = reads_beginnings(run)

    def place(key: str) -> tuple[bool, int, str]:
        """The run's own accuracy comes first."""
        return key != KNN_BY_FOLDS, order[key.partition("/")[0]], key

    def measured(distance: Distance) -> Measurements:
        from_training = as_measured(read_result(run), distance) if source == CORPUS and dimensions is None else {}
        results: Measurements = dict(from_training)
        for key, states in evaluations_of(run, dimensions).values(source, distance).items():
            results[key] = {**results.get(key, {}), **states}
        for baseline, evaluations in baseline_runs.items():
            for metric, states in evaluations.values(source, distance).items():
                has_own_line = keeps_lines and baseline in from_training.get(metric, {})
                if metric in results and not has_own_line:
                    results[metric][baseline] = states["after"]
        return {key: results[key] for key in sorted(results, key=place)}

    return ByDistance.of(measured)


def shown_table(
    results: ByDistance[Measurements],
    baselines: dict[str, str],
    *,
    beginning: str = "untouched",
    first: Distance = SHOWN_FIRST,
) -> pa.Table:
    """One row per metric, as text: value ± error for each state, the change with its interval, the baselines.

    A metric that both distances measure has a row for each, that by ``first`` before the other. ``beginning``: what
    the encoder before is called.
    """
    measured = [key for key in baselines if any(key in states for states in results.either.values())]
    rows = [
        (title_of(key, distance), key, results.by(or_either(distance))[key])
        for key in results.either
        for _, distance in measures_of(key, first)
    ]
    columns: dict[str, list[str]] = {"metric": [title + RANKED * is_rank(key) for title, key, _ in rows]}
    for state, name in (STATES | {"before": beginning}).items():
        columns[name] = [value_with_error(key, states.get(state)) for _, key, states in rows]
    columns["change (95 %)"] = [change(key, states.get(DIFFERENCE)) for _, key, states in rows]
    for baseline in measured:
        columns[baselines[baseline]] = [value_with_error(key, states.get(baseline)) for _, key, states in rows]
    columns["measured on"] = [_counted(states) for _, _, states in rows]
    return pa.table(columns)


def numbers_table(results: ByDistance[Measurements]) -> pa.Table:
    """One row per metric, distance and state: the unrounded numbers."""
    names = ("value", "standard_error", "low", "high")
    rows = [
        {"metric": key, "distance": distance, "state": state, **{name: each.as_json().get(name) for name in names}}
        for key in results.either
        for _, distance in measures_of(key, EUCLIDEAN)
        for state, each in results.by(or_either(distance))[key].items()
    ]
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def near_duplicates_line(results: ByDistance[Measurements], first: Distance = SHOWN_FIRST) -> str:
    """kNN accuracy without test texts that nearly repeat a train text; empty if there are none."""
    after = results.either.get(KNN, {}).get("after")
    if not isinstance(after, MetricResult) or not (count := after.facts.get("near_duplicates")):
        return ""
    repeated = f"{counted(count, 'test text')} nearly repeat{'s' * (count == 1)} a train text (TF-IDF cosine 0.9)"
    if count == after.n:
        return f"{repeated}; no other is left to test without them."
    changes = []
    for distance in (first, other_distance(first)):
        states = [results.by(distance)[KNN].get(state) for state in STATES]
        without = [each.facts.get("without_near_duplicates") for each in states if isinstance(each, MetricResult)]
        values = [percent(value) for value in without if value is not None]
        changes += [f"{' → '.join(values)} ({DISTANCES[distance]})"] if values else []
    return f"{repeated}; kNN accuracy without them: {', '.join(changes)}."


def is_rank(key: str) -> bool:
    """Whether the metric is a rank rather than a share."""
    return not metric_of(key).higher_is_better


def value_with_error(key: str, measured: MetricResult | Difference | None) -> str:
    """``58.9 % ± 1.4``, ``rank 12.3 ± 0.5``; a dash if not measured."""
    if not isinstance(measured, MetricResult):
        return NOTHING
    if is_rank(key):
        return f"rank {measured.value:,.1f}" + (f" ± {measured.error:.1f}" if measured.error else "")
    return accuracy(measured.value, measured.error)


def change(key: str, difference: MetricResult | Difference | None) -> str:
    """``+21.5 points (18.9 … 24.0)``, ``−3.0 ranks (−4.0 … −2.0)``, with a sign for whether that is clear: ▲ better,
    ▼ worse, nothing if unclear.
    """
    if not isinstance(difference, Difference) or not isfinite(difference.value):
        return NOTHING
    value, low, high = (
        number * (1 if is_rank(key) else 100) for number in (difference.value, difference.low, difference.high)
    )
    unit = "ranks" if is_rank(key) else "points"
    if not isfinite(high - low):
        return f"{signed(value, 1)} {unit}"
    clear = "" if low <= 0 <= high else " ▲" if (low > 0) != is_rank(key) else " ▼"
    digits = digits_of_claim(low, high, 1)
    return f"{signed(value, digits)} {unit} ({fixed(low, digits)} … {fixed(high, digits)}){clear}"


def _counted(states: States) -> str:
    values = (states.get(name) for name in ("after", *states))
    measured = next((value for value in values if isinstance(value, MetricResult)), None)
    if measured is None or measured.n is None:
        return NOTHING
    drawn = f", drawn from {measured.facts['drawn_from']:,}" if "drawn_from" in measured.facts else ""
    return f"{measured.n:,} {'texts' if measured.counts == 'test_texts' else measured.counts}{drawn}"
