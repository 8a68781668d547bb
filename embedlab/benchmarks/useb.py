"""USEB's scores by the rules of its authors' evaluation (TSDAE §4.1), which differ from trec_eval's in two places."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from embedlab.benchmarks.useb_files import (
    FILES,
    WHERE,
    missing_files,
    read_askubuntu,
    read_cqadupstack,
    read_scidocs,
    read_twitterpara,
)
from embedlab.errors import CorpusError

Embed = Callable[[list[str]], np.ndarray]  # texts -> (texts, dim)
_TOP = 100
_DEBATABLE = 3


@dataclass(frozen=True)
class USEBScore:
    """The main score (a share), the scores of its parts, and how many texts and queries gave it."""

    value: float
    parts: dict[str, float] = field(default_factory=dict)
    texts: int = 0
    skipped: int = 0  # queries that no candidate answers, or without a title


def score_useb(task: str, folder: str | Path | None, embed: Embed) -> USEBScore:
    """One of AskUbuntu, CQADupStack, TwitterPara, SciDocs, read from the folder ``data-eval``."""
    absent = missing_files(task, folder)
    if absent:
        place = "no folder was named" if folder is None else f"{folder} lacks {', '.join(absent)}"
        raise CorpusError("E-USEB-FOLDER", f"{task} needs {' and '.join(FILES[task])}, but {place}. {WHERE}")
    return _SCORED[task](Path(folder).expanduser(), embed)


def files_hash(task: str, folder: str | Path) -> str:
    """SHA-256 over the files that a task reads."""
    digest = hashlib.sha256()
    for name in FILES[task]:
        with (Path(folder).expanduser() / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def askubuntu(folder: Path, embed: Embed) -> USEBScore:
    """Mean over queries of the mean precision at the relevant candidates among the 20; equal scores keep BM25's order.

    Relevant questions that BM25 did not find do not count, as in the authors' code.
    """
    titles, queries = read_askubuntu(folder)
    vectors, texts = _by_id(titles, {i for q in queries for i in (q.query, *q.candidates)}, embed)
    found = []
    for query in queries:
        if not query.relevant & set(query.candidates):
            continue
        scores = np.array([vectors[doc] @ vectors[query.query] for doc in query.candidates])
        order = np.argsort(-scores, kind="stable")
        found.append(mean_precision(np.array([query.candidates[row] in query.relevant for row in order])))
    return USEBScore(float(np.mean(found)), texts=texts, skipped=len(queries) - len(found))


def cqadupstack(folder: Path, embed: Embed) -> USEBScore:
    """Mean over 12 forums of MAP@100, each query's average precision divided by the relevant texts *found*."""
    corpus, queries_of = read_cqadupstack(folder)
    forums, texts = {}, 0
    for forum, titles in corpus.items():
        queries = queries_of[forum]
        pool = [doc for doc in titles if doc not in queries]
        asked = _unit(embed([titles[query].strip() for query in queries]))
        vectors = _unit(embed([titles[doc].strip() for doc in pool]))
        texts += len(titles)
        found = []
        for vector, relevant in zip(asked, map(set, queries.values()), strict=True):
            scores = vectors @ vector  # (pool,)
            top = np.argpartition(-scores, min(_TOP, len(pool)) - 1)[:_TOP]
            hits = np.array([pool[row] in relevant for row in top])
            found.append(average_precision_score(hits, scores[top]) if hits.any() else 0.0)
        forums[forum] = float(np.mean(found))
    return USEBScore(float(np.mean(list(forums.values()))), forums, texts)


def twitterpara(folder: Path, embed: Embed) -> USEBScore:
    """Mean of two corpora's average precision over pairs graded above 3 against those below; 3 is left out."""
    parts, texts = {}, 0
    for name, pairs in read_twitterpara(folder).items():
        cosines = (_unit(embed([t.strip() for t in pairs.one])) * _unit(embed([t.strip() for t in pairs.other]))).sum(1)
        grades = np.array(pairs.grades)
        clear = grades != _DEBATABLE
        parts[name] = float(average_precision_score(grades[clear] > _DEBATABLE, cosines[clear]))
        texts += 2 * len(grades)
    return USEBScore(float(np.mean(list(parts.values()))), parts, texts)


def scidocs(folder: Path, embed: Embed) -> USEBScore:
    """Mean over four sub-tasks of trec_eval's MAP on titles; candidates without a title are never found."""
    titles, tasks = read_scidocs(folder)
    wanted = {i for queries in tasks.values() for query, graded in queries.items() for i in (query, *graded)}
    vectors, texts = _by_id({i: t for i, t in titles.items() if t}, wanted & {i for i, t in titles.items() if t}, embed)
    parts, skipped = {}, 0
    for name, queries in tasks.items():
        found = []
        for query, graded in queries.items():
            if query not in vectors:
                skipped += 1
                continue
            scored = sorted(
                ((float(vectors[doc] @ vectors[query]), doc) for doc in graded if doc in vectors), reverse=True
            )
            hits = np.array([graded[doc] > 0 for _, doc in scored])
            relevant = sum(grade > 0 for grade in graded.values())
            found.append(mean_precision(hits) * hits.sum() / relevant if relevant and hits.any() else 0.0)
        parts[name] = float(np.mean(found))
    return USEBScore(float(np.mean(list(parts.values()))), parts, texts, skipped)


def mean_precision(hits: np.ndarray) -> float:
    """Mean over the hits of the precision at their rank.  hits, best first: (ranked,) of bool -> 0 … 1"""
    ranks = np.flatnonzero(hits) + 1
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))


def _by_id(titles: dict[str, str], wanted: set[str], embed: Embed) -> tuple[dict[str, np.ndarray], int]:
    ids = sorted(wanted)
    vectors = _unit(embed([titles[i].strip() for i in ids]))
    return dict(zip(ids, vectors, strict=True)), len(ids)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1; zero rows stay zero."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


_SCORED = {"AskUbuntu": askubuntu, "CQADupStack": cqadupstack, "TwitterPara": twitterpara, "SciDocs": scidocs}
