"""How a study is told apart and read in its figures: the series with colour and mark, heights in their unit."""

from collections.abc import Mapping
from dataclasses import dataclass

from embedlab.figures.palette import ACCENT, Shades, categorical
from embedlab.numbers import in_unit, with_unit

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "pentagon", "triangle-down")
PRINTED = ("o", "s", "D", "^", "P", "*", "p", "v")  # the same marks as matplotlib calls them
_WIDE = 0.56  # of the room of a word on the axis: what the series beside each other take


@dataclass(frozen=True)
class Series:
    """One line of a study; ``number`` is its place among them, ``aside`` its way from the middle of a word."""

    name: str
    number: int
    shades: Shades
    points: tuple[Mapping, ...]
    aside: float

    @property
    def symbol(self) -> str:
        """As plotly calls it."""
        return SYMBOLS[self.number % len(SYMBOLS)]

    @property
    def printed(self) -> str:
        """As matplotlib calls it."""
        return PRINTED[self.number % len(PRINTED)]

    @property
    def done(self) -> list[Mapping]:
        """The points that have a height."""
        return [point for point in self.points if point["height"] is not None]


def series_in(found: Mapping) -> list[Series]:
    """Every line of the study; one in the accent, without a name, where it has no series."""
    if found["series"] is None:
        return [Series("", 0, ACCENT, tuple(found["points"]), 0.0)]
    names = found["series"]["names"]
    colours, step = categorical(len(names)), _WIDE / len(names)
    is_words = found["scale"] == "category"
    return [
        Series(
            name,
            number,
            colours[number],
            tuple(point for point in found["points"] if point["series_name"] == name),
            (number - (len(names) - 1) / 2) * step if is_words else 0.0,
        )
        for number, name in enumerate(names)
    ]


def told(found: Mapping, value: float, error: float | None = None) -> str:
    """A height with its error."""
    return in_unit(value, error, found["measure"]["unit"])


def label_of(point: Mapping) -> str:
    """``0.05``, in a study with series ``0.05, crops``"""
    return f"{point['name']}, {point['series_name']}" if point.get("series_name") else point["name"]


def axis_title(found: Mapping) -> str:
    """What the heights are, with their unit."""
    unit = {"points": "points", "seconds": "s"}.get(found["measure"]["unit"], "")
    return with_unit(found["measure"]["title"], unit)
