"""A benchmark set on a page: its scores by type of task, those that papers print for it, and the data sets it needs."""

from collections.abc import Sequence
from dataclasses import dataclass

from embedlab.benchmarks.base import BenchmarkSet
from embedlab.comparison.published import Published, published_values
from embedlab.runs.benchmark_scores import SetScores, read_pointer, read_summary
from embedlab.runs.folder import RunFolder


def gained(benchmark: BenchmarkSet, scores: dict[str, SetScores]) -> list[tuple[str, int, float]]:
    """The gain of each retrieval task: name, characters, after minus before; if both have a score."""
    if not {"before", "after"} <= scores.keys():
        return []
    before, after = (scores[state].scores for state in ("before", "after"))
    return [
        (task.key, task.characters, after[task.key] - before[task.key])
        for task in benchmark.tasks
        if task.characters and task.key in before and task.key in after
    ]


@dataclass(frozen=True)
class ScoreRow:
    """The scores of one task, of a type of task, or the average, by the state of the run's encoder."""

    name: str
    key: str
    values: dict[str, float | None]
    is_task: bool = False


def group_rows(benchmark: BenchmarkSet, scores: dict[str, SetScores], models: Sequence[str] = ()) -> list[ScoreRow]:
    """One row per type of task, then its tasks with a score (if none: those that a paper prints), then the average.

    scores: by the state of the run's encoder
    """
    rows = []
    types = list(dict.fromkeys(task.type for task in benchmark.tasks))
    for kind in types:
        tasks = [task.key for task in benchmark.tasks if task.type == kind]
        measured = [key for key in tasks if any(key in summary.scores for summary in scores.values())]
        if len(types) > 1:
            values = {state: _group_mean(summary, kind, tasks) for state, summary in scores.items()}
            rows.append(ScoreRow(f"{kind}, {len(measured)} of {len(tasks)}", kind, values))
        printed = [key for key in tasks if any(printed_value(benchmark.key, model, key) for model in models)]
        for key in measured if scores else printed:
            values = {state: summary.scores.get(key) for state, summary in scores.items()}
            rows.append(ScoreRow(key, key, values, is_task=True))
    values = {state: summary.average for state, summary in scores.items()}
    return [*rows, ScoreRow("Average", "average", values)]


def printed_models(benchmark: str, *, encoder: str | None, recipe: str | None) -> list[str]:
    """The models that a paper reports on this set: those most similar to the run first, then as printed."""
    rows = [row for row in published_values(benchmark=benchmark, setting="") if row.task == "average"]
    likeness = {row.model: (row.encoder == encoder) + 2 * (row.recipe == recipe and recipe is not None) for row in rows}
    return sorted(likeness, key=lambda model: -likeness[model])


def printed_value(benchmark: str, model: str, key: str) -> Published | None:
    """The value that a paper prints for a model on a task, a type of task or the average."""
    matches = published_values(benchmark=benchmark, model=model, task=key, setting="")
    return matches[0] if matches else None


def notes_of(benchmark: str, models: list[str]) -> list[str]:
    """Sources of the printed values, and the notes on them."""
    rows = [row for row in published_values(benchmark=benchmark, setting="") if row.model in models]
    sources = dict.fromkeys(f"{row.paper}, {row.table} ({row.source})" for row in rows)
    noted: dict[str, dict] = {}
    for row in rows:
        if row.note:
            noted.setdefault(row.note, {})[row.model] = None
    notes = [f"{'; '.join(named)}: {note}" for note, named in noted.items()]
    return [f"Gray: {'; '.join(sources)}."] * bool(sources) + notes


def _group_mean(summary: SetScores, kind: str, tasks: list[str]) -> float | None:
    groups = {name.casefold(): mean for name, mean in summary.groups.items()}  # the crops paper's are in lower case
    if kind.casefold() in groups:
        return groups[kind.casefold()]
    values = [summary.scores[key] for key in tasks if key in summary.scores]
    return sum(values) / len(values) if values else None


STATES = {"before": "Untouched", "after": "Fine-tuned"}


def summaries_of(run: RunFolder, benchmark: str) -> dict[str, SetScores]:
    """The set's scores so far, by the state of the run's encoder; states without a score are left out."""
    summaries = {}
    for state in STATES:
        encoder_hash = read_pointer(run, state)
        summary = read_summary(encoder_hash, benchmark) if encoder_hash else None
        if summary is not None and summary.scores:
            summaries[state] = summary
    return summaries
