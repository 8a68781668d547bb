"""The leaderboard of a Find as a table that sorts itself and as CSV, and what was not tried; torch-free."""

from embedlab.distance import DISTANCES, Distance
from embedlab.finds.in_words import in_unit, metric_by, unit_of
from embedlab.finds.model import Candidate, CandidateState, FindResults
from embedlab.statistics.separable import ABOVE, INSEPARABLE, WORSE
from embedlab.table_files import as_csv_file, csv_of_rows

CHOSEN, CHEAPEST = "chosen", "cheapest not separable"
_MARKS = {INSEPARABLE: "not separable", WORSE: WORSE, ABOVE: ABOVE}  # what else the table says of a standing
_OUT = (CandidateState.FAILED, CandidateState.NOT_TRIED)


def ranked(results: FindResults, distance: Distance) -> list[Candidate]:
    """Measured candidates, best by this distance first; ties in the order of the Find's leaderboard.

    Of an encoder's cuts only the one that takes part.
    """
    order = {standing.key: rank for rank, standing in enumerate(results.leaderboard)}
    measured = [each for each in results.candidates if each.value is not None and each.state not in _OUT]
    measured = [each for each in measured if not each.is_left_out]
    return sorted(measured, key=lambda each: (-each.measured.by(distance).value, order.get(each.key, len(order))))


def leader(results: FindResults, distance: Distance) -> Candidate | None:
    """The chosen candidate; before that, the best by this distance, reference lines excluded."""
    if results.chosen is not None:
        return results.candidate(results.chosen)
    return next((each for each in ranked(results, distance) if each.kind != "reference"), None)


def not_tried(results: FindResults) -> list[Candidate]:
    """What did not fit the budget, cheapest first."""
    left_out = (each for each in results.candidates if each.state is CandidateState.NOT_TRIED)
    return sorted(left_out, key=lambda each: each.cost_seconds or 0.0)


def failed(results: FindResults) -> list[Candidate]:
    """The candidates that failed; the others went on."""
    return [each for each in results.candidates if each.state is CandidateState.FAILED]


def cuts_line(results: FindResults) -> str:
    """That encoders were measured with fewer dimensions, and how many of these are not in the table; else nothing."""
    left_out = sum(each.is_left_out for each in results.candidates)
    if not left_out:
        return ""
    others = "another one was" if left_out == 1 else f"{left_out:,} others were"
    return (
        "Untouched encoders were also measured by fewer of their dimensions. Of each encoder the table has the fewest "
        f"that are not separable from its best; {others} measured, counted as compared, and exported."
    )


def rows_of(results: FindResults, distance: Distance) -> list[dict[str, str | float | int | None]]:
    """The table: measured candidates, then those waiting, at work or failed; no ranks with too few texts."""
    measured = ranked(results, distance)
    others = [each for each in results.candidates if each not in measured]
    others = [each for each in others if each.state is not CandidateState.NOT_TRIED and not each.is_left_out]
    value_column, error_column = columns(results.metric, distance)
    marks: dict[str | None, str] = {row.key: _MARKS.get(row.mark, "") for row in results.leaderboard}
    marks |= {results.cheapest: CHEAPEST, results.chosen: CHOSEN}
    words = {CandidateState.RUNNING: "training", CandidateState.PRUNED: "pruned"}
    rank, rows = 0, []
    for candidate in [*measured, *others]:
        is_ranked = candidate in measured and candidate.kind != "reference" and not results.too_few
        rank += is_ranked
        state = "reference" if candidate.kind == "reference" else words.get(candidate.state, str(candidate.state))
        measurement = None if candidate.value is None else candidate.value.by(distance)
        rows.append(
            {
                "rank": rank if is_ranked else None,
                "candidate": candidate.title,
                value_column: None if measurement is None else in_unit(results.metric, measurement.value),
                error_column: None if measurement is None else in_unit(results.metric, measurement.error),
                **({"against the best": marks.get(candidate.key, "")} if results.leaderboard else {}),
                "settings": candidate.settings_line,
                "state": state,
                "steps": candidate.steps if candidate.kind == "trained" else None,
                "seconds": candidate.seconds,
            }
        )
    return rows


def columns(metric: str, distance: Distance) -> tuple[str, str]:
    """The names of the columns of values and standard errors."""
    unit, error = unit_of(metric)
    return f"{metric_by(metric, distance)}{unit}", error


_HEADER = "candidate kind encoder recipe settings state rung steps seconds expected_seconds mark reason".split()


def csv_of(results: FindResults) -> bytes:
    """Best first by the distance that chose, unmeasured ones last; cells that a spreadsheet would execute get an
    apostrophe.
    """
    marks = {row.key: (rank, row.mark) for rank, row in enumerate(results.leaderboard)}
    unit, error = unit_of(results.metric)
    numbers = [f"{what}, {name}" for name in DISTANCES.values() for what in (f"development{unit}", error)]
    rows: list[list] = [[*_HEADER[:7], *numbers, *_HEADER[7:]]]
    for each in sorted(results.candidates, key=lambda each: marks.get(each.key, (len(marks), ""))[0]):
        measured = [None if each.value is None else each.value.by(distance) for distance in DISTANCES]
        pairs = [(None, None) if one is None else (one.value, one.error) for one in measured]
        values = [in_unit(results.metric, number) for pair in pairs for number in pair]
        facts = [each.steps, each.seconds, each.cost_seconds, marks.get(each.key, (0, ""))[1], each.reason]
        rung = None if each.rung is None else each.rung + 1
        rows.append(
            [each.key, each.kind, each.encoder, each.recipe, each.described, str(each.state), rung, *values, *facts]
        )
    return as_csv_file(csv_of_rows(rows))
