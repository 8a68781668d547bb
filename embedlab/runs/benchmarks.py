"""Scores on public benchmarks, kept by the encoder that got them: ``<store>/benchmarks/<hash>/``."""

import re
from pathlib import Path

from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json, store_root, write_json

_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


def scores_folder(encoder_hash: str) -> Path:
    """Of everything one encoder scored; two encoders never share it, the same encoder in two runs does."""
    assert _HASH.fullmatch(encoder_hash), encoder_hash
    return store_root() / "benchmarks" / encoder_hash


def keep_score(encoder_hash: str, task: str, score: dict) -> None:
    """One finished task, whole or absent."""
    write_json(_file(encoder_hash, task), score)


def read_score(encoder_hash: str, task: str) -> dict | None:
    """The score of one task, or None where it was not measured."""
    return _read(_file(encoder_hash, task))


def keep_summary(encoder_hash: str, benchmark: str, summary: dict) -> None:
    """What a set comes to so far: scores, groups, average, what is missing."""
    write_json(_summary(encoder_hash, benchmark), summary)


def read_summary(encoder_hash: str, benchmark: str) -> dict | None:
    """The same, or None while nobody measured this set."""
    return _read(_summary(encoder_hash, benchmark))


def read_summaries(encoder_hash: str) -> list[dict]:
    """Of every set of which the encoder has a score, by the sets' keys."""
    folder = scores_folder(encoder_hash) / "sets"
    found = [_read(path) for path in sorted(folder.glob("*.json"))]
    return [summary for summary in found if summary and summary["scores"]]


def keep_pointer(run: RunFolder, state: str, encoder_hash: str) -> None:
    """Which encoder the run's ``before`` or ``after`` is."""
    write_json(run.benchmarks, {**(_read(run.benchmarks) or {}), state: encoder_hash})


def read_pointer(run: RunFolder, state: str) -> str | None:
    """Its hash, or None while no benchmark was asked of it."""
    return (_read(run.benchmarks) or {}).get(state)


def _file(encoder_hash: str, task: str) -> Path:
    assert _NAME.fullmatch(task), task
    return scores_folder(encoder_hash) / f"{task}.json"


def _summary(encoder_hash: str, benchmark: str) -> Path:
    assert _NAME.fullmatch(benchmark), benchmark
    return scores_folder(encoder_hash) / "sets" / f"{benchmark}.json"


def _read(path: Path) -> dict | None:
    try:
        return read_json(path)
    except (FileNotFoundError, ValueError):
        return None
