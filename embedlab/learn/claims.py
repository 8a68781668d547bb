"""Claims: what a lesson teaches as comparisons of facts, checked for the runs and the corpus that are bound now."""

import re
from dataclasses import dataclass

from embedlab.errors import LessonError
from embedlab.learn.facts import Facts
from embedlab.learn.lesson import Lesson

_TERM = re.compile(r"\s+([+-])\s+")
_SIDES = re.compile(r"\s+(>|<|within)\s+")


@dataclass(frozen=True)
class Checked:
    """A claim with both its values; ``sentence`` says how it stands."""

    claim: str
    left: float
    right: float
    holds: bool

    @property
    def sentence(self) -> str:
        """One sentence with both values."""
        verdict = "holds" if self.holds else "does not hold"
        return f"The claim '{self.claim}' {verdict}: the left side is {self.left:.3g}, the right side {self.right:.3g}."


def check_claim(claim: str, facts: Facts) -> Checked:
    """``A > B``, ``A < B`` or ``A within N of B``; each side a sum of facts and numbers.  Raises LessonError."""
    parts = _SIDES.split(claim)
    if len(parts) != 3:
        raise _unreadable(claim)
    left, sign, right = parts
    if sign != "within":
        one, other = total(left, facts), total(right, facts)
        return Checked(claim, one, other, one > other if sign == ">" else one < other)
    tolerance, of, right = right.partition(" of ")
    if not of:
        raise _unreadable(claim)
    one, other = total(left, facts), total(right, facts)
    return Checked(claim, one, other, abs(one - other) <= total(tolerance, facts))


def total(side: str, facts: Facts) -> float:
    """The sum of one side: ``pocket.before + 25``."""
    first, *rest = _TERM.split(side.strip())
    value = facts.value(first)
    for sign, term in zip(rest[::2], rest[1::2], strict=True):
        value += facts.value(term) * (1 if sign == "+" else -1)
    return value


def check_claims(lesson: Lesson, facts: Facts) -> list[Checked]:
    """Every claim of a lesson."""
    return [check_claim(claim, facts) for claim in lesson.claims]


def _unreadable(claim: str) -> LessonError:
    verdict = f"The claim {claim!r} is not 'A > B', 'A < B' or 'A within N of B'. Write it as one of these."
    return LessonError("E-LESSON-CLAIM", verdict)
