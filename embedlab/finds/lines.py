"""A Find in sentences and lines: the verdict, and the leaderboard as a terminal shows it."""

from collections import Counter
from collections.abc import Mapping

from embedlab.corpora.stored.shelf import CorpusInfo
from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance
from embedlab.finds.in_words import change_line, is_share, value_line
from embedlab.finds.leaderboard import ranked
from embedlab.finds.model import Candidate, CandidateState, FindResults, LeaderboardRow
from embedlab.measurement import ByDistance, Change, Measurement
from embedlab.numbers import counted
from embedlab.statistics.separable import BEST, INSEPARABLE

NOTHING_BEATS = "Nothing here beats counting words on these texts."
NAMES = {"untouched": "the untouched encoder", "tfidf": "TF-IDF", "svd": "SVD"}


def nothing_to_choose_by(corpus: CorpusInfo) -> str:
    """Why a corpus without two classes cannot choose, followed by what to do."""
    reason = "has no labels" if not corpus.classes else f"has only one class, {corpus.classes[0].label!r}"
    return f"Find needs something to select by, but the corpus {corpus.name!r} {reason}."


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
    lines += earlier_lines(results)
    lines += [line for line in (results.ended, results.too_few) if line]
    if results.chosen is not None:
        lines.append(f"Chosen: {results.chosen_candidate.described}")
    if results.cheapest not in (None, results.chosen):
        cheapest = results.candidate(results.cheapest).described
        lines.append(f"The cheapest that is not separable from it: {cheapest}")
    return [*lines, *([results.verdict.sentence] if results.verdict else [])]


def earlier_lines(results: FindResults) -> list[str]:
    """How many measurements were reused, and from which Find."""
    finds = Counter(point.earlier for each in results.candidates for point in each.points if point.earlier)
    return [
        f"Reused: {counted(count, 'measurement')} of Find {find} on this corpus. The same seed, "
        "settings and code give the same values again."
        for find, count in finds.items()
    ]


def _line(candidate: Candidate, row: LeaderboardRow | None, metric: str, distance: Distance) -> str:
    mark = {BEST: "best", INSEPARABLE: "level with the best"}.get(row.mark if row else "", "")
    if candidate.state is CandidateState.PRUNED:
        mark = f"stopped after rung {(candidate.rung or 0) + 1}{f': {candidate.reason}' if candidate.reason else ''}"
    steps = f"{candidate.steps:>6} steps" if candidate.kind == "trained" else " " * 12
    number = f"{value_line(metric, candidate.measured.by(distance)):>12}"
    return f"{number} {steps} {candidate.seconds:6.1f} s  {candidate.described}  {mark}".rstrip()
