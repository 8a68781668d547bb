"""The sets of tasks that the papers report, each with its own rule of averaging."""

from functools import partial
from pathlib import Path

from embedlab.benchmarks.base import BLOCKS, BenchmarkSet, BenchmarkTask, average_by_type, block_average, plain_average
from embedlab.benchmarks.scirepeval_tasks import SCIREPEVAL_TASKS
from embedlab.store_root import read_json

TABLE = Path(__file__).with_name("tasks.json")  # as the pinned mteb describes its tasks; a test compares them


def _task(row: dict) -> BenchmarkTask:
    names = {name: tuple(row.get(name, ())) for name in ("splits", "subsets")}
    return BenchmarkTask(**{**row, **names, "parts": tuple(_task(part) for part in row.get("parts", ()))})


MTEB_TASKS = {row["key"]: _task(row) for row in read_json(TABLE)["tasks"]}
_TYPES = {task.key: task.type for task in MTEB_TASKS.values()}
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


def _of(keys) -> tuple[BenchmarkTask, ...]:
    return tuple(MTEB_TASKS[key] for key in keys)


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
    average=partial(average_by_type, types=_TYPES),
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
    title="USEB, four specialised data sets",
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
