"""Whether training helped, in one sentence with an interval: paired test texts, Bonett and Price 2012."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from embedlab.metrics.intervals import Difference, paired_shares

FEWEST_TEXTS = 50  # below, no change is called clear
WIDE = 0.02  # half-widths above are said
REFERENCES = {"tfidf": "TF-IDF", "svd": "TF-IDF → SVD-100"}
OPENINGS = {"helped": "Helped", "hurt": "Hurt", "unclear": "No clear change"}


@dataclass(frozen=True)
class Verdict:
    """``outcome`` is helped, unclear or hurt; difference and bounds are shares (0.215 = 21.5 points)."""

    sentence: str
    outcome: str
    difference: float
    low: float
    high: float
    n: int
    against: dict[str, Difference] = field(default_factory=dict)


def verdict(
    *,
    before: np.ndarray,
    after: np.ndarray,
    tfidf: np.ndarray | None = None,
    svd: np.ndarray | None = None,
    baseline_name: str = "the untouched encoder",
) -> Verdict:
    """Two encoders judged on the same test texts: which were right by each, as one sentence.  each: (n,) bool

    ``before`` is the baseline; the same difference to TF-IDF and TF-IDF → SVD-100 stands in the same sentence.
    """
    found = paired_shares(before=before, after=after)
    against = differences(after=after, tfidf=tfidf, svd=svd)
    outcome, half = outcome_of(found), (found.high - found.low) / 2
    parts = [f"{OPENINGS[outcome]}: kNN accuracy {told(found)} against {baseline_name}, on {found.n:,} test texts"]
    if half > WIDE:
        parts.append(f"with {found.n:,} test texts only changes above about {100 * half:.1f} points can be seen")
    sentence = "; ".join([*parts, *against_words(against)])
    return Verdict(sentence + ".", outcome, found.value, found.low, found.high, found.n, against)


def differences(
    *, after: np.ndarray, tfidf: np.ndarray | None = None, svd: np.ndarray | None = None, difference=paired_shares
) -> dict[str, Difference]:
    """The encoder against each reference that was measured: ``{"tfidf": …, "svd": …}``.  each: (n,) bool"""
    lines = {"tfidf": tfidf, "svd": svd}
    return {name: difference(before=line, after=after) for name, line in lines.items() if line is not None}


def outcome_of(difference: Difference) -> str:
    """``helped``, ``hurt`` or ``unclear``; always unclear on fewer than 50 texts."""
    if difference.n < FEWEST_TEXTS or not difference.is_clear:
        return "unclear"
    return "helped" if difference.low > 0 else "hurt"


def against_words(against: Mapping[str, Difference]) -> list[str]:
    """``against TF-IDF −7.8 points (95 %: −10.4 … −5.1)``, one for each reference."""
    return [f"against {REFERENCES[name]} {told(difference)}" for name, difference in against.items()]


def told(difference: Difference) -> str:
    """A difference of shares as ``+21.5 points (95 %: 18.9 … 24.0)``."""
    return in_points(difference.value, difference.low, difference.high)


def in_points(difference: float, low: float, high: float) -> str:
    """``+21.5 points (95 %: 18.9 … 24.0)``"""
    low, high = (_signed(100 * bound).lstrip("+") for bound in (low, high))
    return f"{_signed(100 * difference)} points (95 %: {low} … {high})"


def _signed(points: float) -> str:
    rounded = round(points, 1) + 0.0  # -0.0 becomes 0.0
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"
