"""The leaderboard as CSV: a row for each candidate."""

from embedlab.distance import DISTANCES
from embedlab.finds.model import FindResults
from embedlab.finds.values import in_unit, unit_of
from embedlab.table_files import as_csv_file, csv_of_rows

_HEADER = "candidate kind encoder recipe settings state rung steps seconds expected_seconds mark reason".split()


def csv_of(results: FindResults) -> bytes:
    """Best first by the distance that chose, those without a value last; for people: a cell that a spreadsheet would
    run gets an apostrophe."""
    marks = {row.key: (place, row.mark) for place, row in enumerate(results.leaderboard)}
    unit, error = unit_of(results.metric)
    numbers = [f"{what}, {name}" for name in DISTANCES.values() for what in (f"development{unit}", error)]
    rows: list[list] = [[*_HEADER[:7], *numbers, *_HEADER[7:]]]
    for each in sorted(results.candidates, key=lambda each: marks.get(each.key, (len(marks), ""))[0]):
        values = [None, None] * len(DISTANCES)
        if each.value is not None:
            measured = [each.value.by(distance) for distance in DISTANCES]
            values = [in_unit(results.metric, number) for found in measured for number in (found.value, found.error)]
        mark = marks.get(each.key, (0, ""))[1]
        facts = [each.steps, each.seconds, each.cost_seconds, mark, each.reason]
        rung = None if each.rung is None else each.rung + 1
        rows.append(
            [each.key, each.kind, each.encoder, each.recipe, each.described, str(each.state), rung, *values, *facts]
        )
    return as_csv_file(csv_of_rows(rows))
