"""What a named set of tasks is: its tasks, where their texts come from, and how the paper averages them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from embedlab.benchmarks.averages import Averages


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
    def place(self) -> str:
        """``owner/name``, and the folder where only one is fetched."""
        return f"{self.dataset}/{self.under}" if self.under else self.dataset

    @property
    def datasets(self) -> tuple["BenchmarkTask", ...]:
        """What must be there: the parts of an aggregate, else the task itself."""
        return self.parts or (self,)


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

    def task(self, key: str) -> BenchmarkTask | None:
        """The task of this name, or None."""
        return next((task for task in self.tasks if task.key == key), None)

    def kept_as(self, task: BenchmarkTask) -> str:
        """Under which name the score is stored; names that are not mteb's would collide with its own."""
        return task.key if self.reader == "mteb" else f"{self.prefix}-{task.key.replace(' ', '-')}"
