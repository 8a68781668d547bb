"""A Find in sentences and lines: the verdict, and the leaderboard as a terminal shows it."""

from collections import Counter
from collections.abc import Mapping

from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance
from embedlab.finds.curves import seconds_left, tried
from embedlab.finds.in_words import change_line, is_share, metric_by, value_line
from embedlab.finds.leaderboard import cuts_line, ranked
from embedlab.finds.model import Candidate, CandidateState, FindResults, FindSettings, LeaderboardRow, Verdict, cut_key
from embedlab.measurement import ByDistance, Change, Measurement
from embedlab.numbers import count, counted, duration
from embedlab.statistics.separable import BEST, INSEPARABLE

NOTHING_BEATS = "Nothing here beats counting words on these texts."
NAMES = {"untouched": "the untouched encoder", "tfidf": "TF-IDF", "svd": "SVD"}


def verdict_sentence(
    value: ByDistance[Measurement],
    against: Mapping[str, ByDistance[Change]],
    *,
    compared: int,
    metric: str,
    beats_counting: bool,
    visible: float,
    distance: Distance = SHOWN_FIRST,
) -> str:
    """The winner's result on texts that chose nothing, and the comparisons."""
    parts = [f"{change_line(metric, change.by(distance))} against {NAMES[key]}" for key, change in against.items()]
    head = "" if beats_counting else f"{NOTHING_BEATS} "
    smallest = f"{100 * visible:.1f} points" if is_share(metric) else f"{visible:.3f}"
    tail = "" if beats_counting or not visible else f" Differences under about {smallest} could not be detected."
    how = f" ({DISTANCES[distance]})" if is_share(metric) else ""
    result = f"{metric} of the winner{how}: {value_line(metric, value.by(distance))}, {', '.join(parts)}"
    return f"{head}{result}; chosen among {compared} candidates by texts that are not tested here.{tail}"


def find_lines(results: FindResults, distance: Distance) -> list[str]:
    """The leaderboard, the choice, and the verdict; below, what was not tried or failed."""
    marks = {row.key: row for row in results.leaderboard if not results.too_few}
    lines = [_line(each, marks.get(each.key), results.metric, distance) for each in ranked(results, distance)]
    for state in (CandidateState.FAILED, CandidateState.NOT_TRIED):
        lines += [f"{state}: {each.title}. {each.reason}" for each in results.candidates if each.state is state]
    reused = Counter(point.earlier for each in results.candidates for point in each.points if point.earlier)
    lines += [
        f"Reused: {counted(times, 'measurement')} of Find {find} on this corpus. The same seed, "
        "settings and code give the same values again."
        for find, times in reused.items()
    ]
    lines += filter(None, [cuts_line(results), results.ended, results.too_few])
    if results.chosen is not None:
        lines += [f"Chosen: {results.chosen_candidate.described}", *filter(None, [all_dimensions_line(results)])]
    if results.cheapest not in (None, results.chosen):
        lines.append(f"The cheapest that is not separable from it: {results.candidate(results.cheapest).described}")
    return [*lines, *([results.verdict.sentence] if results.verdict else [])]


def _line(candidate: Candidate, row: LeaderboardRow | None, metric: str, distance: Distance) -> str:
    mark = {BEST: "best", INSEPARABLE: "level with the best"}.get(row.mark if row else "", "")
    if candidate.state is CandidateState.PRUNED:
        mark = f"stopped after rung {(candidate.rung or 0) + 1}{f': {candidate.reason}' if candidate.reason else ''}"
    steps = f"{candidate.steps:>6} steps" if candidate.kind == "trained" else " " * 12
    number = f"{value_line(metric, candidate.measured.by(distance)):>12}"
    return f"{number} {steps} {candidate.seconds:6.1f} s  {candidate.described}  {mark}".rstrip()


def verdict_heading(results: FindResults, verdict: Verdict) -> str:
    """Whether the winner beats counting words."""
    if not verdict.beats_counting or results.chosen is None:
        return NOTHING_BEATS
    return f"The winner, {results.candidate(results.chosen).title}, beats counting words on these texts."


def at_rest(results: FindResults) -> FindResults:
    """Results of a Find without a worker: a candidate in training counts as waiting."""
    waiting = {"state": CandidateState.WAITING}
    return results.model_copy(
        update={
            "candidates": tuple(
                each.model_copy(update=waiting) if each.state is CandidateState.RUNNING else each
                for each in results.candidates
            )
        }
    )


def alike_line(results: FindResults) -> str:
    """The cheapest candidate that cannot be told apart from the chosen one, and how many more there are."""
    if results.chosen is None or results.too_few:
        return ""
    alike = [
        each.key for each in results.leaderboard if each.mark in (BEST, INSEPARABLE) and each.key != results.chosen
    ]
    if not alike:
        return "No other candidate that reached the end is level with it on the texts that select."
    line = f"{counted(len(alike), 'other candidate')} {'is' if len(alike) == 1 else 'are'} not separable from it"
    if results.cheapest in (None, results.chosen):
        return f"{line}; none of them is cheaper."
    cheap = results.candidate(results.cheapest)
    return f"{line}; the cheapest is {cheap.described}, {duration(cheap.seconds)}."


def all_dimensions_line(results: FindResults) -> str:
    """Where a cut was chosen: its encoder with all dimensions, on the texts that select; else nothing."""
    if results.chosen is None or results.too_few or (dimensions := results.chosen_candidate.dimensions) is None:
        return ""
    whole = next(each for each in results.candidates if cut_key(each.key, dimensions) == results.chosen)
    metric = metric_by(results.metric, SHOWN_FIRST)
    value = value_line(results.metric, whole.measured.by(SHOWN_FIRST))
    to_best = next((row.to_best for row in results.leaderboard if row.key == whole.key), None)
    change = "" if to_best is None else f", {change_line(results.metric, to_best)} against the winner"
    return f"With all its dimensions, the same encoder reaches {metric} {value}{change}, on the texts that select."


def what_remains(settings: FindSettings, results: FindResults) -> str:
    """Of a Find that ended early: what was measured, and what its continuation will do."""
    left, measured = seconds_left(settings, results), tried(results)
    done = f"{count(measured)} candidate{' has' if measured == 1 else 's have'} been measured; nothing is lost."
    done = done if measured else "Nothing has been measured yet."
    if results.chosen is not None:
        return f"{done} The search is over; the winner's full training and the verdict remain."
    if not left:
        return f"{done} Its minutes are spent; the best so far is then trained in full."
    return f"{done} {duration(left)} of its {duration(60 * settings.minutes)} are left."


def not_tried_line(candidate: Candidate) -> str:
    """A candidate that was left out, and why."""
    if candidate.reason or candidate.cost_seconds is None:
        return f"{candidate.title}: {candidate.reason or 'it did not fit the budget.'}"
    return f"{candidate.title}: it would take about {duration(candidate.cost_seconds)}."


def stage_with_candidate(stage: str, results: FindResults) -> str:
    """The worker's stage with the candidate in training."""
    at_work = next((each.title for each in results.candidates if each.state is CandidateState.RUNNING), "")
    return stage if at_work in stage else f"{stage}: {at_work}"
