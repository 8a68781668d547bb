"""One look at a candidate: its value, what it rests on text by text, its cost; kept for paired intervals."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from embedlab.damage import read_arrays
from embedlab.distance import DISTANCES
from embedlab.errors import EmbedlabError, LeaveRequested, StopRequested
from embedlab.finds.store import Find
from embedlab.measurement import ByDistance, Measurement
from embedlab.store_root import atomic_write, is_disk_full

Units = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Look:
    """What one look at a candidate gave: ``units`` are of its single texts, by distance.

    ``seconds`` were spent for it, training included. ``earlier``: the Find that measured it, where it was not made
    again.
    """

    value: ByDistance[Measurement]
    units: ByDistance[Units] = field(repr=False)
    seconds: float
    steps: int = 0
    planned: int | None = None
    earlier: str = ""


def attempted(work: Callable[[], Look]) -> tuple[Look | str, float]:
    """What it gave or the sentence why it failed, and its seconds; Stop and a full disk end the whole Find."""
    began = time.perf_counter()
    try:
        look = work()
    except (StopRequested, LeaveRequested):
        raise
    except (EmbedlabError, RuntimeError, ValueError, MemoryError, OSError) as error:
        if is_disk_full(error):
            raise
        reason = error.message if isinstance(error, EmbedlabError) else f"{type(error).__name__}: {error}"
        return reason[:500], time.perf_counter() - began
    return look, look.seconds


def write_units(find: Find, key: str, rung: int, units: ByDistance[Units]) -> None:
    """What a look says of each single text, for paired intervals."""
    named = {f"{distance}.{name}": array for distance in DISTANCES for name, array in units.by(distance).items()}
    with atomic_write(find.units(key, rung)) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **named)


def read_units(find: Find, key: str, rung: int) -> ByDistance[Units]:
    """What ``write_units`` kept."""
    arrays = read_arrays(find.units(key, rung))

    def of(distance: str) -> Units:
        return {name.split(".", 1)[1]: each for name, each in arrays.items() if name.startswith(f"{distance}.")}

    return ByDistance.of(of)
