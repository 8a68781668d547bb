"""What a set comes to for one encoder: every score so far, the groups' means, the average once it is whole."""

from embedlab.benchmarks.base import BenchmarkSet
from embedlab.published import published_values
from embedlab.runs.benchmarks import read_score


def summary_of(encoder_hash: str, benchmark: BenchmarkSet) -> dict:
    """Scores, groups and average as shares; the average is null until every task of the set has a score."""
    scores = {}
    for task in benchmark.tasks:
        kept = read_score(encoder_hash, benchmark.kept_as(task))
        if kept is not None and (benchmark.reader == "useb" or kept["revision"] == task.revision):
            scores[task.key] = kept["score"]
    averages = benchmark.average({key: 100 * score for key, score in scores.items()})
    return {
        "set": benchmark.key,
        "encoder_hash": encoder_hash,
        "scores": scores,
        "groups": {name: mean / 100 for name, mean in averages.groups.items()},
        "average": None if averages.value is None else averages.value / 100,
        "averaging": benchmark.averaging,
        "tasks": len(benchmark.tasks),
    }


def printed_beside(benchmark: BenchmarkSet, *, encoder: str | None, recipe: str | None) -> list[dict]:
    """What papers print on this set for the same encoder and recipe, as shares."""
    if encoder is None:
        return []
    rows = published_values(benchmark=benchmark.key, encoder=encoder, recipe=recipe, setting="")
    return [
        {"task": row.task, "model": row.model, "value": row.share, "paper": row.paper, "table": row.table}
        for row in rows
    ]
