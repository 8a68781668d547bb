"""Which candidate of a Find is chosen, which cannot be told apart from it, and whether there is enough to rank by."""

import math
from collections.abc import Callable

from embedlab.distance import SHOWN_FIRST
from embedlab.errors import EmbedlabError
from embedlab.finds.in_words import is_share
from embedlab.finds.judging import WIDEST
from embedlab.finds.look import read_units
from embedlab.finds.model import Candidate, CandidateState, FindResults, LeaderboardRow
from embedlab.finds.store import Find
from embedlab.measurement import ByDistance, Measurement, share_error
from embedlab.numbers import counted, duration
from embedlab.statistics.intervals import normal
from embedlab.statistics.separable import BEST, INSEPARABLE, compared


def concluded(find: Find, results: FindResults, difference: Callable) -> tuple[tuple[LeaderboardRow, ...], str, str]:
    """The leaderboard, the chosen and the cheapest candidate's key; raises an error if no encoder could be measured."""
    measured = [
        each
        for each in results.candidates  # a branch that was broken off has only points of the training it branched from
        if each.value is not None
        and (not each.branch_of or each.points[-1] not in results.candidate(each.branch_of).points)
    ]
    whole = [each for each in measured if each.state is CandidateState.FINISHED and each.kind != "reference"]
    if not whole:
        reasons = [each.reason for each in results.candidates if each.state is CandidateState.FAILED]
        why = reasons[0] if reasons else f"Preparing took {duration(results.spent)}: give it more minutes."
        raise EmbedlabError("E-FIND-EMPTY", f"No encoder could be measured. {why}")
    values = {each.key: value_of(each) for each in measured}
    comparison = compared(
        values=values,
        units={each.key: read_units(find, each.key, each.points[-1].rung).by(SHOWN_FIRST) for each in measured},
        difference=difference,
        references=[each.key for each in measured if each.kind == "reference"],
        left_out={
            each.key: f"stopped at rung {(each.rung or 0) + 1}"
            for each in measured
            if each.state is not CandidateState.FINISHED
        },
    )
    rows = tuple(
        LeaderboardRow(key=key, mark=standing.mark, to_best=standing.to_best.change if standing.to_best else None)
        for key, standing in sorted(comparison.standings.items(), key=lambda row: -values[row[0]])
    )
    best = comparison.best or max((each.key for each in whole), key=values.__getitem__)
    level = [each for each in whole if comparison.standings[each.key].mark in (BEST, INSEPARABLE)] or whole[:1]
    cheapest = min(level, key=lambda each: (each.kind == "trained", each.seconds, each.dimensions or math.inf))
    if results.too_few:  # not ranked: the first encoder as it is
        best, cheapest = whole[0].key, whole[0]
    return rows, best, cheapest.key


def too_few_to_rank(metric: str, measured: ByDistance[Measurement]) -> str:
    """A sentence if the interval of the choosing texts is wider than 15 points; otherwise empty."""
    value = measured.by(SHOWN_FIRST)
    if value.error is None or value.n is None:
        return ""
    error = value.error
    if is_share(metric):  # Agresti and Coull's, which has a width even if all texts are right or none is
        error = share_error((value.value * value.n + 2) / (value.n + 4), value.n + 4)
    width = 2 * normal(0.95) * error
    if width <= WIDEST:
        return ""
    wide = f"{100 * width:.0f} points" if is_share(metric) else f"{width:.2f}"
    if is_share(metric):
        texts = "one development text" if value.n == 1 else f"{value.n:,} development texts"
        return (
            f"The interval of an accuracy on {texts} is {wide} wide: too few to rank candidates. Label "
            "more texts, or judge by pairs or queries (--judge FILE)."
        )
    return (
        f"The interval of {metric} on {counted(value.n, 'row')} of the judging file is {wide} wide: too few to rank "
        f"candidates. Give a larger file."
    )


def value_of(candidate: Candidate) -> float:
    """The newest value, by the distance that chooses."""
    return candidate.measured.by(SHOWN_FIRST).value
