"""A study as a table: a row for each value and series, shares in percent, gaps with their reason; and as CSV."""

from collections.abc import Mapping

from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.figures.text import in_percent
from embedlab.runs.spreadsheet import as_csv_file, csv_of_rows

_NUMBERS = {
    "kNN after {} (%)": "accuracy",
    "± {} (points)": "error",
    "95 % low {}": "low",
    "95 % high {}": "high",
    "sd of seeds {}": "sd",
    "kNN before {} (%)": "before",
    "development {} (%)": "development",
    "± of development {} (points)": "development_error",
}


def rows_of(found: Mapping, *distances: Distance) -> list[dict]:
    """The table of a summary: one row a value, its numbers by each of these distances, gaps with their reason."""
    told = [found["measured"].by(distance) for distance in distances]
    rows = zip(*([*([each["line"]] if each["line"] else []), *each["points"]] for each in told), strict=True)
    return [_row(dict(zip(distances, row, strict=True)), has_series=found["series"] is not None) for row in rows]


def column(number: str, distance: Distance) -> str:
    """What the column of a number of a point is called: ``column("accuracy", "cosine")``."""
    return next(name for name, key in _NUMBERS.items() if key == number).format(f"by {DISTANCES[distance]}")


def csv_of(found: Mapping, distance: Distance) -> bytes:
    """By both distances, this one first; for people: a cell that a spreadsheet would run gets an apostrophe."""
    rows = rows_of(found, distance, other_distance(distance))
    return as_csv_file(csv_of_rows([rows[0], *(row.values() for row in rows)]))


def _row(points: dict[Distance, Mapping], *, has_series: bool) -> dict:
    point = next(iter(points.values()))
    gaps = [f"seed {each['seed']}: {each['reason']}" for each in point["seeds"] if each["reason"]]
    numbers = {
        column(key, distance): in_percent(each.get(key))
        for distance, each in points.items()
        for key in _NUMBERS.values()
    }
    losses = point["measured"].get("loss") or {}
    return {
        "value": point["name"],
        **({"series": point["series_name"]} if has_series else {}),
        **numbers,
        "final loss": losses.get("value"),
        "sd of final loss": losses.get("sd"),
        "steps": _whole(point["steps"]),
        "usable texts": _whole(point["usable_texts"]),
        "seeds": sum(each["accuracy"] is not None for each in point["seeds"]),
        "gaps": " ".join(gaps),
    }


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)
