"""The beat of a training: what it computes now, since when, and how long the same work took before."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from embedlab.damage import read_model_if_whole
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import disk_time

STEP, LIVE_POINT, MEASURING = "step", "live point", "measuring"  # kinds of work; those of a kind take about as long

_Positive = Annotated[float, Field(ge=0)]


class Beat(BaseModel):
    """The contents of ``beat.json``, written every second by a thread of the worker, also while a step computes.

    ``seconds`` is how long the current work had taken when this was written, by a clock that counts up. No clock of
    another machine is compared with it: the reader adds the age of the file, both ends of which are the disk's time.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    work: str | None = None  # its kind; None between two pieces of work
    seconds: _Positive = 0.0
    longest: _Positive | None = None  # the longest work of this kind so far, in seconds; None before the first
    longest_step: _Positive | None = None
    done: Annotated[int, Field(ge=0)] = 0  # steps
    planned: Annotated[int, Field(ge=0)] = 0

    @property
    def current_step(self) -> int | None:
        """The number of the step that is computed, counted from 1; None while no step is."""
        return self.done + 1 if self.work == STEP else None


@dataclass(frozen=True)
class SeenBeat:
    """A beat, and the age of its file in seconds."""

    beat: Beat
    age: float

    @property
    def seconds(self) -> float:
        """Return the seconds that the current work has taken by now."""
        return self.beat.seconds + self.age


def read_beat(folder: RunFolder) -> SeenBeat | None:
    """The newest beat; None for a job that does not train, an older run, or a damaged file."""
    beat = read_model_if_whole(folder.beat, Beat)
    if beat is None:
        return None
    try:
        return SeenBeat(beat, max(0.0, disk_time() - folder.beat.stat().st_mtime))
    except OSError:  # deleted at this moment
        return None
