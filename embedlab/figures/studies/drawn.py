"""A study as it is drawn: one number of its runs by one distance, over the values, with what it is compared with."""

from dataclasses import dataclass
from typing import Any

from embedlab.counting import WORDS
from embedlab.numbers import in_unit, with_unit


@dataclass(frozen=True)
class Dot:
    """One run of a value, or in the mean over corpora one corpus; without a height, ``reason`` says why."""

    name: str
    height: float | None
    reason: str = ""
    is_over: bool = False  # ended without a result


@dataclass(frozen=True)
class DrawnValue:
    """A value of the x axis, for one series; it has a height only as a ``DrawnPoint``."""

    value: Any
    name: str
    series_name: str
    dots: tuple[Dot, ...]
    steps: float | None
    usable_texts: float | None

    @property
    def label(self) -> str:
        """``0.05``, or ``0.05, crops`` in a study with series."""
        return f"{self.name}, {self.series_name}" if self.series_name else self.name


@dataclass(frozen=True, kw_only=True)
class DrawnPoint(DrawnValue):
    """A value with a height: a share, or a difference in points; ``error`` is None where one seed leaves none.

    ``sd`` is that of the dots; ``first_phase`` is the share before the last of two phases; ``by_other`` is the accuracy
    by the other distance, in words.
    """

    height: float
    error: float | None
    sd: float | None
    steps: float
    usable_texts: float
    test_texts: int
    first_phase: float | None = None
    by_other: str = ""


@dataclass(frozen=True)
class DrawnStudy:
    """Points in the order of series and values; ``series`` names each line and ``series_setting`` what makes them."""

    id: str
    title: str
    corpus: str
    encoder: str
    seeds: int
    axis: str
    scale: str
    series_setting: str
    series: tuple[str, ...]
    measure: str
    measure_title: str
    unit: str
    points: tuple[DrawnValue, ...]
    line: DrawnPoint | None
    references: dict[str, float]
    counted: str = WORDS
    view: str = "lines"  # or heat, or mean: over the corpora of its series

    @property
    def done(self) -> list[DrawnPoint]:
        """The points that have a height."""
        return [point for point in self.points if isinstance(point, DrawnPoint)]

    @property
    def value_names(self) -> list[str]:
        """The values of the first setting, in order."""
        return list(dict.fromkeys(point.name for point in self.points))

    @property
    def has_words(self) -> bool:
        """Whether the values are categories, placed side by side in order."""
        return self.scale == "category"

    @property
    def places(self) -> dict[str, float]:
        """The x position of each value by name."""
        values = {point.name: point.value for point in self.points}
        return {name: number if self.has_words else value for number, (name, value) in enumerate(values.items())}

    @property
    def is_grid(self) -> bool:
        """Whether it has at least two values and two series."""
        return len(self.series) > 1 and len(self.value_names) > 1

    @property
    def y_title(self) -> str:
        """The measure on the y axis, with its unit."""
        return with_unit(self.measure_title, {"points": "points", "seconds": "s"}.get(self.unit, ""))

    def in_words(self, height: float, error: float | None = None) -> str:
        """A height in words."""
        return in_unit(height, error, self.unit)

    @property
    def alt(self) -> str:
        """The sentence for screen readers."""
        if not self.done:
            return f"{self.title}: no run has finished yet."
        values = ", ".join(f"{point.label} {self.in_words(point.height, point.error)}" for point in self.done)
        return f"{self.measure_title} over {self.axis}: {values}."
