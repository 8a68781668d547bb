"""Measurements as rows: what a person reads, and the plain numbers to take away."""

import pyarrow as pa

from embedlab.compare.best import measures_of, title_of
from embedlab.compare.values import KNN, error_of
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.measurement import ByDistance
from embedlab.metrics import METRICS
from embedlab.numbers import accuracy, percent
from embedlab.runs.evaluations import CORPUS, Evaluations, baselines_beside
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import as_measured, read_result

NOTHING = "–"
STATES = {"before": "untouched", "after": "fine-tuned"}
_COUNTED = {"test_texts": "texts", "pairs": "pairs", "queries": "queries", "candidates": "candidates"}


Measurements = dict[str, dict[str, dict]]  # {metric: {before, after, difference, tfidf, …}}


def measurements(run: RunFolder, fingerprint: str, source: str, baselines: list[str]) -> ByDistance[Measurements]:
    """What is known of a run on one source, in display order.

    On its own corpus kNN accuracy is known from training; where it was evaluated since, that wins.
    """
    beside = {key: Evaluations(baselines_beside(run, fingerprint, source, key)) for key in baselines}
    order = {key: place for place, key in enumerate(METRICS.keys())}

    def measured(distance: Distance) -> Measurements:
        known = as_measured(read_result(run), distance) if source == CORPUS else {}
        found: Measurements = {KNN: known} if known else {}
        for key, states in Evaluations(run.path).values(source, distance).items():
            found[key] = {**found.get(key, {}), **states}
        for baseline, evaluations in beside.items():
            for metric, states in evaluations.values(source, distance).items():
                if metric in found:
                    found[metric][baseline] = states["after"]
        return dict(sorted(found.items(), key=lambda entry: (order[entry[0].partition("/")[0]], entry[0])))

    return ByDistance.of(measured)


def shown_table(
    found: ByDistance[Measurements],
    baselines: dict[str, str],
    *,
    beginning: str = "untouched",
    shown: Distance = SHOWN_FIRST,
) -> pa.Table:
    """One row a metric, as words: value ± error for each state, the change with its interval, the baselines.

    A metric that both distances measure has a row for each, the ``shown`` one first. ``beginning``: what the encoder
    before is called.
    """
    measured = [key for key in baselines if any(key in states for states in found.euclidean.values())]
    rows = [
        (title_of(key, distance), key, found.by(distance or EUCLIDEAN)[key])
        for key in found.euclidean
        for _, distance in measures_of(key, shown)
    ]
    columns: dict[str, list[str]] = {"metric": [title for title, _, _ in rows]}
    for state, name in (STATES | {"before": beginning}).items():
        columns[name] = [value_with_error(key, states.get(state)) for _, key, states in rows]
    columns["change (95 %)"] = [change(key, states.get("difference")) for _, key, states in rows]
    for baseline in measured:
        columns[baselines[baseline]] = [value_with_error(key, states.get(baseline)) for _, key, states in rows]
    columns["measured on"] = [_counted(states) for _, _, states in rows]
    return pa.table(columns)


def numbers_table(found: ByDistance[Measurements]) -> pa.Table:
    """One row a metric, distance and state: the numbers as they were measured."""
    names = ("value", "standard_error", "low", "high")
    rows = [
        {"metric": key, "distance": distance, "state": state, **{name: values.get(name) for name in names}}
        for key in found.euclidean
        for _, distance in measures_of(key, EUCLIDEAN)
        for state, values in found.by(distance or EUCLIDEAN)[key].items()
    ]
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def near_duplicates_line(found: ByDistance[Measurements], shown: Distance = SHOWN_FIRST) -> str:
    """kNN accuracy without the test texts that nearly repeat a train text; empty where there are none."""
    count = found.euclidean.get(KNN, {}).get("after", {}).get("near_duplicates")
    if not count:
        return ""
    said = []
    for _, distance in measures_of(KNN, shown):
        by = found.by(distance)[KNN]
        values = [by.get(state, {}).get("without_near_duplicates") for state in STATES]
        values = [percent(value) for value in values if value is not None]
        said += [f"{' → '.join(values)} by {DISTANCES[distance]}"] if values else []
    without = f"kNN accuracy without them: {', '.join(said)}."
    return f"{count:,} test texts nearly repeat a train text (TF-IDF cosine 0.9); {without}"


def is_rank(key: str) -> bool:
    """Whether the metric counts places, so that it is no share."""
    return not METRICS[key.partition("/")[0]].higher_is_better


def value_with_error(key: str, values: dict | None) -> str:
    """``58.9 % ± 1.4``, or a mean rank as it is."""
    if values is None or values.get("value") is None:
        return NOTHING
    error = error_of(values)
    if is_rank(key):
        return f"{values['value']:,.1f}" + (f" ± {error:.1f}" if error else "")
    return accuracy(values["value"], error)


def change(key: str, values: dict | None) -> str:
    """``+21.5 (18.9 … 24.0)`` with a sign for whether that is clear: ▲ better, ▼ worse, nothing if unclear."""
    if values is None or values.get("value") is None:
        return NOTHING
    scale = 1 if is_rank(key) else 100
    value, low, high = (None if values[name] is None else scale * values[name] for name in ("value", "low", "high"))
    if low is None or high is None:
        return f"{value:+.1f}".replace("-", "−")
    better = METRICS[key.partition("/")[0]].higher_is_better
    clear = "" if low <= 0 <= high else " ▲" if (low > 0) == better else " ▼"
    return f"{value:+.1f} ({low:.1f} … {high:.1f}){clear}".replace("-", "−")


def _counted(states: dict) -> str:
    values = states.get("after") or next(iter(states.values()), {})
    for name, word in _COUNTED.items():
        if isinstance(values.get(name), int):
            drawn = f", drawn from {values['drawn_from']:,}" if "drawn_from" in values else ""
            return f"{values[name]:,} {word}{drawn}"
    return NOTHING
