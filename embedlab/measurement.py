"""One measured value, its change, either by both distances, how texts were tested, and a note: as stored and read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, overload

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from embedlab.distance import DISTANCES, Distance
from embedlab.errors import RunError
from embedlab.numbers import in_points

T = TypeVar("T")

# how labelled texts are tested: which of them, among which others
PAPER_SPLIT = "paper"  # one part of ten, drawn once
TEN_FOLDS = "folds"  # shuffled; what a run's verdict and accuracy are by, unless labels trained it
PUBLISHED_FOLDS = "cv10"  # not shuffled, as published with the ICLR data set
PROTOCOLS = {PAPER_SPLIT: "paper's split", TEN_FOLDS: "ten folds", PUBLISHED_FOLDS: "published folds, file order"}


def protocol_in_words(protocol: str) -> str:
    """``ten folds``; a name that is not one of the three as it is."""
    return PROTOCOLS.get(protocol, protocol)


def texts_tested(protocol: str, n: int) -> str:
    """``over ten folds of 9,724 labeled texts``, or ``on 1,079 test texts``: the end of a sentence on an accuracy."""
    if protocol in (TEN_FOLDS, PUBLISHED_FOLDS):
        return f"over {protocol_in_words(protocol)} of {n:,} labeled texts"
    return f"on {n:,} test texts"


class ResultPart(BaseModel):
    """A part of a result as stored; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


I_SENTENCES = "I-SENTENCE-ENCODER"  # the code of the note on an encoder that was trained for sentences before


class Note(ResultPart):
    """Something the user should know, identified by its code; nothing was refused."""

    code: str
    message: str


class Measurement(ResultPart):
    """A value with its standard error, and the number of texts behind it."""

    value: float
    error: float | None = None
    n: int | None = None


class LayerValue(NamedTuple):
    """What was measured after one layer with one pooling, by one distance; None for an encoder that was not."""

    layer: int
    pooling: str
    before: Measurement | None
    after: Measurement | None


class Change(ResultPart):
    """A difference of shares with its 95 % interval (0.215 = 21.5 points)."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """After minus before with its bounds, in the metric's own unit, over ``n`` units."""

    value: float
    low: float
    high: float
    n: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0

    def as_json(self, name: str = "value") -> dict[str, float | None]:
        """``{value, low, high, n}``, the first under another ``name``; None for non-finite numbers."""
        numbers = {name: self.value, "low": self.low, "high": self.high}
        return {each: number if isfinite(number) else None for each, number in numbers.items()} | {"n": self.n}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Difference":
        """The reverse of ``as_json``; a missing bound is infinite."""
        unknown = {"value": nan, "low": -inf, "high": inf}
        return cls(**{name: row[name] if row[name] is not None else unknown[name] for name in unknown}, n=row["n"])

    @classmethod
    def of(cls, change: Change, n: int) -> "Difference":
        """From a stored change, over this many texts."""
        return cls(change.difference, change.low, change.high, n)

    @property
    def change(self) -> Change:
        """The change of a share, as stored in a result."""
        return Change(difference=self.value, low=self.low, high=self.high)

    @property
    def points(self) -> str:
        """The change of a share in words: ``+21.5 points (95 %: 18.9 … 24.0)``."""
        return in_points(self.value, self.low, self.high)


@dataclass(frozen=True)
class ClassChange:
    """One class: its number of texts, the shares predicted correctly, and the change with its interval."""

    label: str
    texts: int
    before: float
    after: float
    gained: int
    lost: int
    difference: Difference


@dataclass(frozen=True)
class ByDistance(Generic[T]):
    """A value by each distance: ``{"euclidean": …, "cosine": …}``."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", allow_inf_nan=False)

    euclidean: T
    cosine: T

    def by(self, distance: Distance) -> T:
        """The value by this distance; every page, figure and sentence looks it up here."""
        return getattr(self, distance)

    @property
    def either(self) -> T:
        """One of both, for what does not depend on the distance: which texts, how many neighbors."""
        return self.euclidean

    @classmethod
    def of(cls, function: Callable[[Distance], T]) -> "ByDistance[T]":
        """``function`` applied for each distance."""
        return cls(**{each: function(each) for each in DISTANCES})


def shown_by(value: T | ByDistance[T], distance: Distance | None) -> T:
    """The value by this distance; a value that does not depend on the distance is returned for either."""
    if not isinstance(value, ByDistance):
        return value
    assert distance is not None, "a value by both distances is looked up by one of them"
    return value.by(distance)


@overload
def of_each(function: Callable[..., T], value: ByDistance[Any], /, *values: Any) -> ByDistance[T]: ...
@overload
def of_each(function: Callable[..., T], *values: Any) -> T | ByDistance[T]: ...
def of_each(function: Callable[..., T], *values: Any) -> T | ByDistance[T]:
    """``function`` applied to these values: once, or for each distance if they depend on it."""
    if not isinstance(values[0], ByDistance):
        return function(*values)
    return ByDistance.of(lambda distance: function(*(each.by(distance) for each in values)))


_MEASURED = TypeAdapter(ByDistance[Measurement])


def as_row(measured: ByDistance[Measurement] | None) -> dict[Distance, dict[str, float]] | None:
    """For a row of JSON lines; None if nothing was measured."""
    return None if measured is None else _MEASURED.dump_python(measured, exclude_none=True)


def from_row(row: Mapping[str, Any] | None) -> ByDistance[Measurement] | None:
    """The reverse of ``as_row``."""
    if row is None:
        return None
    try:
        return _MEASURED.validate_python(row)
    except ValidationError:
        raise RunError(
            "E-DAMAGED-RUN",
            "A value for Euclidean distance and one for cosine are needed, but a row of the run has "
            f"{str(row)[:60]}. Delete the run.",
        ) from None


def share_error(share: float, n: float | None) -> float:
    """The binomial standard error √(p(1-p)/n) of a share of ``n`` texts; 0 if n is unknown."""
    return sqrt(share * (1 - share) / n) if n else 0.0


@dataclass(frozen=True)
class CurvePoint:
    """kNN accuracy by one distance on ``test_texts``, at a step: until then training read ``texts``, in ``seconds``."""

    step: int
    knn: float
    texts: int = 0
    seconds: float = 0.0
    test_texts: int = 0

    @property
    def error(self) -> float:
        """The binomial standard error; 0 if the number of test texts is unknown."""
        return share_error(self.knn, self.test_texts)

    def at(self, axis: str) -> float:
        """Its place by ``step``, ``texts`` or ``seconds``."""
        return getattr(self, axis)
