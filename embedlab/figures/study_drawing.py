"""The figure of a study as lines, dots and words on a sheet: what the SVG and the PNG both draw, without a browser."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from embedlab.figures.curves import REFERENCE_DASHES
from embedlab.figures.frame import apart, share_range
from embedlab.figures.study import compared_with, heights_of, places_of
from embedlab.figures.text import percent, shortened

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 64, 168, 58, 92
Role = Literal["ink", "quiet", "grid", "accent", "seed", "untouched", "reference"]


@dataclass(frozen=True)
class Line:
    """A stroke from point to point."""

    points: tuple[tuple[float, float], ...]
    role: Role
    width: float = 1.5
    dash: tuple[int, int] | None = None


@dataclass(frozen=True)
class Dot:
    """A filled circle, or its rim."""

    x: float
    y: float
    radius: float
    role: Role
    is_open: bool = False
    said: str = ""


@dataclass(frozen=True)
class Words:
    """One line of text."""

    x: float
    y: float
    text: str
    role: Role
    size: int = 13
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


def study_drawing(found: Mapping) -> list[Line | Dot | Words]:
    """Every mark of the figure, back to front, in points of a sheet of 760 × 430."""
    low, high = share_range(heights_of(found) or [0, 1])
    x, y = _across(found), _upward(low, high)
    marks: list[Line | Dot | Words] = _titles(found)
    marks += _grid(found, low, high, y)
    marks += _value_names(found, x)
    marks += _compared(found, y)
    done = [point for point in found["points"] if point["accuracy"] is not None]
    if found["scale"] != "category" and len(done) > 1:
        marks.append(Line(tuple((x[point["name"]], y(point["accuracy"])) for point in done), "accent", 2))
    for point in done:
        marks += _point(point, x[point["name"]], y, first_phase=found["kind"] == "domain-transfer")
    return marks


def _titles(found: Mapping) -> list:
    """What is drawn and by which distance; under it on which corpus, with which encoder and how many seeds."""
    seeds = len(found["seeds"])
    where = f"{found['corpus']['name']}, {found['encoder']}, {seeds} seed{'s' if seeds > 1 else ''}"
    return [
        Words(LEFT, 22, shortened(f"{found['title']}: kNN accuracy {found['by']}", 70), "ink", 15, bold=True),
        Words(LEFT, 41, shortened(where, 90), "quiet", 12),
    ]


def _across(found: Mapping) -> dict[str, float]:
    """The place of each value, by its name."""
    places, category = places_of(found)
    along = {name: math.log10(value) if found["scale"] == "log" else value for name, value in places.items()}
    low, high = min(along.values()), max(along.values())
    spare = 0.5 if category or high == low else 0.05 * (high - low)
    width = WIDTH - LEFT - RIGHT
    return {name: LEFT + (value - low + spare) / (high - low + 2 * spare) * width for name, value in along.items()}


def _upward(low: float, high: float):
    height = HEIGHT - TOP - BOTTOM
    return lambda value: TOP + (high - value) / (high - low) * height


def _grid(found: Mapping, low: float, high: float, y) -> list:
    step = next(step for step in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / step <= 7 or step == 0.2)
    digits = 1 if step < 0.01 else 0
    marks: list = []
    for count in range(math.ceil(low / step), math.floor(high / step) + 1):
        height = y(count * step)
        marks.append(Line(((LEFT, height), (WIDTH - RIGHT, height)), "grid", 1))
        marks.append(Words(LEFT - 8, height + 4, percent(count * step, digits), "quiet", 12, "end"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*marks, Words(middle, HEIGHT - 12, found["axis"], "quiet", 13, "middle")]


def _value_names(found: Mapping, x: Mapping) -> list:
    """Each value, and under it the steps and usable texts of its point."""
    marks: list = []
    bottom = HEIGHT - BOTTOM
    room = (WIDTH - LEFT - RIGHT) / max(len(found["points"]), 1)
    longest = max(len(shortened(point["name"], 16)) for point in found["points"])
    named = apart([x[point["name"]] for point in found["points"]], min(7 * longest + 6, room))
    for point, place in zip(found["points"], named, strict=True):
        marks.append(Line(((x[point["name"]], bottom), (x[point["name"]], bottom + 5)), "quiet", 1))
        marks.append(Words(place, bottom + 20, shortened(point["name"], 16), "ink", 12, "middle"))
        steps, texts = _missing(point), ""
        if point["accuracy"] is not None:
            steps, texts = _short(point["steps"]), _short(point["usable_texts"])
        size = 11 if room > 52 else 10
        marks += [
            Words(place, bottom + 36, steps, "quiet", size, "middle"),
            Words(place, bottom + 51, texts, "quiet", size, "middle"),
        ]
    return [
        *marks,
        Words(LEFT - 8, bottom + 36, "steps", "quiet", 11, "end"),
        Words(LEFT - 8, bottom + 51, "texts", "quiet", 11, "end"),
    ]


def _missing(point: Mapping) -> str:
    """A gap, or only not there yet."""
    over = any(each["state"] in ("failed", "stopped", "interrupted") for each in point["seeds"])
    return "gap" if over else "–"


def _compared(found: Mapping, y) -> list:
    """Horizontal lines with their names at the end, none over another."""
    lines = compared_with(found)
    marks: list = []
    heights = apart([y(value) for _, value, _ in lines], 16)
    for (key, value, name), height in zip(lines, heights, strict=True):
        role = "reference" if key in REFERENCE_DASHES else "untouched" if key == "untouched" else "accent"
        dash = {"dash": (8, 5), "dot": (2, 4)}.get(REFERENCE_DASHES[key][1]) if key in REFERENCE_DASHES else None
        marks.append(Line(((LEFT, y(value)), (WIDTH - RIGHT, y(value))), role, 1.5, dash))
        marks.append(Words(WIDTH - RIGHT + 8, height + 4, shortened(name, 26), role, 12))
    return marks


def _point(point: Mapping, x: float, y, *, first_phase: bool) -> list:
    said = f"{point['name']}: {percent(point['accuracy'])} ± {100 * point['error']:.1f}"
    low, high = y(point["accuracy"] - point["error"]), y(point["accuracy"] + point["error"])
    marks: list = [
        Dot(x + 11, y(each["accuracy"]), 3, "seed") for each in point["seeds"] if each["accuracy"] is not None
    ]
    marks += [Line(((x, low), (x, high)), "accent")]
    marks += [Line(((x - 4, end), (x + 4, end)), "accent") for end in (low, high)]
    if first_phase:
        marks.append(
            Dot(x, y(point["before"]), 4.5, "untouched", is_open=True, said=f"before: {percent(point['before'])}")
        )
    return [*marks, Dot(x, y(point["accuracy"]), 4.5, "accent", said=said)]


def _short(number: float) -> str:
    return f"{number:,.0f}" if number < 100_000 else f"{number / 1000:,.0f}k"
