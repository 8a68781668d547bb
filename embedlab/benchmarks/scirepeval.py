"""SciRepEval's four kinds of task by the rules of its authors' evaluation (SemCSE, section 6, A.4 and C).

A linear SVM on the embeddings for classes and numbers, Euclidean distance for candidates; scikit-learn's solvers in
place of the authors' lightning, so classes and numbers come near theirs, not to the last digit.
"""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy.stats import kendalltau
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC, LinearSVR

from embedlab.benchmarks.base import Embed, TaskScore
from embedlab.benchmarks.sets import SciRepEvalTask
from embedlab.errors import CorpusError
from embedlab.numbers import by_number
from embedlab.progress import Progress, silent

Grades = dict[str, dict[str, int]]  # query -> candidate -> grade


Vectors = dict[str, np.ndarray]
LabelledVectors = tuple[np.ndarray, np.ndarray]  # (papers, dim), (papers,) or (papers, classes) of 0 and 1
SEED = 42
_FOLDS = 3
_CLASS_STRENGTHS, _NUMBER_STRENGTHS = np.logspace(-2, 2, 5), np.logspace(-4, 2, 7)
_BEST_PAPERS = 3  # of a reviewer, whose mean cosine to the paper counts
_TREC = {"map": "map", "ndcg": "ndcg", "precision@5": "P_5", "precision@10": "P_10"}


def scirepeval_score(
    task: SciRepEvalTask, folders: list[Path], embed: Embed, *, separator: str = " ", progress: Progress = silent
) -> TaskScore:
    """``folders``: of papers, of labels, and of reviewers for the reviewer task."""
    papers = read_papers(folders[0], task.fields, separator)
    vectors = dict(zip(papers, embed(list(papers.values())), strict=True))
    if task.type in ("classification", "regression"):
        train, test = (
            read_labels(folders[1], part, vectors, is_multi_label=task.is_multi_label) for part in ("train", "test")
        )
        parts = numbers(train, test) if task.type == "regression" else classes(task, train, test, progress)
    elif task.has_reviewers:
        rows = _rows(folders[2], "metadata")
        people = {row.id("r_id"): [str(paper) for paper in row.cells["papers"]] for row in rows}
        parts = {}
        for part in ("test_hard", "test_soft"):
            grades = read_grades(folders[1], part)
            measures = ranked(grades, reviewer_scores(grades, vectors, people), task.scores)
            parts |= {f"{name}, {part.removeprefix('test_')}": value for name, value in measures.items()}
    else:
        grades = read_grades(folders[1], "test")
        parts = ranked(grades, near_scores(grades, vectors), task.scores)
    return TaskScore(mean_of(parts), parts, len(papers))


def mean_of(parts: dict[str, float]) -> float:
    """The mean; few-shot scores are averaged first and then weigh as much as all others together (A.4)."""
    few = [value for name, value in parts.items() if name.endswith("-shot")]
    whole = [value for name, value in parts.items() if not name.endswith("-shot")]
    return float(np.mean([np.mean(whole), np.mean(few)] if few else whole))


def classes(
    task: SciRepEvalTask, train: LabelledVectors, test: LabelledVectors, progress: Progress = silent
) -> dict[str, float]:
    """F1 with the whole train part, and the mean F1 of each few-shot size. (vectors, labels) each"""
    average = {"average": "macro"} if task.scores == ("f1_macro",) else {"pos_label": max(np.unique(test[1]).tolist())}

    def score(fitted: ClassifierMixin) -> float:
        return float(f1_score(test[1], fitted.predict(test[0]), zero_division=0, **average))

    parts = {"F1": score(_fitted(*train, is_searched=True, is_multi_label=task.is_multi_label))}
    for size, repeats in task.few_shot:
        repeated = []
        for number, rows in enumerate(few_shot_rows(train[1], size, repeats)):
            progress(f"{task.key}: {size} examples", number, repeats)
            few = train[0][rows], train[1][rows]
            repeated.append(score(_fitted(*few, is_searched=task.is_multi_label, is_multi_label=task.is_multi_label)))
        parts[f"F1 {size}-shot"] = float(np.mean(repeated))
    return parts


def few_shot_rows(labels: np.ndarray, size: int, repeats: int) -> Iterator[np.ndarray]:
    """The rows of each repeat: ``size`` per class for multi-label tasks, otherwise a stratified sample of ``size``
    texts.

    labels: (texts,) or (texts, classes) of 0 and 1
    """
    if labels.ndim == 2:
        for number in range(repeats):
            rng = np.random.RandomState(SEED + number)
            chosen = [rng.choice(np.flatnonzero(column), min(size, int(column.sum())), replace=False)
                      for column in labels.T if column.any()]  # fmt: skip
            yield np.unique(np.concatenate(chosen))
        return
    most = int(np.unique(labels, return_counts=True)[1].max())
    folds = StratifiedKFold(n_splits=min(max(2, math.ceil(len(labels) / size)), most))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        for _, (_, rows) in zip(range(repeats), folds.split(labels, labels), strict=False):
            yield rows


def numbers(train: LabelledVectors, test: LabelledVectors) -> dict[str, float]:
    """Kendall's τ between the predictions of a linear SVM and the true values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search = GridSearchCV(LinearSVR(random_state=SEED), {"C": _NUMBER_STRENGTHS}, cv=_FOLDS, n_jobs=1)
        tau = kendalltau(test[1], search.fit(*train).predict(test[0])).statistic
    return {"Kendall's τ": 0.0 if math.isnan(tau) else float(tau)}


def near_scores(grades: Grades, vectors: Vectors) -> dict[str, dict[str, float]]:
    """Minus the Euclidean distance of each candidate to the query."""
    scores: dict[str, dict[str, float]] = {}
    for query, candidates in grades.items():
        vector = vectors.get(f"query:{query}", vectors.get(query))
        if vector is not None:
            embedded = [each for each in candidates if each in vectors]
            scores[query] = {each: -float(np.linalg.norm(vectors[each] - vector)) for each in embedded}
    return scores


def reviewer_scores(grades: Grades, vectors: Vectors, people: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """The mean cosine of the paper to the reviewer's three nearest papers."""
    unit = {key: vector / max(float(np.linalg.norm(vector)), 1e-12) for key, vector in vectors.items()}
    scores: dict[str, dict[str, float]] = {}
    for query, candidates in grades.items():
        scores[query] = {}
        for person in candidates:
            cosines = sorted(float(unit[paper] @ unit[query]) for paper in people.get(person, ()) if paper in unit)
            if cosines and query in unit:
                scores[query][person] = float(np.mean(cosines[-_BEST_PAPERS:]))
    return scores


def ranked(grades: Grades, scores: dict[str, dict[str, float]], names: tuple[str, ...]) -> dict[str, float]:
    """trec_eval's measures of the whole ranking, mean over queries."""
    import pytrec_eval

    by_query = pytrec_eval.RelevanceEvaluator(grades, {_TREC[name] for name in names}).evaluate(scores)
    return {name: float(np.mean([query[_TREC[name]] for query in by_query.values()])) for name in names}


def _fitted(vectors: np.ndarray, labels: np.ndarray, *, is_searched: bool, is_multi_label: bool) -> ClassifierMixin:
    if not is_multi_label and len(np.unique(labels)) == 1:
        return DummyClassifier(strategy="most_frequent").fit(vectors, labels)
    machine = LinearSVC(max_iter=10_000, random_state=SEED)
    ones = labels.sum(axis=0) if is_multi_label else np.unique(labels, return_counts=True)[1]
    smallest = np.minimum(ones, len(labels) - ones).min() if is_multi_label else ones.min()
    if is_searched and smallest >= _FOLDS:
        machine = GridSearchCV(machine, {"C": _CLASS_STRENGTHS}, cv=_FOLDS, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Label .* is present in all training examples")
        return (OneVsRestClassifier(machine) if is_multi_label else machine).fit(vectors, labels)


def read_papers(folder: Path, fields: tuple[str, ...], separator: str) -> dict[str, str]:
    """The text of each query and candidate by id, its fields joined by the separator.

    A query is marked by ``query:`` before its id, because a query and a candidate can share one.
    """
    papers: dict[str, str] = {}
    for row in _rows(folder, "evaluation"):
        if "query" not in row.cells:
            papers.setdefault(row.id("doc_id"), row.text(fields, separator))
            continue
        query = row.cells["query"]
        cells = {"title": query, "doc_id": row.cells["doc_id"]} if isinstance(query, str) else query
        paper = _Row(folder.name, cells)
        papers.setdefault(f"query:{paper.id('doc_id')}", paper.text(fields, separator))
        for candidate in (_Row(folder.name, each) for each in row.cells["candidates"]):
            papers.setdefault(candidate.id("doc_id"), candidate.text(fields, separator))
    return papers


def read_labels(folder: Path, part: str, vectors: Vectors, *, is_multi_label: bool) -> LabelledVectors:
    """Vectors and labels of the papers of ``train`` or ``test`` that are among the texts."""
    rows = _rows(folder, part)
    values = [row.of("label") for row in rows]
    array = np.array(values, dtype=float if isinstance(values[0], int | float | list) else object)
    if is_multi_label and not (array.ndim == 2 and np.isin(array, (0.0, 1.0)).all()):
        raise CorpusError(
            "E-SCIREPEVAL-FILE",
            f"{folder.name} needs every label as a list of 0 and 1 of equal length, but found {values[0]!r}. "
            "Use the tables as SciRepEval's authors release them.",
        )
    ids = [row.id("paper_id") for row in rows]
    embedded = [number for number, paper in enumerate(ids) if paper in vectors]
    return np.array([vectors[ids[number]] for number in embedded]), array[embedded]


def read_grades(folder: Path, part: str) -> Grades:
    """The graded candidates of each query in one part."""
    grades: Grades = {}
    for row in _rows(folder, part):
        grades.setdefault(row.id("query_id"), {})[row.id("cand_id")] = int(row.of("score"))
    return grades


@dataclass(frozen=True)
class _Row:
    """A row of a table, or a paper within one."""

    table: str
    cells: dict[str, Any]

    def of(self, column: str) -> Any:
        if column not in self.cells:
            raise CorpusError(
                "E-SCIREPEVAL-FILE",
                f"{self.table} needs a column {column!r}, but has {', '.join(self.cells)}. Use the tables as "
                "SciRepEval's authors release them.",
            )
        return self.cells[column]

    def id(self, column: str) -> str:
        return str(self.of(column))

    def text(self, fields: tuple[str, ...], separator: str) -> str:
        return separator.join(str(self.cells[name]) for name in fields if self.cells.get(name)).strip()


def _rows(folder: Path, part: str) -> list[_Row]:
    """The tables of one part: ``part-00000-of-00001.parquet``, or ``part/0000.parquet`` as the hub converts them."""
    files = sorted([*folder.glob(f"{part}-*.parquet"), *folder.glob(f"{part}/*.parquet")], key=by_number)
    rows = [_Row(folder.name, cells) for file in files for cells in pq.read_table(file).to_pylist()]
    if not rows:
        raise CorpusError(
            "E-SCIREPEVAL-FILE",
            f"{folder.name} needs a table of its part {part!r}, but {'it is empty' if files else 'there is none'}. "
            "Download it again.",
        )
    return rows
