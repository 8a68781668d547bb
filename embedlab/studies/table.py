"""A study by one distance: as figures take it, as a table, a row for each value and series, as CSV and in lines."""

from collections.abc import Mapping

from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.encoders.catalog import encoder_title
from embedlab.numbers import in_percent, percent
from embedlab.studies.measures import ACCURACY, drawn_over
from embedlab.studies.over_corpora import is_over_corpora, mean_sentence
from embedlab.table_files import as_csv_file, csv_of_rows
from embedlab.training.recipes import recipe_title

_NUMBERS = {
    "kNN after, {} (%)": "accuracy",
    "±, {} (points)": "error",
    "95 % low, {}": "low",
    "95 % high, {}": "high",
    "sd of seeds, {}": "sd",
    "kNN before, {} (%)": "before",
    "development, {} (%)": "development",
    "± of development, {} (points)": "development_error",
}


def rows_of(found: Mapping, *distances: Distance) -> list[dict]:
    """The table of a summary: one row a value, its numbers by each of these distances, gaps with their reason."""
    told = [found["measured"].by(distance) for distance in distances]
    rows = zip(*([*([each["line"]] if each["line"] else []), *each["points"]] for each in told), strict=True)
    return [_row(dict(zip(distances, row, strict=True)), has_series=found["series"] is not None) for row in rows]


def column(number: str, distance: Distance) -> str:
    """What the column of a number of a point is called: ``column("accuracy", "cosine")``."""
    return next(name for name, key in _NUMBERS.items() if key == number).format(DISTANCES[distance])


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


def seen_by(found: Mapping, distance: Distance, measure: str = ACCURACY) -> dict:
    """The summary of a study with what was measured by this distance: ``points line references counted answer``.

    ``distance`` is the one they are by; ``by`` says it. Each point has the other distance's ``accuracy`` and ``error``
    under ``beside``, None where it has none. ``measure`` is what stands as the ``height`` of points and seeds.
    """
    told, others = (found["measured"].by(each) for each in (distance, other_distance(distance)))
    by_other = f"({DISTANCES[other_distance(distance)]})"
    points = [_beside(*both, by_other) for both in zip(told["points"], others["points"], strict=True)]
    line = None if told["line"] is None else _beside(told["line"], others["line"], by_other)
    by = f"({DISTANCES[distance]})"
    shown = {"encoder": encoder_title(found["encoder"]), "points": points, "line": line, "distance": distance, "by": by}
    return drawn_over({**found, **told, **shown}, measure)


def _beside(point: Mapping, other: Mapping, by: str) -> dict:
    numbers = {"by": by, "accuracy": other["accuracy"], "error": other["error"]}
    return {**point, "beside": None if other["accuracy"] is None else numbers}


def study_lines(found: dict, distance: str) -> list[str]:
    """Of a study's summary."""
    seen, runs = seen_by(found, distance), found["runs"]
    swept = found["series"]["setting"] if found["series"] is not None else ""
    with_encoder = "" if swept == "encoder" else f" with {encoder_title(found['encoder'])}"
    by_recipe = "" if swept == "recipe" else f", {recipe_title(found['recipe'])}"
    head = f"{found['title']} on {found['corpus']['name']}{with_encoder}{by_recipe}"
    lines = [f"{head}: {found['state']}, {runs['finished']} of {runs['planned']} runs", *found["notes"]]
    lines += [f"kNN accuracy {seen['by']}:", *_rows(rows_of(found, distance), distance)]
    if is_over_corpora(seen):
        lines.append(mean_sentence(seen))
    references = ", ".join(f"{name} {percent(value)}" for name, value in seen["references"].items())
    return [*lines, *filter(None, (references, seen["errors"], seen["answer"]))]


def _rows(rows: list[dict], distance: str) -> list[str]:
    """A line a point; where there is none, why."""
    lines, wide = [], max(len(row.get("series", "")) for row in rows)
    for row in rows:
        accuracy, error = (row[column(number, distance)] for number in ("accuracy", "error"))
        place = f"  {row['value']:>12}" + (f"  {row['series']:<{wide}}" if wide else "")
        if accuracy is None:
            lines.append(f"{place}  –  {row['gaps']}")
            continue
        told = f"{accuracy:.1f} % ± {error:.1f}, {row['steps']:,} steps"
        lines.append(f"{place}  {told} on {row['usable texts']:,} usable texts  {row['gaps']}".rstrip())
    return lines
