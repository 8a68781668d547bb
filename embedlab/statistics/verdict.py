"""Whether training helped, in one sentence with an interval: paired test texts, Bonett and Price 2012."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from embedlab.baseline_methods import baseline_title
from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import Difference
from embedlab.statistics.intervals import paired_shares

FEWEST_TEXTS = 50  # below, no change is called clear
WIDE = 0.02  # half-widths above are said
OPENINGS = {"helped": "Helped", "hurt": "Hurt", "unclear": "No clear change", "few": "Too few test texts"}


@dataclass(frozen=True)
class Verdict:
    """``outcome`` is a key of ``OPENINGS``; the other fields are the parts of its sentence, in order."""

    outcome: str
    change: str
    other_distance: tuple[str, ...]  # by the other distance
    limits: tuple[str, ...]  # what cannot be seen
    against: tuple[str, ...]  # each reference

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        opening = f"{OPENINGS[self.outcome]}: {self.change}"
        return "; ".join([opening, *self.other_distance, *self.limits, *self.against]) + "."


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
    by: Mapping[Distance, DistanceComparison | PairedCorrectness],
    distance: Distance,
    *,
    baseline_name: str = "the untouched encoder",
) -> Verdict:
    """Two encoders judged on the same test texts, as one sentence covering both distances; this one decides.

    ``before`` is the baseline; the same differences to the references stand in the same sentence.
    """
    deciding = by[distance]
    change, besides = deciding.change, {key: by[key] for key in by if key != distance}
    outcome, half = outcome_of(change), (change.high - change.low) / 2
    named = f" with {DISTANCES[distance]}" if besides else ""
    limit = f"with {change.n:,} test texts, differences under about {100 * half:.1f} points cannot be detected"
    if outcome == "few":
        limit = f"at least {FEWEST_TEXTS} are needed to call a change clear"
    against = {distance: deciding.against} | {key: each.against for key, each in besides.items()}
    return Verdict(
        outcome,
        change=f"kNN accuracy{named} {change.points} against {baseline_name}, on {change.n:,} test texts",
        other_distance=tuple(
            f"with {DISTANCES[key]} {change_with_outcome(each.change, outcome)}" for key, each in besides.items()
        ),
        limits=(limit,) if half > WIDE or outcome == "few" else (),
        against=tuple(against_words(against, deciding.counted)),
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


def against_words(against: Mapping[Distance, Mapping[str, Difference]], counted: str = WORDS) -> list[str]:
    """``against TF-IDF +2.1 points (95 %: 0.1 … 4.1) with cosine, −7.8 points (…) with Euclidean distance``, one for
    each reference; for a single distance its name is left out.
    """
    several = len(against) > 1
    clauses = []
    for name in next(iter(against.values()), {}):
        values = [
            f"{lines[name].points} with {DISTANCES[distance]}" if several else lines[name].points
            for distance, lines in against.items()
            if name in lines
        ]
        clauses.append(f"against {baseline_title(name, counted)} {', '.join(values)}")
    return clauses


def change_with_outcome(difference: Difference, outcome: str) -> str:
    """The difference, and its outcome if that differs from the sentence's."""
    outcome_here = outcome_of(difference)
    return difference.points if outcome_here == outcome else f"{difference.points}, {OPENINGS[outcome_here].lower()}"
