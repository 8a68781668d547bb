"""A column of the side-by-side table: what was measured where, of which rows, and what training changed of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from embedlab.compare.published import Published, published_values
from embedlab.distance import SHOWN_FIRST, Distance


@dataclass(frozen=True)
class ColumnRequest:
    """What a reader wants to see: the distance that stands first, and the diagnostics that are one number.

    ``numbers``: a diagnostic's key -> (the number's name in its file, its title).
    """

    first: Distance = SHOWN_FIRST
    numbers: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnValue:
    """One value with its standard error, in the metric's own unit."""

    value: float
    error: float | None = None


@dataclass(frozen=True)
class Gain:
    """After minus before of one run; bounds at 95 % where the same units were measured twice."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Column:
    """``place`` is the corpus, set or benchmark; ``values`` and ``gains`` are by the keys of rows.

    ``higher_is_better`` is None where no direction is good. ``counts``: whether it enters the performance score, which
    takes a metric by one distance alone. ``printed``: the fields by which papers' values of it are found.
    """

    key: str
    title: str
    place: str
    values: Mapping[str, ColumnValue]
    gains: Mapping[str, Gain] = field(default_factory=dict)
    scale: float = 1.0
    digits: int = 1
    unit: str = ""
    higher_is_better: bool | None = None
    counts: bool = True
    printed: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """``kNN accuracy by cosine, docs``"""
        return f"{self.title}, {self.place}" if self.place else self.title

    @property
    def head(self) -> str:
        """``kNN accuracy by cosine, docs (%)``"""
        return self.name + (f" ({self.unit})" if self.unit else "")

    def printed_values(self) -> list[Published]:
        """What papers print of exactly this, in their plain setting."""
        return [] if self.printed is None else published_values(**self.printed, setting="")

    def printed_value(self, value: Published) -> float:
        """In the column's own unit: a share, or a rank as it is."""
        return value.value if value.share is None else value.share
