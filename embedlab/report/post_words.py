"""What centering, whitening or BERT-flow do to kNN accuracy: the best step in a sentence, the table, the remarks."""

from statistics import NormalDist
from typing import Any

import pyarrow as pa

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, other_distance
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.measuring import Evaluate
from embedlab.numbers import accuracy, fixed, percent, points, share_range
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.statistics.verdict import FEWEST_TEXTS

RAW, NOTHING = "Raw", "–"
_NAMES = {"euclidean": "Euclidean", "cosine": "cosine"}


def newest_job(run: RunFolder) -> RunFolder | None:
    """The newest job that measures steps of this run, in any state."""
    return next((job for job in find_jobs(Evaluate.task, run=run.id) if read_request(job, Evaluate).post), None)


def cells(evaluations: dict, titles: dict[str, str], states: list[str]) -> list[dict[str, Any]]:
    """The measured steps of each state by both distances: title, distance, value, standard error, difference to raw."""
    measured = [
        (key, title, state, evaluations[key][state])
        for state in states
        for key, title in titles.items()
        if "knn" in evaluations[key][state]
    ]
    return [
        {
            "title": title,
            "state": state,
            "distance": distance,
            "value": row["knn"][distance]["value"],
            "standard_error": row["knn"][distance]["error"],
            "against_raw": None if key == "raw" else row["against_raw"][distance],
        }
        for key, title, state, row in measured
        for distance in (EUCLIDEAN, COSINE)
    ]


def best_sentence(evaluations: dict, titles: dict[str, str], state: str, *, opening: str) -> str:
    """The best step in one state, and its difference to the raw embeddings by the same distance."""
    measured = cells(evaluations, titles, [state])
    steps = [cell for cell in measured if cell["against_raw"] is not None]
    if not steps:
        return ""
    raw = max((cell for cell in measured if cell["against_raw"] is None), key=lambda cell: cell["value"])
    best = max(steps, key=lambda cell: cell["value"])
    change, low, high = among(best["against_raw"], of=len(steps))
    named = f"{within(best['title'])} ({DISTANCES[best['distance']]})"
    against = f"{points(change)} against raw with the same distance ({share_range(low, high)})"
    if best["value"] <= raw["value"]:
        return (
            f"{opening}, no step does better than the raw embeddings ({DISTANCES[raw['distance']]}), "
            f"{percent(raw['value'])}; of the steps {named} comes closest, {percent(best['value'])}."
        )
    if low > 0 and evaluations["raw"][state]["knn"][EUCLIDEAN]["n"] >= FEWEST_TEXTS:
        return f"{opening}, {named} is best: {percent(best['value'])}, {against}."
    return f"{opening}, no clear change: {named} comes out best with {percent(best['value'])}, {against}."


def among(difference: dict, *, of: int) -> tuple[float, float, float]:
    """A paired difference with its 95 % interval widened for being the best of ``of`` (Bonferroni)."""
    middle, half = (difference["low"] + difference["high"]) / 2, (difference["high"] - difference["low"]) / 2
    half *= NormalDist().inv_cdf(1 - 0.025 / of) / 1.96
    return difference["difference"], max(middle - half, -1.0), min(middle + half, 1.0)


def post_table(evaluations: dict, titles: dict[str, str], states: list[str], first: Distance = SHOWN_FIRST) -> pa.Table:
    """One row per step, ``58.9 % ± 2.4`` by both distances before and after, the shown one first."""
    accuracies = {(cell["title"], cell["distance"], cell["state"]): accuracy(cell["value"], cell["standard_error"])
            for cell in cells(evaluations, titles, states)}  # fmt: skip
    columns = {"embeddings": list(titles.values())}
    for distance in (first, other_distance(first)):
        for state in states:
            name = f"{_NAMES[distance]}, {state}" if len(states) > 1 else _NAMES[distance]
            columns[name] = [accuracies.get((title, distance, state), NOTHING) for title in titles.values()]
    return pa.table(columns)


def remarks(evaluations: dict, titles: dict[str, str], states: list[str]) -> list[str]:
    """How it was measured, the steps' remarks, and which could not be fitted."""
    raw = evaluations["raw"][states[0]]
    lines = [
        f"{raw['knn'][EUCLIDEAN]['n']:,} test texts, k = {raw['k']}, ± one standard error. Differences are paired over "
        "the same test texts; their intervals account for picking the best of all steps."
    ]
    for key, title in titles.items():
        for state in states:
            row, when = evaluations[key][state], f", {state}" if len(states) > 1 else ""
            if "refused" in row:
                lines.append(f"{title}{when}: not measured. {row['refused']}")
            lines += [f"{title}{when}: {remark}" for remark in row.get("remarks", ())]
            if "bits_per_dimension" in row:
                start, end = (fixed(row[name], 2) for name in ("bits_per_dimension_start", "bits_per_dimension"))
                lines.append(f"{title}{when}: {start} → {end} bits per dimension; fewer is likelier.")
    return lines


def within(title: str) -> str:
    """A title as it reads within a sentence: centering, whitening, BERT-flow."""
    return title.lower() if title.istitle() else title
