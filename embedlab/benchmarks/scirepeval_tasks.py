"""SciRepEval's tasks as its authors' table has them: which tables, which scores, which few-shot repeats."""

from dataclasses import dataclass
from typing import Literal

from embedlab.benchmarks.base import BenchmarkTask

PAPERS, PAPERS_REVISION = "allenai/scirepeval", "781d35d1bf87253b3dcd0fadcb82bfbee9c244f1"  # the commit mteb pins too
LABELS = "allenai/scirepeval_test"
LABELS_REVISION = "f94c9edc291826e8462c852e0bb49dcfaa5af4e6"  # the hub's own conversion to Parquet
REVIEWERS = "reviewers"  # the folder that lists the papers of each reviewer

Kind = Literal["classification", "regression", "proximity", "search"]


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
        people = BenchmarkTask(self.key, self.type, self.metric, LABELS, LABELS_REVISION, REVIEWERS)
        return (papers, labels, people) if self.has_reviewers else (papers, labels)


def _task(key: str, type: Kind, papers: str, labels: str = "", *scores: str, **more) -> SciRepEvalTask:
    revision = f"{PAPERS_REVISION}+{LABELS_REVISION}"
    scores = scores or {"regression": ("kendall",), "search": ("ndcg",)}.get(type, ("map",))
    told = {"papers": papers, "labels": labels or papers, "scores": scores, **more}
    return SciRepEvalTask(key, type, " and ".join(scores), PAPERS, revision, **told)


def _scidocs(key: str, labels: str) -> SciRepEvalTask:
    return _task(f"SciDocs {key}", "proximity", "scidocs_view_cite_read", labels, "map", "ndcg")


SCIREPEVAL_TASKS = (
    _task("Biomimicry", "classification", "biomimicry", "", "f1", few_shot=((64, 50), (16, 100))),
    _task("DRSM", "classification", "drsm", "", "f1_macro", few_shot=((64, 50), (24, 100))),
    _task(
        "Fields of study", "classification", "fos", "", "f1_macro", few_shot=((10, 50), (5, 100)), is_multi_label=True
    ),  # fmt: skip
    _task("MeSH", "classification", "mesh_descriptors", "", "f1_macro"),
    _task("SciDocs MAG", "classification", "scidocs_mag_mesh", "scidocs_mag", "f1_macro"),
    _task("SciDocs MeSH", "classification", "scidocs_mag_mesh", "scidocs_mesh", "f1_macro"),
    _task("Citation count", "regression", "cite_count"),
    _task("Max h-index", "regression", "peer_review_score_hIndex", "hIndex"),
    _task("Peer review score", "regression", "peer_review_score_hIndex", "peer_review_score"),
    _task("Publication year", "regression", "pub_year"),
    _task("Tweet mentions", "regression", "tweet_mentions"),
    _task("Highly influential citations", "proximity", "high_influence_cite"),
    _task("Paper-reviewer matching", "proximity", "paper_reviewer_matching", "", "precision@5", "precision@10"),
    _task("RELISH", "proximity", "relish", "", "ndcg"),
    _task("Same author", "proximity", "same_author"),
    _scidocs("Cite", "scidocs_cite"),
    _scidocs("CoCite", "scidocs_cocite"),
    _scidocs("CoRead", "scidocs_read"),
    _scidocs("CoView", "scidocs_view"),
    _task("NFCorpus", "search", "nfcorpus"),
    _task("Search", "search", "search", fields=("title", "abstract", "venue", "year")),
    _task("TREC-CoVID", "search", "trec_covid"),
)
