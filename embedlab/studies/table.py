"""A study as a table: one row a value, shares in percent, gaps with their reason; and as CSV."""

import csv
import io
from collections.abc import Mapping, Sequence

from embedlab.runs.spreadsheet import defused


def rows_of(found: dict) -> list[dict]:
    """The table of a study: one row a value, shares in percent, gaps with their reason."""
    return [_row(point) for point in [*([found["line"]] if found["line"] else []), *found["points"]]]


def csv_of(rows: Sequence[Mapping]) -> bytes:
    """For people: a cell that a spreadsheet would run gets an apostrophe in front."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\r\n")
    writer.writerow(list(rows[0]))
    writer.writerows([defused(value) for value in row.values()] for row in rows)
    return ("\ufeff" + sink.getvalue()).encode("utf-8", "replace")


def _row(point: dict) -> dict:
    gaps = [f"seed {each['seed']}: {each['reason']}" for each in point["seeds"] if each["reason"]]
    return {
        "value": point["name"],
        "kNN after (%)": _percent(point["accuracy"]),
        "± (points)": _percent(point["error"]),
        "95 % low": _percent(point["low"]),
        "95 % high": _percent(point["high"]),
        "sd of seeds": _percent(point["sd"]),
        "kNN before (%)": _percent(point["before"]),
        "development (%)": _percent(point["development"]),
        "steps": _whole(point["steps"]),
        "usable texts": _whole(point["usable_texts"]),
        "seeds": sum(each["accuracy"] is not None for each in point["seeds"]),
        "gaps": " ".join(gaps),
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)
