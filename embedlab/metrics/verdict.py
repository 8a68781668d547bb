"""Whether training helped, in one sentence with an interval: paired test texts, Bonett and Price 2012."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

FEWEST_TEXTS = 50  # below, no change is called clear
WIDE = 0.02  # half-widths above are said


@dataclass(frozen=True)
class Verdict:
    """``outcome`` is helped, unclear or hurt; difference and bounds are shares (0.215 = 21.5 points)."""

    sentence: str
    outcome: str
    difference: float
    low: float
    high: float
    n: int


def verdict(*, before: np.ndarray, after: np.ndarray, tfidf: np.ndarray | None = None) -> Verdict:
    """Which of the same test texts were right before and after (and by TF-IDF), as one sentence.  each: (n,) bool"""
    n = len(after)
    difference, low, high = paired_difference(before=before, after=after)
    outcome = "unclear"
    if n >= FEWEST_TEXTS:
        outcome = "helped" if low > 0 else "hurt" if high < 0 else "unclear"
    opening = {"helped": "Helped", "hurt": "Hurt", "unclear": "No clear change"}[outcome]
    sentence = f"{opening}: kNN accuracy {in_points(difference, low, high)} on {n:,} test texts"
    if (high - low) / 2 > WIDE:
        sentence += f"; with {n:,} test texts only changes above about {100 * (high - low) / 2:.1f} points can be seen"
    if tfidf is not None:
        sentence += f"; against TF-IDF {in_points(*paired_difference(before=tfidf, after=after))}"
    return Verdict(sentence + ".", outcome, difference, low, high, n)


def paired_difference(*, before: np.ndarray, after: np.ndarray) -> tuple[float, float, float]:
    """The change of a share over the same texts and its 95 % interval (Bonett–Price).  each: (n,) bool

    b texts turned right and c turned wrong: p1 = (b+1)/(n+2), p2 = (c+1)/(n+2), d = p1-p2,
    d ± 1.96 √((p1+p2-d²)/(n+2)).
    """
    before, after = np.asarray(before, bool), np.asarray(after, bool)
    n = len(after)
    gained, lost = int((~before & after).sum()), int((before & ~after).sum())
    p1, p2 = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    d = p1 - p2
    half = 1.96 * sqrt((p1 + p2 - d**2) / (n + 2))
    return (gained - lost) / max(n, 1), max(d - half, -1.0), min(d + half, 1.0)


def in_points(difference: float, low: float, high: float) -> str:
    """``+21.5 points (95 %: 18.9 … 24.0)``"""
    low, high = (_signed(100 * bound).lstrip("+") for bound in (low, high))
    return f"{_signed(100 * difference)} points (95 %: {low} … {high})"


def _signed(points: float) -> str:
    rounded = round(points, 1) + 0.0  # -0.0 becomes 0.0
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"
