"""Measurements as rows: what a person reads, and the plain numbers to take away."""

import pyarrow as pa

from embedlab.metrics import METRICS
from embedlab.runs.evaluations import Evaluations, baselines_beside
from embedlab.runs.folder import RunFolder

NOTHING = "–"
STATES = {"before": "untouched", "after": "fine-tuned"}
_COUNTED = {"test_texts": "texts", "pairs": "pairs", "queries": "queries", "candidates": "candidates"}


def measurements(run: RunFolder, fingerprint: str, source: str, baselines: list[str]) -> dict[str, dict]:
    """``{metric: {before, after, difference, tfidf, …}}`` of a run on one source, in display order."""
    found: dict[str, dict] = {key: dict(states) for key, states in Evaluations(run.path).values(source).items()}
    for key in baselines:
        for metric, states in Evaluations(baselines_beside(run, fingerprint, source, key)).values(source).items():
            if metric in found:
                found[metric][key] = states["after"]
    order = {key: place for place, key in enumerate(METRICS.keys())}
    return dict(sorted(found.items(), key=lambda entry: (order[entry[0].partition("/")[0]], entry[0])))


def shown_table(found: dict[str, dict], baselines: dict[str, str], *, beginning: str = "untouched") -> pa.Table:
    """One row a metric, as words: value ± error for each state, the change with its interval, the baselines.

    ``beginning``: what the encoder before is called.
    """
    measured = [key for key in baselines if any(key in states for states in found.values())]
    columns: dict[str, list[str]] = {"metric": [title_of(key) for key in found]}
    for state, name in (STATES | {"before": beginning}).items():
        columns[name] = [told(key, states.get(state)) for key, states in found.items()]
    columns["change (95 %)"] = [change(key, states.get("difference")) for key, states in found.items()]
    for key in measured:
        columns[baselines[key]] = [told(metric, states.get(key)) for metric, states in found.items()]
    columns["measured on"] = [_counted(states) for states in found.values()]
    return pa.table(columns)


def numbers_table(found: dict[str, dict]) -> pa.Table:
    """One row a metric and state: the numbers as they were measured."""
    rows = [
        {
            "metric": key,
            "state": state,
            "value": values.get("value"),
            "standard_error": values.get("standard_error"),
            "low": values.get("low"),
            "high": values.get("high"),
        }
        for key, states in found.items()
        for state, values in states.items()
    ]
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def near_duplicates_line(found: dict[str, dict]) -> str:
    """kNN accuracy without the test texts that nearly repeat a train text; empty where there are none."""
    states = found.get("knn", {})
    after, before = states.get("after", {}), states.get("before", {})
    if not after.get("near_duplicates"):
        return ""
    values = [each.get("without_near_duplicates") for each in (before, after)]
    said = " → ".join(f"{100 * value:.1f} %" for value in values if value is not None)
    count = after["near_duplicates"]
    return f"{count:,} test texts nearly repeat a train text (TF-IDF cosine 0.9); kNN accuracy without them: {said}."


def title_of(key: str) -> str:
    """``Linear probe, ten folds``"""
    metric, _, protocol = key.partition("/")
    return METRICS[metric].title + (", ten folds" if protocol == "cv10" else "")


def is_rank(key: str) -> bool:
    """Whether the metric counts places, so that it is no share."""
    return not METRICS[key.partition("/")[0]].higher_is_better


def told(key: str, values: dict | None) -> str:
    """``58.9 % ± 1.4``, or a mean rank as it is."""
    if values is None or values.get("value") is None:
        return NOTHING
    error = values.get("standard_error", values.get("sd"))
    if is_rank(key):
        return f"{values['value']:,.1f}" + (f" ± {error:.1f}" if error else "")
    return f"{100 * values['value']:.1f} %" + (f" ± {100 * error:.1f}" if error else "")


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
    values = states.get("after") or next(iter(states.values()))
    for name, word in _COUNTED.items():
        if isinstance(values.get(name), int):
            return f"{values[name]:,} {word}"
    return NOTHING
