"""Whether training helped, in one sentence with an interval: paired test texts, Bonett and Price 2012."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from embedlab.baseline_methods import baseline_title
from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import PAPER_SPLIT, Difference, texts_tested
from embedlab.statistics.intervals import paired_shares

FEWEST_TEXTS = 50  # below, no change is called clear
WIDE = 0.02  # half-widths above are said
OPENINGS = {"helped": "Helped", "hurt": "Hurt", "unclear": "No clear change", "few": "Too few test texts"}


@dataclass(frozen=True)
class Verdict:
    """``outcome`` is a key of ``OPENINGS``; the other fields are the parts of its sentence, in order."""

    outcome: str
    change: str
    limits: tuple[str, ...]  # what cannot be seen
    against: tuple[str, ...]  # each reference
    validity: str = ""  # of which texts the value speaks

    @property
    def word(self) -> str:
        """``Helped``, ``No clear change``, ``Hurt`` or ``Too few test texts``."""
        return OPENINGS[self.outcome]

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        parts = [f"{self.word}: {self.change}", *self.limits, *self.against, self.validity]
        return "; ".join(part for part in parts if part) + "."


@dataclass(frozen=True)
class DistanceComparison:
    """The comparison by one distance: after minus before, and minus each reference (words or characters)."""

    change: Difference
    against: Mapping[str, Difference]
    counted: str = WORDS


@dataclass(frozen=True)
class PairedCorrectness:
    """Which of the same test texts are right by one distance; ``references`` are keyed as ``REFERENCE_LINES``.

    each: (n,) bool
    """

    before: np.ndarray
    after: np.ndarray
    references: Mapping[str, np.ndarray] = field(default_factory=dict)
    counted: str = WORDS  # by the references

    @property
    def change(self) -> Difference:
        """After minus before."""
        return paired_shares(before=self.before, after=self.after)

    @property
    def against(self) -> dict[str, Difference]:
        """After minus each reference."""
        return differences(after=self.after, references=self.references)


def verdict(
    compared: DistanceComparison | PairedCorrectness,
    distance: Distance,
    *,
    baseline_name: str = "the untouched encoder",
    protocol: str = PAPER_SPLIT,
    validity: str = "",
) -> Verdict:
    """Two encoders judged on the same texts by one distance, as one sentence; every word of a result comes from here.

    ``before`` is the baseline; the differences to the references stand in the same sentence. ``validity``: a clause
    that says of which texts the value speaks.
    """
    change = compared.change
    outcome, half = outcome_of(change), (change.high - change.low) / 2
    limit = f"with {change.n:,} texts, differences under about {100 * half:.1f} points cannot be detected"
    if outcome == "few":
        limit = f"at least {FEWEST_TEXTS} are needed to call a change clear"
    tested = texts_tested(protocol, change.n)
    return Verdict(
        outcome,
        change=f"kNN accuracy ({DISTANCES[distance]}) {change.points} against {baseline_name}, {tested}",
        limits=(limit,) if half > WIDE or outcome == "few" else (),
        against=tuple(against_words(compared.against, compared.counted)),
        validity=validity,
    )


def differences(
    *, after: np.ndarray, references: Mapping[str, np.ndarray], difference: Callable[..., Difference] = paired_shares
) -> dict[str, Difference]:
    """The encoder against each reference that was measured: ``{"tfidf": …, "svd": …}``.  each: (n,) bool"""
    return {name: difference(before=line, after=after) for name, line in references.items()}


def outcome_of(difference: Difference) -> str:
    """``helped``, ``hurt`` or ``unclear``; with fewer than 50 texts ``few``, whatever the difference."""
    if difference.n < FEWEST_TEXTS:
        return "few"
    if not difference.is_clear:
        return "unclear"
    return "helped" if difference.low > 0 else "hurt"


def against_words(against: Mapping[str, Difference], counted: str = WORDS) -> list[str]:
    """``against TF-IDF +2.1 points (95 %: 0.1 … 4.1)``, one for each reference."""
    return [f"against {baseline_title(name, counted)} {change.points}" for name, change in against.items()]
