"""Measurements as rows: what a person reads, and the plain numbers to take away."""

from math import isfinite

import pyarrow as pa

from embedlab.compare.best import measures_of, title_of
from embedlab.compare.values import KNN
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.measurement import ByDistance, Difference
from embedlab.metrics import METRICS
from embedlab.metrics.base import Measured
from embedlab.numbers import accuracy, digits_of_claim, percent
from embedlab.runs.evaluations import CORPUS, DIFFERENCE, Evaluations, States, baselines_beside
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import as_measured, read_result

NOTHING = "–"
RANKED = " (mean rank, lower is better)"
STATES = {"before": "untouched", "after": "fine-tuned"}
_COUNTED = {"test_texts": "texts", "pairs": "pairs", "queries": "queries", "candidates": "candidates"}


Measurements = dict[str, States]  # {metric: {before, after, difference, tfidf, …}}


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
    columns: dict[str, list[str]] = {"metric": [title + RANKED * is_rank(key) for title, key, _ in rows]}
    for state, name in (STATES | {"before": beginning}).items():
        columns[name] = [value_with_error(key, states.get(state)) for _, key, states in rows]
    columns["change (95 %)"] = [change(key, states.get(DIFFERENCE)) for _, key, states in rows]
    for baseline in measured:
        columns[baselines[baseline]] = [value_with_error(key, states.get(baseline)) for _, key, states in rows]
    columns["measured on"] = [_counted(states) for _, _, states in rows]
    return pa.table(columns)


def numbers_table(found: ByDistance[Measurements]) -> pa.Table:
    """One row a metric, distance and state: the numbers as they were measured."""
    names = ("value", "standard_error", "low", "high")
    rows = [
        {"metric": key, "distance": distance, "state": state, **{name: each.as_json().get(name) for name in names}}
        for key in found.euclidean
        for _, distance in measures_of(key, EUCLIDEAN)
        for state, each in found.by(distance or EUCLIDEAN)[key].items()
    ]
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def near_duplicates_line(found: ByDistance[Measurements], shown: Distance = SHOWN_FIRST) -> str:
    """kNN accuracy without the test texts that nearly repeat a train text; empty where there are none."""
    after = found.euclidean.get(KNN, {}).get("after")
    count = None if after is None else after.facts.get("near_duplicates")
    if not count:
        return ""
    said = []
    for _, distance in measures_of(KNN, shown):
        by = found.by(distance)[KNN]
        values = [by[state].facts.get("without_near_duplicates") for state in STATES if state in by]
        values = [percent(value) for value in values if value is not None]
        said += [f"{' → '.join(values)} ({DISTANCES[distance]})"] if values else []
    without = f"kNN accuracy without them: {', '.join(said)}."
    return f"{count:,} test texts nearly repeat a train text (TF-IDF cosine 0.9); {without}"


def is_rank(key: str) -> bool:
    """Whether the metric counts places, so that it is no share."""
    return not METRICS[key.partition("/")[0]].higher_is_better


def value_with_error(key: str, found: Measured | None) -> str:
    """``58.9 % ± 1.4``, ``rank 12.3 ± 0.5``"""
    if found is None:
        return NOTHING
    if is_rank(key):
        return f"rank {found.value:,.1f}" + (f" ± {found.error:.1f}" if found.error else "")
    return accuracy(found.value, found.error)


def change(key: str, found: Difference | None) -> str:
    """``+21.5 points (18.9 … 24.0)``, ``−3.0 ranks (−4.0 … −2.0)``, with a sign for whether that is clear: ▲ better,
    ▼ worse, nothing if unclear.
    """
    if found is None or not isfinite(found.value):
        return NOTHING
    value, low, high = (number * (1 if is_rank(key) else 100) for number in (found.value, found.low, found.high))
    unit = "ranks" if is_rank(key) else "points"
    if not isfinite(high - low):
        return f"{value:+.1f} {unit}".replace("-", "−")
    clear = "" if low <= 0 <= high else " ▲" if (low > 0) != is_rank(key) else " ▼"
    digits = digits_of_claim(low, high, 1)
    return f"{value:+.{digits}f} {unit} ({low:.{digits}f} … {high:.{digits}f}){clear}".replace("-", "−")


def _counted(states: States) -> str:
    found = states.get("after") or next((each for name, each in states.items() if name != DIFFERENCE), None)
    if found is None or found.n is None:
        return NOTHING
    drawn = f", drawn from {found.facts['drawn_from']:,}" if "drawn_from" in found.facts else ""
    return f"{found.n:,} {_COUNTED.get(found.counts, found.counts)}{drawn}"
