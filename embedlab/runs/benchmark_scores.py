"""Scores on public benchmarks, stored by the encoder that got them: ``<store>/benchmarks/<hash>/``."""

import re
from pathlib import Path
from typing import Any

from embedlab.damage import read_model_if_whole
from embedlab.measurement import ResultPart
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import now
from embedlab.store_root import read_json_if_whole, store_root, write_json
from embedlab.update import update_json

_ENCODER_HASH = re.compile(r"[0-9a-f]{64}")
_SETS = "sets"  # the folder of what tasks of a set come to
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


class StoredScore(ResultPart):
    """The score of one task, a share; ``scores``: those that it averages, or all of mteb's by split."""

    task: str
    metric: str
    score: float
    scores: dict[str, Any]
    texts: int | None = None
    skipped: int = 0  # queries
    dataset: str = ""
    revision: str = ""
    mteb: str = ""  # its version
    seconds: float = 0.0
    finished: str = ""  # UTC, ISO 8601


class SetScores(ResultPart):
    """What an encoder has reached on a set, as shares by task and by group; no average until every task has a score."""

    set: str
    title: str
    encoder_hash: str
    scores: dict[str, float]
    groups: dict[str, float]
    average: float | None
    averaging: str  # the rule in words
    tasks: int  # of the set


def scores_folder(encoder_hash: str) -> Path:
    """The folder of one encoder's scores: never shared by two encoders, shared by the same encoder in two runs."""
    assert _ENCODER_HASH.fullmatch(encoder_hash), encoder_hash
    return store_root() / "benchmarks" / encoder_hash


def keep_score(encoder_hash: str, name: str, score: StoredScore) -> None:
    """Store the score of one task under this name, whole or not at all, with the time."""
    write_json(_file(encoder_hash, name), score.model_dump(exclude_unset=True) | {"finished": now()})


def read_score(encoder_hash: str, name: str) -> StoredScore | None:
    """The score of one task, or None if it was not measured."""
    return read_model_if_whole(_file(encoder_hash, name), StoredScore)


def keep_summary(summary: SetScores) -> None:
    """Store a set's scores so far."""
    write_json(_file(summary.encoder_hash, summary.set, below=_SETS), summary.model_dump())


def read_summary(encoder_hash: str, benchmark: str) -> SetScores | None:
    """The same, or None if this set was not measured."""
    return read_model_if_whole(_file(encoder_hash, benchmark, below=_SETS), SetScores)


def read_summaries(encoder_hash: str) -> list[SetScores]:
    """The summaries of every set that the encoder has scores for, by set."""
    folder = scores_folder(encoder_hash) / _SETS
    summaries = [read_model_if_whole(path, SetScores) for path in sorted(folder.glob("*.json"))]
    return [summary for summary in summaries if summary is not None and summary.scores]


def keep_pointer(run: RunFolder, state: str, encoder_hash: str) -> None:
    """Store which encoder the run's ``before`` or ``after`` is."""
    update_json(run.benchmarks, lambda pointers: {**pointers, state: encoder_hash})


def read_pointer(run: RunFolder, state: str) -> str | None:
    """Its hash, or None if no benchmark was requested for it."""
    return (read_json_if_whole(run.benchmarks) or {}).get(state)


def _file(encoder_hash: str, name: str, *, below: str = "") -> Path:
    assert _NAME.fullmatch(name), name
    return scores_folder(encoder_hash) / below / f"{name}.json"
