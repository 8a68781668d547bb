"""The leaderboard of a Find as a table that sorts itself, and what was not tried; torch-free."""

from embedlab.distance import Distance
from embedlab.finds.model import Candidate, CandidateState, FindResults
from embedlab.finds.values import in_unit, metric_by, unit_of
from embedlab.statistics.separable import ABOVE, INSEPARABLE, WORSE

CHOSEN, CHEAPEST = "chosen", "cheapest not separable"
_MARKS = {INSEPARABLE: "not separable", WORSE: WORSE, ABOVE: ABOVE}  # what else the table says of a standing
_OUT = (CandidateState.FAILED, CandidateState.NOT_TRIED)


def ranked(results: FindResults, distance: Distance) -> list[Candidate]:
    """Candidates with a value, the best by this distance first; equal ones in the order of the Find's leaderboard."""
    order = {standing.key: place for place, standing in enumerate(results.leaderboard)}
    measured = [each for each in results.candidates if each.value is not None and each.state not in _OUT]
    return sorted(measured, key=lambda each: (-each.value.by(distance).value, order.get(each.key, len(order))))


def leader(results: FindResults, distance: Distance) -> Candidate | None:
    """The chosen candidate; before there is one, the best by this distance that is no reference line."""
    if results.chosen is not None:
        return results.candidate(results.chosen)
    return next((each for each in ranked(results, distance) if each.kind != "reference"), None)


def not_tried(results: FindResults) -> list[Candidate]:
    """What did not fit the budget, the cheapest first."""
    left_out = (each for each in results.candidates if each.state is CandidateState.NOT_TRIED)
    return sorted(left_out, key=lambda each: each.cost_seconds or 0.0)


def failed(results: FindResults) -> list[Candidate]:
    """What failed; the others went on."""
    return [each for each in results.candidates if each.state is CandidateState.FAILED]


def rows_of(results: FindResults, distance: Distance) -> list[dict]:
    """The table: candidates with a value, then those that are waiting, at work or failed; no ranks by too few texts."""
    measured = ranked(results, distance)
    others = [each for each in results.candidates if each not in measured]
    others = [each for each in others if each.state is not CandidateState.NOT_TRIED]
    value_column, error_column = columns(results.metric, distance)
    rank, rows = 0, []
    for candidate in [*measured, *others]:
        is_ranked = candidate in measured and candidate.kind != "reference" and not results.too_few
        rank += is_ranked
        measurement = None if candidate.value is None else candidate.value.by(distance)
        rows.append(
            {
                "rank": rank if is_ranked else None,
                "candidate": candidate.title,
                value_column: None if measurement is None else in_unit(results.metric, measurement.value),
                error_column: None if measurement is None else in_unit(results.metric, measurement.error),
                **({"against the best": _mark(results, candidate)} if results.leaderboard else {}),
                "settings": candidate.settings_line,
                "state": state_word(candidate),
                "steps": candidate.steps if candidate.kind == "trained" else None,
                "seconds": candidate.seconds,
            }
        )
    return rows


def columns(metric: str, distance: Distance) -> tuple[str, str]:
    """What the columns of the value and of its standard error are called."""
    unit, error = unit_of(metric)
    return f"{metric_by(metric, distance)}{unit}", error


def state_word(candidate: Candidate) -> str:
    """Where a candidate stands, for people."""
    if candidate.kind == "reference":
        return "reference"
    words = {CandidateState.RUNNING: "training", CandidateState.PRUNED: "pruned"}
    return words.get(candidate.state, str(candidate.state))


def _mark(results: FindResults, candidate: Candidate) -> str:
    if candidate.key == results.chosen:
        return CHOSEN
    if candidate.key == results.cheapest:
        return CHEAPEST
    standing = next((each for each in results.leaderboard if each.key == candidate.key), None)
    return "" if standing is None else _MARKS.get(standing.mark, "")
