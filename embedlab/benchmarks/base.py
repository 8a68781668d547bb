"""What a named set of tasks is: its tasks, the data sets they need, and the paper's way of averaging."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from embedlab.hub import cached_dataset
from embedlab.numbers import counted, joined

if TYPE_CHECKING:
    import numpy as np

Embed = Callable[[list[str]], "np.ndarray"]  # texts -> (texts, dim)
REQUIREMENTS = "embedlab/benchmarks/requirements-mteb.txt"
_PACKAGES = {"mteb": "mteb", "scirepeval": "pytrec_eval"}  # that a reader imports, of those that only it needs
_NAMED = 4  # data sets that a sentence names; the rest are counted


@dataclass(frozen=True)
class Averages:
    """One number over a set of tasks, None until every task has a score; and the mean of each group so far."""

    value: float | None
    groups: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TaskScore:
    """The score of a task that is read here, a share; the scores that it averages; the number of texts and queries."""

    value: float
    parts: dict[str, float] = field(default_factory=dict)
    texts: int = 0
    skipped: int = 0  # queries that no candidate answers, or without a title


@dataclass(frozen=True)
class BenchmarkTask:
    """One task: its main score is between 0 and 1 (a Spearman correlation between −1 and 1), higher is better."""

    key: str  # mteb's name, or USEB's
    type: str  # Classification, Clustering, PairClassification, Reranking, Retrieval, STS, Summarization
    metric: str  # the main score
    dataset: str = ""  # owner/name on the hub; empty for an aggregate and for USEB
    revision: str = ""  # the commit that is fetched
    under: str = ""  # the folder of the data set that is fetched; empty for all of it
    splits: tuple[str, ...] = ()  # that are scored
    subsets: tuple[str, ...] = ()  # languages, as the data set calls them
    texts: int | None = None  # held by the splits that are read; None where only the files know
    characters: int | None = None  # of a document on average, where a task searches documents
    parts: tuple["BenchmarkTask", ...] = ()  # of an aggregate, whose score is their mean

    @property
    def datasets(self) -> tuple["BenchmarkTask", ...]:
        """The tasks whose data sets are needed: the parts of an aggregate, otherwise the task itself."""
        return self.parts or (self,)

    @property
    def is_here(self) -> bool:
        """Whether all its data is on this computer."""
        fetched = [each for each in self.datasets if each.dataset]
        return all(cached_dataset(each.dataset, each.revision, each.under) is not None for each in fetched)


@dataclass(frozen=True)
class BenchmarkSet:
    """Tasks that a paper reports together."""

    key: str
    title: str
    sentence: str
    paper: str
    averaging: str  # the rule in words
    tasks: tuple[BenchmarkTask, ...]
    average: Callable[[Mapping[str, float]], Averages]  # of scores in percent
    measures: str = (
        "V-measure for clustering, MAP for reranking, nDCG@10 for retrieval, Spearman for STS, accuracy for "
        "classification"
    )
    prefix: str = ""  # of the names under which scores are stored, where the tasks are not mteb's
    reader: str = "mteb"  # or useb: files in a folder that the user names; or scirepeval: tables of the hub

    @property
    def not_installed(self) -> str | None:
        """What has to be installed before it is measured, in a sentence; None where nothing has."""
        package = _PACKAGES.get(self.reader)
        if package is None or find_spec(package) is not None:
            return None
        return (
            f"The package {package} is needed to measure this set, but is not installed. Install it with: "
            f"pip install -r {REQUIREMENTS}."
        )

    def task(self, key: str) -> BenchmarkTask | None:
        """The task of this name, or None."""
        return next((task for task in self.tasks if task.key == key), None)

    def stored_name(self, task: BenchmarkTask) -> str:
        """Under which name the score is stored; names that are not mteb's would collide with its own."""
        return task.key if self.reader == "mteb" else f"{self.prefix}-{task.key.replace(' ', '-')}"


BLOCKS: dict[str, Sequence[str]] = {
    "clustering": (
        "ArxivClusteringP2P BiorxivClusteringP2P MedrxivClusteringP2P RedditClusteringP2P StackExchangeClusteringP2P"
    ).split(),
    "reranking": ("SciDocsRR", "MindSmallReranking"),
    "retrieval": ("SCIDOCS", "ArguAna"),
    "STS": ("STS15", "STS16", "STSBenchmark"),
}


def block_average(scores: Mapping[str, float]) -> Averages:
    """Mean of the four block means, each rounded to one decimal of a percent (crops paper, Table 2).  0 … 100"""
    groups = {block: round(mean, 1) for block, mean in _group_means(scores, BLOCKS).items()}
    whole = all(task in scores for tasks in BLOCKS.values() for task in tasks)
    return Averages(_mean(list(groups.values())) if whole else None, groups)


def average_by_type(scores: Mapping[str, float], types: Mapping[str, str]) -> Averages:
    """Mean of each type of task, and their mean weighted by the number of tasks (UNSEE, Table 1).

    The weighted mean over all tasks is the plain mean of them.  types: every task of the set -> its type
    """
    names: dict[str, list[str]] = {}
    for task, kind in types.items():
        names.setdefault(kind, []).append(task)
    groups = _group_means(scores, names)
    whole = all(task in scores for task in types)
    counts = {kind: len(tasks) for kind, tasks in names.items()}
    return Averages(weighted_average(groups, counts) if whole else None, groups)


def weighted_average(means: Mapping[str, float], counts: Mapping[str, int]) -> float:
    """Means by type, weighted by the number of data sets."""
    return sum(means[kind] * counts[kind] for kind in means) / sum(counts[kind] for kind in means)


def plain_average(scores: Mapping[str, float], tasks: tuple[str, ...] | None = None) -> Averages:
    """Unweighted mean of the tasks (LA(SER)³ Table 1; TSDAE Table 2), None until all ``tasks`` have a score."""
    expected = tuple(scores) if tasks is None else tasks
    whole = all(task in scores for task in expected)
    return Averages(_mean([scores[task] for task in expected]) if whole and expected else None)


def _group_means(scores: Mapping[str, float], groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """The mean over the tasks of a group that have a score; groups without one are left out."""
    measured = {group: [scores[task] for task in tasks if task in scores] for group, tasks in groups.items()}
    return {group: _mean(values) for group, values in measured.items() if values}


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True)
class DatasetNeed:
    """One data set of one task."""

    task: str
    type: str
    dataset: str  # owner/name, and the folder where only one is wanted
    revision: str
    texts: int | None
    is_local: bool = False

    @classmethod
    def of(cls, task: BenchmarkTask, part: BenchmarkTask, *, is_local: bool = False) -> "DatasetNeed":
        """The need of a task for one of its ``datasets``."""
        path = f"{part.dataset}/{part.under}" if part.under else part.dataset
        return cls(task.key, task.type, path, part.revision, part.texts, is_local)


def needs_of(tasks: tuple[BenchmarkTask, ...]) -> list[DatasetNeed]:
    """One row per data set; an aggregate has several. Nothing is downloaded, and mteb is not loaded."""
    return [DatasetNeed.of(task, part, is_local=part.is_here) for task in tasks for part in task.datasets]


def needs_sentence(needs: list[DatasetNeed]) -> str:
    """``2 data sets would be fetched, 15,563 texts in all: mteb/arguana (10,080 texts) and mteb/scifact (…).``"""
    names = [f"{need.dataset} ({need.texts:,} texts)" if need.texts else need.dataset for need in needs[:_NAMED]]
    if len(needs) > _NAMED:
        names.append(f"{len(needs) - _NAMED} more")
    held = "the number of texts is only known from the files"
    if all(need.texts for need in needs):
        held = f"{sum(need.texts or 0 for need in needs):,} texts in all"
    return f"{counted(len(needs), 'data set')} would be downloaded, {held}: {joined(names)}."
