"""How a Find keeps its minutes: what of a training still fits, what is shortened, and how its search ended."""

import math

from embedlab.finds.model import Candidate, CandidateState, FindResults
from embedlab.finds.sampler import FIRST, FULL, LAST, MOST, SEARCHED, SHARES
from embedlab.numbers import count, counted, duration

LEAST_DECAY = 0.25  # of the steps so far: a last rung that is shortened to fewer is left out
CAUTION = 0.9  # of the time left is planned with, for steps do not all take the same
UNUSED = 0.1  # of the search's time: where more is left, the reason is given
OVERRUN = 0.05, 5.0  # of the search's time, and seconds: what cannot be broken off may take so much longer
TOO_LATE = "The budget ended before it could continue."
SHORTENED = "Shortened"


def first_share(timed: list[Candidate]) -> float:
    """The share of the search for the first rung, by those that were timed in it.

    Rungs of equal steps take ``FIRST`` of it; what each training takes besides its steps (its start, one look) falls
    to fewer of them from rung to rung, so that where it is all, the first rung takes 9/13.
    """
    points = [each.points[0] for each in timed if each.points[0].training_seconds is not None]
    seconds = sum(each.seconds for each in points)
    if seconds <= 0:
        return FIRST
    of_steps = min(sum(each.training_seconds or 0.0 for each in points) / seconds, 1.0)
    return FIRST / (of_steps + (1 - of_steps) * FIRST * 13 / 9)


def seconds_a_step(candidate: Candidate) -> float:
    """Of its newest rung; the look at its end counts, so that it is rather too long."""
    *_, before, newest = [None, *candidate.points]
    steps, seconds = (0, 0.0) if before is None else (before.steps, before.seconds)
    return (newest.seconds - seconds) / max(newest.steps - steps, 1)


def with_last_rung(reached: list[Candidate]) -> float:
    """Seconds of one more training in the second rung, and of one in the last; 0 before any was timed."""
    costs = [each.points[-1].seconds - each.points[-2].seconds for each in reached if len(each.points) > 1]
    each = sum(costs) / len(costs) if costs else 0.0
    return each * (1 + (SHARES[LAST] - SHARES[LAST - 1]) / (SHARES[LAST - 1] - SHARES[LAST - 2]))


def shortened(candidate: Candidate, left: float) -> Candidate | None:
    """A branch with as many steps as its last rung has time for; None where all fit, or too few to be worth it."""
    planned = candidate.planned or 0
    affordable = int(CAUTION * max(left, 0.0) / max(seconds_a_step(candidate), 1e-9))
    steps = candidate.steps + affordable
    if steps >= planned or affordable < LEAST_DECAY * candidate.steps:
        return None
    branch = branched(candidate, round(candidate.length * steps / planned, 3), steps, left)
    reason = f"{SHORTENED} from {count(planned)} steps: no more fit into the budget."
    return branch.model_copy(update={"reason": reason})


def branch_key(of: Candidate, length: float) -> str:
    """``t03x0.5``"""
    return f"{of.key}x{length:g}"


def branched(of: Candidate, length: float, planned: int, cost: float) -> Candidate:
    """Another length, with the steps before the last rung of this one.  cost: expected seconds of its last rung"""
    shared = tuple(each for each in of.points if each.rung < LAST)
    update = {
        "key": branch_key(of, length),
        "settings": of.settings | {"length": length},
        "planned": planned,
        "branch_of": of.key,
        "points": shared,
        "rung": LAST - 1,
        "state": CandidateState.PROMOTED,
        "reason": "",
        "seconds": shared[-1].seconds,
        "cost_seconds": round(cost, 1),
    }
    return of.model_copy(update=update)


def furthest(results: FindResults) -> Candidate | None:
    """The best training of the furthest rung, where the budget let none reach the last one."""
    measured = [each for each in results.trained() if each.points and each.state is not CandidateState.FAILED]
    if any(each.state is CandidateState.FINISHED for each in measured):
        return None
    return max(measured, key=lambda each: (each.points[-1].rung, each.measured.cosine.value), default=None)


def steps_in_full(candidate: Candidate, left: float) -> int | None:
    """The steps of the full training of one that never reached its last rung: as planned, or as many as fit.

    left: seconds of the whole budget; some more than it has been trained for are always taken
    """
    if candidate.planned is None or not candidate.steps:
        return candidate.planned
    least = math.ceil((1 + LEAST_DECAY) * candidate.steps)
    affordable = int(CAUTION * max(left, 0.0) * candidate.steps / max(candidate.seconds, 1e-9))
    return min(candidate.planned, max(least, affordable))


def winner_seconds(candidate: Candidate) -> float | None:
    """About how long this candidate's training in full takes; None of what is not trained, or was not timed."""
    if candidate.kind != "trained" or not candidate.steps or any(each.earlier for each in candidate.points):
        return None
    return candidate.seconds * (candidate.steps_in_full or candidate.steps) / candidate.steps


def ending(results: FindResults, minutes: float) -> str:
    """How the search ended, where it did not simply use its time; else nothing."""
    search, spent = SEARCHED * 60 * minutes, results.spent
    took = f"The search took {duration(spent)} of its {duration(search)}"
    begun = [each for each in results.trained() if each.points]
    if spent > search + max(OVERRUN[0] * search, OVERRUN[1]):
        return f"{took}: what was in progress could not be interrupted. {_short(results, search)}".strip()
    if (short := _short(results, search)) or results.too_few:
        return short
    if not begun:
        return "No label-free recipe fits these texts, so only untouched encoders were compared."
    if spent >= (1 - UNUSED) * search:
        return ""
    if len([each for each in begun if not each.branch_of]) >= MOST:
        return f"{took}: all {count(MOST)} trainings, the most that a search compares, were tried."
    return f"{took}: all rungs were complete."


def _short(results: FindResults, search: float) -> str:
    """What the ``search`` seconds were too short for; else nothing."""
    begun = [each for each in results.trained() if each.points]
    late = (each.reason.startswith("The budget ended") for each in results.candidates)
    if not begun:
        is_short = any(late) or results.spent >= search
        return "The budget ended before a training could be measured: give it more minutes." if is_short else ""
    if not any(each.rung == LAST for each in begun):
        rung = max(each.points[-1].rung for each in begun) + 1
        if results.chosen is not None and results.chosen_candidate.kind != "trained":
            return f"No training reached the last rung within the budget: the best was compared after rung {rung}."
        fewer = next((each for each in begun if each.full_steps), None)
        full = "" if fewer is None else f", and trained in full for {fewer.full_steps:,} of {fewer.planned:,} steps"
        return f"No training reached the last rung within the budget: the best after rung {rung} was taken{full}."
    shortened = next((each for each in begun if each.reason.startswith(SHORTENED)), None)
    if shortened is not None and not any(each.rung == LAST for each in begun if not each.branch_of):
        return f"The last rung was shortened to {counted(shortened.steps, 'step')} to stay within the budget."
    return ""


def broken_off(candidate: Candidate) -> str:
    """Why a candidate was broken off."""
    return f"The budget ended while it was {'in training' if candidate.kind == 'trained' else 'being embedded'}."


def too_dear(cost: float, most: float) -> str:
    """Why a candidate of so many seconds was not tried."""
    return f"It would take about {duration(cost)}; one candidate may take at most {duration(most)}."


def crowds_out(cost: float) -> str:
    """Why a training was not tried that would fit by itself."""
    return f"Its first rung would take about {duration(cost)}: too little time is left to compare {FULL} trainings."


def never_begun(seconds_each: float | None) -> str:
    """Why a training was not tried.  seconds_each: of the first rung of others"""
    cost = "" if seconds_each is None else f" The first rung of others took about {duration(seconds_each)}."
    return f"The budget ended before it could begin.{cost}"
