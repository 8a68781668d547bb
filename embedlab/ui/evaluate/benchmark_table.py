"""A run's scores on a set of public tasks, grouped, with the papers' printed values beside them."""

import pyarrow as pa

from embedlab.benchmarks.base import BenchmarkSet
from embedlab.compare.published import Published, published_values
from embedlab.ui.frame.text import escaped

NOTHING = "–"
BESIDE = 4  # models of a paper that are shown unless somebody chooses others
_BLOCK = {
    "Clustering": "clustering",
    "Reranking": "reranking",
    "Retrieval": "retrieval",
    "STS": "STS",
}  # the crops paper's names of types of task


def group_rows(benchmark: BenchmarkSet, scores: dict[str, dict], models: list[str] = ()) -> list[dict]:
    """One row a type of task, then its tasks that have a score (without any: that a paper prints), then the average.

    scores: state -> the summary of the set; each row: ``name kind (group, task or average) key values`` by state.
    """
    found = []
    types = list(dict.fromkeys(task.type for task in benchmark.tasks))
    for kind in types:
        tasks = [task.key for task in benchmark.tasks if task.type == kind]
        measured = [key for key in tasks if any(key in summary["scores"] for summary in scores.values())]
        if len(types) > 1:
            values = {state: _group_mean(summary, kind, tasks) for state, summary in scores.items()}
            name = f"{kind}, {len(measured)} of {len(tasks)}"
            found.append({"name": name, "kind": "group", "key": kind, "values": values})
        printed = [key for key in tasks if any(printed_value(benchmark.key, model, key) for model in models)]
        for key in measured if scores else printed:
            values = {state: summary["scores"].get(key) for state, summary in scores.items()}
            found.append({"name": key, "kind": "task", "key": key, "values": values})
    values = {state: summary["average"] for state, summary in scores.items()}
    found.append({"name": "Average", "kind": "average", "key": "average", "values": values})
    return found


def printed_models(benchmark: str, *, encoder: str | None, recipe: str | None) -> list[str]:
    """The models that a paper has on this set: those most like the run first, then as printed."""
    rows = [row for row in published_values(benchmark=benchmark, setting="") if row.task == "average"]
    likeness = {row.model: (row.encoder == encoder) + 2 * (row.recipe == recipe and recipe is not None) for row in rows}
    return sorted(likeness, key=lambda model: -likeness[model])


def printed_value(benchmark: str, model: str, key: str) -> Published | None:
    """What the paper prints for a model on a task, a type of task or the average."""
    found = published_values(benchmark=benchmark, model=model, task=key, setting="")
    return found[0] if found else None


def scores_table(benchmark: BenchmarkSet, rows: list[dict], states: dict[str, str], models: list[str]) -> pa.Table:
    """Percent with one decimal; groups and the average in bold, the papers' columns in grey.

    states: state -> the head of its column
    """
    columns = {"Task": [_bold(escaped(row["name"]), row) for row in rows]}
    for state, head in states.items():
        columns[head] = [_bold(_percent(row["values"].get(state)), row) for row in rows]
    for model in models:
        values = [printed_value(benchmark.key, model, row["key"]) for row in rows]
        columns[f":gray[{escaped(model)}]"] = [f":gray[{_percent(v.share if v else None)}]" for v in values]
    return pa.table(columns)


def notes_of(benchmark: str, models: list[str]) -> list[str]:
    """Where the printed values stand, and what has to be known about them."""
    rows = [row for row in published_values(benchmark=benchmark, setting="") if row.model in models]
    sources = dict.fromkeys(f"{row.paper}, {row.table} ({row.source})" for row in rows)
    noted: dict[str, dict] = {}
    for row in rows:
        if row.note:
            noted.setdefault(row.note, {})[row.model] = None
    notes = [f"{'; '.join(named)}: {note}" for note, named in noted.items()]
    return [f"Grey: {'; '.join(sources)}."] * bool(sources) + notes


def _group_mean(summary: dict, kind: str, tasks: list[str]) -> float | None:
    groups = summary["groups"]
    for name in (kind, _BLOCK.get(kind)):
        if name in groups:
            return groups[name]
    values = [summary["scores"][key] for key in tasks if key in summary["scores"]]
    return sum(values) / len(values) if values else None


def _bold(written: str, row: dict) -> str:
    return written if row["kind"] == "task" or written == NOTHING else f"**{written}**"


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}".replace("-", "−")
