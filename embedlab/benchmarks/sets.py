"""The sets of tasks that the papers report, each with its own rule of averaging; SciRepEval's tasks are listed here."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from embedlab.benchmarks.base import BLOCKS, BenchmarkSet, BenchmarkTask, average_by_type, block_average, plain_average
from embedlab.store_root import read_json

TABLE = Path(__file__).with_name("tasks.json")  # as the pinned mteb describes its tasks; a test compares them


def _task(row: dict[str, Any]) -> BenchmarkTask:
    names = {name: tuple(row.get(name, ())) for name in ("splits", "subsets")}
    return BenchmarkTask(**{**row, **names, "parts": tuple(_task(part) for part in row.get("parts", ()))})


MTEB_TASKS = {row["key"]: _task(row) for row in read_json(TABLE)["tasks"]}
_BEIR = (
    "TRECCOVID NFCorpus NQ HotpotQA FiQA2018 ArguAna Touche2020 CQADupstackRetrieval QuoraRetrieval DBPedia SCIDOCS "
    "FEVER ClimateFEVER SciFact"
).split()
_USEB = (
    BenchmarkTask("AskUbuntu", "Reranking", "map"),
    BenchmarkTask("CQADupStack", "Retrieval", "map@100_found"),
    BenchmarkTask("TwitterPara", "PairClassification", "ap"),
    BenchmarkTask("SciDocs", "Reranking", "map"),
)
_RELATIVES = ("AskUbuntuDupQuestions", "CQADupstackRetrieval", "TwitterURLCorpus", "SciDocsRR")


def _of(keys: Iterable[str]) -> tuple[BenchmarkTask, ...]:
    return tuple(MTEB_TASKS[key] for key in keys)


PAPERS, PAPERS_REVISION = "allenai/scirepeval", "781d35d1bf87253b3dcd0fadcb82bfbee9c244f1"  # the commit mteb pins too
LABELS = "allenai/scirepeval_test"
LABELS_REVISION = "f94c9edc291826e8462c852e0bb49dcfaa5af4e6"  # the hub's own conversion to Parquet

PaperTaskKind = Literal["classification", "regression", "proximity", "search"]


@dataclass(frozen=True)
class SciRepEvalTask(BenchmarkTask):
    """``papers`` and ``labels`` are folders of the two data sets; the score is the mean of ``scores``, 0 to 1.

    ``few_shot``: sizes and repeats; their mean then counts as much as the score on the whole train part (SemCSE, A.4).
    """

    papers: str = ""
    labels: str = ""
    scores: tuple[str, ...] = ()
    few_shot: tuple[tuple[int, int], ...] = ()
    is_multi_label: bool = False
    fields: tuple[str, ...] = ("title", "abstract")

    @property
    def has_reviewers(self) -> bool:
        """Whether the candidates are people, known by their papers."""
        return self.labels == "paper_reviewer_matching"

    @property
    def datasets(self) -> tuple[BenchmarkTask, ...]:
        """The folder of papers, that of labels, and that of reviewers where people are looked for."""
        papers = BenchmarkTask(self.key, self.type, self.metric, PAPERS, PAPERS_REVISION, self.papers)
        labels = BenchmarkTask(self.key, self.type, self.metric, LABELS, LABELS_REVISION, self.labels)
        people = BenchmarkTask(self.key, self.type, self.metric, LABELS, LABELS_REVISION, "reviewers")
        return (papers, labels, people) if self.has_reviewers else (papers, labels)


def _paper_task(
    key: str, kind: PaperTaskKind, papers: str, labels: str = "", *scores: str, **more: Any
) -> SciRepEvalTask:
    revision = f"{PAPERS_REVISION}+{LABELS_REVISION}"
    scores = scores or {"regression": ("kendall",), "search": ("ndcg",)}.get(kind, ("map",))
    more |= {"papers": papers, "labels": labels or papers, "scores": scores}
    return SciRepEvalTask(key, kind, " and ".join(scores), PAPERS, revision, **more)


def _scidocs(key: str, labels: str) -> SciRepEvalTask:
    return _paper_task(f"SciDocs {key}", "proximity", "scidocs_view_cite_read", labels, "map", "ndcg")


SCIREPEVAL_TASKS = (
    _paper_task("Biomimicry", "classification", "biomimicry", "", "f1", few_shot=((64, 50), (16, 100))),
    _paper_task("DRSM", "classification", "drsm", "", "f1_macro", few_shot=((64, 50), (24, 100))),
    _paper_task(
        "Fields of study", "classification", "fos", "", "f1_macro", few_shot=((10, 50), (5, 100)), is_multi_label=True
    ),  # fmt: skip
    _paper_task("MeSH", "classification", "mesh_descriptors", "", "f1_macro"),
    _paper_task("SciDocs MAG", "classification", "scidocs_mag_mesh", "scidocs_mag", "f1_macro"),
    _paper_task("SciDocs MeSH", "classification", "scidocs_mag_mesh", "scidocs_mesh", "f1_macro"),
    _paper_task("Citation count", "regression", "cite_count"),
    _paper_task("Max h-index", "regression", "peer_review_score_hIndex", "hIndex"),
    _paper_task("Peer review score", "regression", "peer_review_score_hIndex", "peer_review_score"),
    _paper_task("Publication year", "regression", "pub_year"),
    _paper_task("Tweet mentions", "regression", "tweet_mentions"),
    _paper_task("Highly influential citations", "proximity", "high_influence_cite"),
    _paper_task("Paper-reviewer matching", "proximity", "paper_reviewer_matching", "", "precision@5", "precision@10"),
    _paper_task("RELISH", "proximity", "relish", "", "ndcg"),
    _paper_task("Same author", "proximity", "same_author"),
    _scidocs("Cite", "scidocs_cite"),
    _scidocs("CoCite", "scidocs_cocite"),
    _scidocs("CoRead", "scidocs_read"),
    _scidocs("CoView", "scidocs_view"),
    _paper_task("NFCorpus", "search", "nfcorpus"),
    _paper_task("Search", "search", "search", fields=("title", "abstract", "venue", "year")),
    _paper_task("TREC-CoVID", "search", "trec_covid"),
)

CROPS_TABLE_2 = BenchmarkSet(
    key="crops-table-2",
    title="Twelve MTEB tasks of the crops paper",
    sentence="Clustering, reranking, retrieval and STS: does an encoder tuned on one corpus help on others?",
    paper="Crops, Table 2",
    averaging="Mean of the four block means, each rounded to one decimal.",
    tasks=_of(task for tasks in BLOCKS.values() for task in tasks),
    average=block_average,
)
UNSEE = BenchmarkSet(
    key="unsee",
    title="MTEB, 56 English data sets",
    sentence="Seven types of task, from classification to summarization.",
    paper="UNSEE, Table 1",
    averaging="Mean of each type, weighted by its number of data sets.",
    tasks=tuple(MTEB_TASKS.values()),
    average=partial(average_by_type, types={task.key: task.type for task in MTEB_TASKS.values()}),
)
BEIR_14 = BenchmarkSet(
    key="beir-14",
    title="BEIR, 14 public data sets",
    sentence="Retrieval without training on it: questions, claims and titles retrieve their documents.",
    paper="LA(SER)³, Table 1",
    averaging="Plain mean of nDCG@10.",
    tasks=_of(_BEIR),
    average=partial(plain_average, tasks=tuple(_BEIR)),
)
USEB = BenchmarkSet(
    key="useb",
    title="USEB, four specialized data sets",
    sentence="AskUbuntu, CQADupStack, TwitterPara and SciDocs by the rules of the authors' evaluation.",
    paper="TSDAE, Table 2",
    averaging="Plain mean of the four.",
    tasks=_USEB,
    average=partial(plain_average, tasks=tuple(task.key for task in _USEB)),
    prefix="USEB",
    reader="useb",
)
LIKE_USEB = BenchmarkSet(
    key="like-useb",
    title="MTEB's relatives of USEB",
    sentence="Four MTEB tasks from the same sources, by MTEB's rules: similar to USEB, but not in any paper.",
    paper="",
    averaging="Plain mean of the four.",
    tasks=_of(_RELATIVES),
    average=partial(plain_average, tasks=_RELATIVES),
)
SCIREPEVAL = BenchmarkSet(
    key="scirepeval",
    title="SciRepEval, 22 tasks on scientific papers",
    sentence="Classes, numbers, related papers and search, by the rules of the authors' evaluation. S2AND is left "
    "out: it needs a separate clustering package.",
    paper="SemCSE, Tables 2 and 4–7",
    averaging="A task: mean of its scores, of which the few-shot ones together count half. A kind, and all: plain "
    "mean of the tasks.",
    tasks=SCIREPEVAL_TASKS,
    average=partial(average_by_type, types={task.key: task.type for task in SCIREPEVAL_TASKS}),
    measures="macro F1 for classification (Biomimicry: of the positive class), Kendall's τ for regression, MAP, nDCG "
    "and precision for proximity, nDCG for search",
    prefix="SciRepEval",
    reader="scirepeval",
)
