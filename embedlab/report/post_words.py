"""What centering, whitening or BERT-flow do to kNN accuracy: the best step in a sentence, the table, the remarks."""

from statistics import NormalDist

import pyarrow as pa

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, other_distance
from embedlab.figures.metric_bars import StepAccuracy
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.measuring import Evaluate
from embedlab.measurement import ByDistance, Change
from embedlab.numbers import accuracy, fixed, percent, points, share_range
from embedlab.runs.evaluations import Post
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.statistics.verdict import FEWEST_TEXTS

RAW, NOTHING = "Raw", "–"


def newest_job(run: RunFolder) -> RunFolder | None:
    """The newest job that measures steps of this run, in any state."""
    return next((job for job in find_jobs(Evaluate.task, run=run.id) if read_request(job, Evaluate).post), None)


def cells(post: Post, titles: dict[str, str], states: list[str]) -> list[StepAccuracy]:
    """The measured steps of each state by both distances."""
    return [
        StepAccuracy(title, state, distance, row.knn.by(distance), _by(distance, row.against_raw))
        for state in states
        for key, title in titles.items()
        if (row := post[key][state]).knn is not None
        for distance in (EUCLIDEAN, COSINE)
    ]


def _by(distance: Distance, change: ByDistance[Change] | None) -> Change | None:
    return None if change is None else change.by(distance)


def best_sentence(post: Post, titles: dict[str, str], state: str, *, opening: str) -> str:
    """The best step in one state, and its difference to the raw embeddings by the same distance."""
    measured = cells(post, titles, [state])
    steps = [(cell, cell.against_raw) for cell in measured if cell.against_raw is not None]
    if not steps:
        return ""
    raw = max((cell for cell in measured if cell.against_raw is None), key=lambda cell: cell.knn.value)
    best, difference = max(steps, key=lambda step: step[0].knn.value)
    change, low, high = among(difference, of=len(steps))
    named = f"{within(best.title)} ({DISTANCES[best.distance]})"
    against = f"{points(change)} against raw with the same distance ({share_range(low, high)})"
    if best.knn.value <= raw.knn.value:
        return (
            f"{opening}, no step does better than the raw embeddings ({DISTANCES[raw.distance]}), "
            f"{percent(raw.knn.value)}; of the steps {named} comes closest, {percent(best.knn.value)}."
        )
    if low > 0 and (raw.knn.n or 0) >= FEWEST_TEXTS:
        return f"{opening}, {named} is best: {percent(best.knn.value)}, {against}."
    return f"{opening}, no step is clearly better: {named} comes out best with {percent(best.knn.value)}, {against}."


def among(difference: Change, *, of: int) -> tuple[float, float, float]:
    """A paired difference with its 95 % interval widened for being the best of ``of`` (Bonferroni)."""
    middle, half = (difference.low + difference.high) / 2, (difference.high - difference.low) / 2
    half *= NormalDist().inv_cdf(1 - 0.025 / of) / 1.96
    return difference.difference, max(middle - half, -1.0), min(middle + half, 1.0)


def post_table(post: Post, titles: dict[str, str], states: list[str], first: Distance = SHOWN_FIRST) -> pa.Table:
    """One row per step, ``58.9 % ± 2.4`` by both distances before and after, the shown one first."""
    accuracies = {
        (cell.title, cell.distance, cell.state): accuracy(cell.knn.value, cell.error)
        for cell in cells(post, titles, states)
    }
    columns = {"embeddings": list(titles.values())}
    for distance in (first, other_distance(first)):
        for state in states:
            name = DISTANCES[distance].partition(" ")[0] + (f", {state}" if len(states) > 1 else "")
            columns[name] = [accuracies.get((title, distance, state), NOTHING) for title in titles.values()]
    return pa.table(columns)


def remarks(post: Post, titles: dict[str, str], states: list[str]) -> list[str]:
    """How it was measured, the steps' remarks, and which could not be fitted."""
    raw = post["raw"][states[0]]
    assert raw.knn is not None, "raw embeddings are never refused"
    lines = [
        f"{raw.knn.either.n:,} test texts, k = {raw.k}, ± one standard error. Differences are paired over "
        "the same test texts; their intervals account for picking the best of all steps."
    ]
    for key, title in titles.items():
        for state in states:
            row, when = post[key][state], f", {state}" if len(states) > 1 else ""
            if row.refused:
                lines.append(f"{title}{when}: not measured. {row.refused}")
            lines += [f"{title}{when}: {remark}" for remark in row.remarks]
            if row.bits_per_dimension is not None and row.bits_per_dimension_start is not None:
                start, end = (fixed(each, 2) for each in (row.bits_per_dimension_start, row.bits_per_dimension))
                lines.append(f"{title}{when}: {start} → {end} bits per dimension; fewer is likelier.")
    return lines


def within(title: str) -> str:
    """A title as it reads within a sentence: centering, whitening, BERT-flow."""
    return title.lower() if title.istitle() else title
