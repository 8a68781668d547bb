"""One measured value, the change of one, and either by both distances: the shape in which they are kept and read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from embedlab.distance import DISTANCES, Distance
from embedlab.errors import RunError

T = TypeVar("T")


class Found(BaseModel):
    """A part of what was found, as it stands in a file; nothing else may stand there."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Measurement(Found):
    """A value with its standard error, and of how many texts it is."""

    value: float
    error: float | None = None
    n: int | None = None


class Change(Found):
    """A difference of shares with its 95 % interval (0.215 = 21.5 points)."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class ByDistance(Generic[T]):
    """The same by each distance: ``{"euclidean": …, "cosine": …}``."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", allow_inf_nan=False)

    euclidean: T
    cosine: T

    def by(self, distance: Distance) -> T:
        """The one by this distance: every page, figure and sentence asks here."""
        return getattr(self, distance)

    @classmethod
    def of(cls, found: Callable[[Distance], T]) -> "ByDistance[T]":
        """What ``found`` says of each distance."""
        return cls(**{each: found(each) for each in DISTANCES})


def shown_by(found: T | ByDistance[T], distance: Distance | None) -> T:
    """The one by this distance; what no distance changes is the same by either."""
    return found.by(distance) if isinstance(found, ByDistance) else found


def of_each(said: Callable[..., T], *found) -> T | ByDistance[T]:
    """What ``said`` says of these: once, or by each distance where they are by both."""
    if not isinstance(found[0], ByDistance):
        return said(*found)
    return ByDistance.of(lambda distance: said(*(each.by(distance) for each in found)))


_MEASURED = TypeAdapter(ByDistance[Measurement])


def as_row(found: ByDistance[Measurement] | None) -> dict | None:
    """For a row of JSON lines; None where nothing was measured."""
    return None if found is None else _MEASURED.dump_python(found, exclude_none=True)


def from_row(kept: dict | None) -> ByDistance[Measurement] | None:
    """What ``as_row`` made."""
    if kept is None:
        return None
    try:
        return _MEASURED.validate_python(kept)
    except ValidationError:
        raise RunError(
            "E-DAMAGED-RUN",
            f"A value by euclidean and by cosine is needed, but a row of the run has {str(kept)[:60]}. Delete the run.",
        ) from None
