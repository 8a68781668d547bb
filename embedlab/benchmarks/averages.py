"""How the papers make one number of many tasks: block average, weighted average, plain mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field

BLOCKS = {
    "clustering": (
        "ArxivClusteringP2P",
        "BiorxivClusteringP2P",
        "MedrxivClusteringP2P",
        "RedditClusteringP2P",
        "StackExchangeClusteringP2P",
    ),
    "reranking": ("SciDocsRR", "MindSmallReranking"),
    "retrieval": ("SCIDOCS", "ArguAna"),
    "STS": ("STS15", "STS16", "STSBenchmark"),
}


@dataclass(frozen=True)
class Averages:
    """One number over a set of tasks, None until every task has a score; and a mean for each group so far."""

    value: float | None
    groups: dict[str, float] = field(default_factory=dict)


def block_average(scores: Mapping[str, float]) -> Averages:
    """Mean of the four block means, each rounded to one decimal of a percent (crops paper, Table 2).  0 … 100"""
    groups = {
        block: round(_mean([scores[task] for task in tasks if task in scores]), 1)
        for block, tasks in BLOCKS.items()
        if any(task in scores for task in tasks)
    }
    whole = all(task in scores for tasks in BLOCKS.values() for task in tasks)
    return Averages(_mean(list(groups.values())) if whole else None, groups)


def average_by_type(scores: Mapping[str, float], types: Mapping[str, str]) -> Averages:
    """Mean of each type of task, and their mean weighted by the number of tasks (UNSEE, Table 1).

    The weighted mean over all tasks is the plain mean of them.  types: every task of the set -> its type
    """
    names: dict[str, list[str]] = {}
    for task, kind in types.items():
        names.setdefault(kind, []).append(task)
    groups = {
        kind: _mean([scores[task] for task in tasks if task in scores])
        for kind, tasks in names.items()
        if any(task in scores for task in tasks)
    }
    whole = all(task in scores for task in types)
    counts = {kind: len(tasks) for kind, tasks in names.items()}
    return Averages(weighted_average(groups, counts) if whole else None, groups)


def weighted_average(means: Mapping[str, float], counts: Mapping[str, int]) -> float:
    """Means of types, weighted by how many data sets each holds."""
    return sum(means[kind] * counts[kind] for kind in means) / sum(counts[kind] for kind in means)


def plain_average(scores: Mapping[str, float], tasks: tuple[str, ...] | None = None) -> Averages:
    """Unweighted mean of the tasks (LA(SER)³ Table 1; TSDAE Table 2), None until all ``tasks`` are there."""
    wanted = tuple(scores) if tasks is None else tasks
    whole = all(task in scores for task in wanted)
    return Averages(_mean([scores[task] for task in wanted]) if whole and wanted else None)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
