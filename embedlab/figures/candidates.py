"""The candidates of a Find as they are drawn: the role of each, its measured points, and the lines that only count."""

from dataclasses import dataclass
from typing import NamedTuple

LEADS, GOING, PRUNED, FAILED, UNTOUCHED = "leads", "going", "pruned", "failed", "untouched"
ROLES = (PRUNED, FAILED, UNTOUCHED, GOING, LEADS)  # as they lie on each other, the last one on top


class CandidatePoint(NamedTuple):
    """One measurement, after so many steps and seconds and this share of the candidate's training."""

    steps: int
    seconds: float
    share: float | None
    value: float
    error: float


@dataclass(frozen=True)
class CandidateCurve:
    """One measured candidate."""

    key: str
    title: str
    settings: str
    role: str
    points: list[CandidatePoint]


class CountingLine(NamedTuple):
    """TF-IDF or SVD, which need no training."""

    key: str
    title: str
    value: float
