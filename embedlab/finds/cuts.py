"""Fewer dimensions of an untouched encoder: which are tried, and which of them takes part in a Find.

Of an encoder's lengths, all dimensions among them, the fewest stand for its cuts that development texts cannot tell
from the best one: the choice of the simplest within the error (Breiman et al. 1984), by paired intervals.
"""

from collections.abc import Callable

from embedlab.distance import SHOWN_FIRST
from embedlab.finds.look import CandidateLook, Measured
from embedlab.finds.model import DIMENSIONS, Candidate, CandidateState, RungResult, cut_key
from embedlab.statistics.separable import compared
from embedlab.vectors.dimensions import dimensions_to_try

MOST = 3  # cuts of an encoder that are tried: the longest of 16, 32, 64, … below all


def cuts_of(dim: int) -> list[int]:
    """256, 128 and 64 dimensions of 384: at most ``MOST``, from the fewest."""
    return dimensions_to_try(dim)[:-1][-MOST:]


def cut_candidates(whole: Candidate, look: CandidateLook, difference: Callable) -> list[Candidate]:
    """The cuts of an encoder that was looked at, each with its value; all but one at most are pruned.

    ``difference``: the metric's own, of two measurements of the same texts.
    """
    if not look.cuts:
        return []
    cuts, every = sorted(look.cuts.items(), key=lambda cut: cut[0]), (look.value, look.units)
    lengths: list[tuple[int | None, Measured]] = [*cuts, (None, every)]  # of equal values the fewest lead
    keys = {dimensions: "all" if dimensions is None else str(dimensions) for dimensions, _ in lengths}
    comparison = compared(
        values={keys[count]: value.by(SHOWN_FIRST).value for count, (value, _) in lengths},
        units={keys[count]: units.by(SHOWN_FIRST) for count, (_, units) in lengths},
        difference=difference,
    )
    fewest = next((count for count, _ in lengths if comparison.standings[keys[count]].is_marked), None)
    return [
        whole.model_copy(
            update={
                "key": cut_key(whole.key, count),
                "title": f"{whole.title}, first {count} dimensions",
                "settings": {**whole.settings, DIMENSIONS: count},
                "state": CandidateState.FINISHED if count == fewest else CandidateState.PRUNED,
                "reason": "" if count == fewest else _why_pruned(count, fewest),
                "seconds": look.seconds,  # to embed with it takes as long as with all
                "points": (RungResult(rung=0, steps=0, seconds=look.seconds, value=value, earlier=look.earlier),),
            }
        )
        for count, (value, _) in cuts
    ]


def _why_pruned(dimensions: int, fewest: int | None) -> str:
    if fewest is not None and fewest < dimensions:
        return f"Its first {fewest} dimensions are not separable from its best."
    return "It is worse than the encoder's best number of dimensions."
