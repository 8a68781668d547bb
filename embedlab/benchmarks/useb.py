"""USEB: its files as the authors release them, and its scores by their rules (TSDAE §4.1).

The rules differ from trec_eval's in two places. scikit-learn is loaded when a task is scored: commands read the rest.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from embedlab.benchmarks.base import Embed, TaskScore
from embedlab.errors import CorpusError
from embedlab.metrics.pair_metrics import DECIMALS
from embedlab.metrics.retrieval import best_places

FILES = {
    "AskUbuntu": ("askubuntu/text_tokenized.txt", "askubuntu/test.txt"),
    "CQADupStack": ("cqadupstack/corpus.json", "cqadupstack/retrieval_split.json"),
    "TwitterPara": ("twitterpara/Twitter_URL_Corpus_test.txt", "twitterpara/test.data"),
    "SciDocs": ("scidocs/data.json",),
}
WHERE = (
    "USEB is read from the folder data-eval that its authors' package writes (UKPLab/useb on GitHub: pip install useb, "
    "then python -m useb.downloading all). Give that folder with --folder; it contains askubuntu, cqadupstack, "
    "twitterpara and scidocs."
)
_TOP = 100
_DEBATABLE = 3


def score_useb(task: str, folder: str | Path | None, embed: Embed) -> TaskScore:
    """One of AskUbuntu, CQADupStack, TwitterPara, SciDocs, read from the folder ``data-eval``."""
    absent = missing_files(task, folder)
    if folder is None or absent:
        problem = "no folder was named" if folder is None else f"{folder} lacks {', '.join(absent)}"
        raise CorpusError("E-USEB-FOLDER", f"{task} needs {' and '.join(FILES[task])}, but {problem}. {WHERE}")
    return _SCORED[task](Path(folder).expanduser(), embed)


def files_hash(task: str, folder: str | Path) -> str:
    """SHA-256 of the files that a task reads."""
    digest = hashlib.sha256()
    for name in FILES[task]:
        with (Path(folder).expanduser() / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def askubuntu(folder: Path, embed: Embed) -> TaskScore:
    """Mean over queries of the mean precision at the relevant ones of 20 candidates; ties keep BM25's order.

    Relevant questions that BM25 did not find do not count, as in the authors' code.
    """
    titles, queries = read_askubuntu(folder)
    vectors, texts = _by_id(titles, {i for q in queries for i in (q.query, *q.candidates)}, embed)
    precisions = []
    for query in queries:
        if not query.relevant & set(query.candidates):
            continue
        scores = np.array([vectors[doc] @ vectors[query.query] for doc in query.candidates])
        order = np.argsort(-np.round(scores, DECIMALS), kind="stable")
        precisions.append(mean_precision(np.array([query.candidates[row] in query.relevant for row in order])))
    return TaskScore(float(np.mean(precisions)), texts=texts, skipped=len(queries) - len(precisions))


def cqadupstack(folder: Path, embed: Embed) -> TaskScore:
    """Mean over 12 forums of MAP@100, each query's average precision divided by the relevant texts *found*."""
    from sklearn.metrics import average_precision_score

    corpus = _json(folder / FILES["CQADupStack"][0])  # forum -> id -> title
    queries_of = _json(folder / FILES["CQADupStack"][1])["test"]  # forum -> query -> relevant ids
    forums, texts = {}, 0
    for forum, titles in corpus.items():
        queries = queries_of[forum]
        pool = [doc for doc in titles if doc not in queries]
        query_vectors = _unit(embed([titles[query].strip() for query in queries]))
        vectors = _unit(embed([titles[doc].strip() for doc in pool]))
        texts += len(titles)
        precisions = []
        for vector, relevant in zip(query_vectors, map(set, queries.values()), strict=True):
            scores = vectors @ vector  # (pool,)
            top = best_places(np.round(scores, DECIMALS)[None], min(_TOP, len(pool)))[0]  # ties in file order
            hits = np.array([pool[row] in relevant for row in top])
            precisions.append(average_precision_score(hits, scores[top]) if hits.any() else 0.0)
        forums[forum] = float(np.mean(precisions))
    return TaskScore(float(np.mean(list(forums.values()))), forums, texts)


def twitterpara(folder: Path, embed: Embed) -> TaskScore:
    """Mean of two corpora's average precision over pairs graded above 3 against those below; 3 is left out."""
    from sklearn.metrics import average_precision_score

    parts, texts = {}, 0
    for name, pairs in read_twitterpara(folder).items():
        cosines = (_unit(embed([t.strip() for t in pairs.one])) * _unit(embed([t.strip() for t in pairs.other]))).sum(1)
        grades = np.array(pairs.grades)
        clear = grades != _DEBATABLE
        parts[name] = float(average_precision_score(grades[clear] > _DEBATABLE, cosines[clear]))
        texts += 2 * len(grades)
    return TaskScore(float(np.mean(list(parts.values()))), parts, texts)


def scidocs(folder: Path, embed: Embed) -> TaskScore:
    """Mean over four sub-tasks of trec_eval's MAP on titles; candidates without a title are never retrieved."""
    content = _json(folder / FILES["SciDocs"][0])
    tasks = content["test"]  # sub-task -> query -> candidate -> 0 or 1
    titles = {key: entry["title"] for key, entry in content["corpus"].items() if entry["title"]}
    judged_ids = {i for queries in tasks.values() for query, graded in queries.items() for i in (query, *graded)}
    vectors, texts = _by_id(titles, judged_ids & titles.keys(), embed)
    parts, skipped = {}, 0
    for name, queries in tasks.items():
        precisions = []
        for query, graded in queries.items():
            if query not in vectors:
                skipped += 1
                continue
            scored = sorted(
                ((float(vectors[doc] @ vectors[query]), doc) for doc in graded if doc in vectors), reverse=True
            )
            hits = np.array([graded[doc] > 0 for _, doc in scored])
            relevant = sum(grade > 0 for grade in graded.values())
            precisions.append(mean_precision(hits) * hits.sum() / relevant if relevant and hits.any() else 0.0)
        parts[name] = float(np.mean(precisions))
    return TaskScore(float(np.mean(list(parts.values()))), parts, texts, skipped)


def mean_precision(hits: np.ndarray) -> float:
    """Mean over the hits of the precision at their rank.  hits, best first: (ranked,) of bool -> 0 … 1"""
    ranks = np.flatnonzero(hits) + 1
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))


def _by_id(titles: dict[str, str], keys: set[str], embed: Embed) -> tuple[dict[str, np.ndarray], int]:
    ids = sorted(keys)
    return dict(zip(ids, _unit(embed([titles[i].strip() for i in ids])), strict=True)), len(ids)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1 in float64; zero rows stay zero."""
    vectors = np.asarray(vectors, np.float64)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


_SCORED = {"AskUbuntu": askubuntu, "CQADupStack": cqadupstack, "TwitterPara": twitterpara, "SciDocs": scidocs}


@dataclass(frozen=True)
class RerankedQuery:
    """A query, its candidates in the given order, and which are relevant."""

    query: str
    candidates: list[str]  # ids
    relevant: set[str]


@dataclass(frozen=True)
class GradedPairs:
    """Pairs of sentences with a grade 0 to 5; 3 is debatable."""

    one: list[str]
    other: list[str]
    grades: list[int]


def missing_files(task: str, folder: str | Path | None) -> list[str]:
    """The files of a task that are missing from the folder."""
    root = None if folder is None else Path(folder).expanduser()
    return [file for file in FILES[task] if root is None or not (root / file).is_file()]


def read_askubuntu(folder: Path) -> tuple[dict[str, str], list[RerankedQuery]]:
    """Titles by id, and the test queries with their 20 candidates, best BM25 score first (equal ones as listed)."""
    titles = {row[0].strip(): row[1].strip() for row in _lines(folder / FILES["AskUbuntu"][0], fields=3)}
    queries = []
    for query, relevant, candidates, scores in _lines(folder / FILES["AskUbuntu"][1], fields=4):
        ids, numbers = candidates.split(), [float(score) for score in scores.split()]
        ranked = sorted(zip(ids, numbers, strict=True), key=lambda pair: -pair[1])
        queries.append(RerankedQuery(query.strip(), [doc for doc, _ in ranked], set(relevant.split())))
    return titles, queries


def read_twitterpara(folder: Path) -> dict[str, GradedPairs]:
    """``TURL`` with grades such as ``(4, 6)``, four of six annotators, and ``PIT`` with a number."""
    url = [(f[0], f[1], int(f[2].strip("() ").split(",")[0])) for f in _lines(folder / FILES["TwitterPara"][0], 3)]
    pit = [(f[2], f[3], int(f[4])) for f in _lines(folder / FILES["TwitterPara"][1], 5)]
    return {
        name: GradedPairs([r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows])
        for name, rows in (("TURL", url), ("PIT", pit))
    }


def _lines(path: Path, fields: int) -> list[list[str]]:
    rows = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = line.rstrip("\n").split("\t")
            if len(row) < fields:
                raise CorpusError(
                    "E-USEB-FILE",
                    f"Line {number} of {path.name} needs {fields} tab-separated columns, but has {len(row)}. "
                    "Use the file as USEB's authors release it.",
                )
            rows.append(row)
    return rows


def _json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CorpusError(
            "E-USEB-FILE", f"{path.name} is not the JSON that USEB's authors release ({error})."
        ) from None
