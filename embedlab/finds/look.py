"""One measurement of a candidate: its value, the per-text results behind it, its cost; the workshop that takes it.

It also measures an untouched encoder by fewer of its dimensions. Of its lengths, all dimensions among them, the fewest
stand for its cuts that development texts cannot tell from the best one: the choice of the simplest within the error
(Breiman et al. 1984), by paired intervals.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from embedlab.damage import read_arrays
from embedlab.disk_trouble import trouble_said
from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.errors import EmbedlabError, LeaveRequested, StopRequested
from embedlab.finds.model import DIMENSIONS, Candidate, CandidateState, RungResult, cut_key
from embedlab.finds.sampler import Sampler
from embedlab.finds.store import Find
from embedlab.machine_refusals import is_disk_full
from embedlab.measurement import ByDistance, Measurement
from embedlab.progress import Progress
from embedlab.statistics.separable import compared
from embedlab.store_root import atomic_write
from embedlab.vectors.dimensions import dimensions_to_try

Units = Mapping[str, np.ndarray]
Measured = tuple[ByDistance[Measurement], ByDistance[Units]]  # a value, and the per-text results behind it


@dataclass(frozen=True)
class CandidateLook:
    """The result of one measurement of a candidate: ``units`` are its per-text results, by distance.

    ``seconds`` were spent for it, training included. ``earlier``: the Find that measured it, where it was not made
    again. ``cuts``: values and results of an untouched encoder by fewer dimensions of the same vectors.
    """

    value: ByDistance[Measurement]
    units: ByDistance[Units] = field(repr=False)
    seconds: float
    steps: int = 0
    planned: int | None = None
    earlier: str = ""
    training_seconds: float | None = None
    cuts: Mapping[int, Measured] = field(default_factory=dict, repr=False)


class BudgetOver(Exception):
    """The time of the search ended while a candidate was being embedded or trained."""


def until(ends: float, progress: Progress) -> Progress:
    """The same progress until then, by ``perf_counter``; the next step or batch raises ``BudgetOver``."""

    def within(stage: str, done: int = 0, total: int = 0) -> None:
        if done < total and time.perf_counter() > ends:
            raise BudgetOver
        progress(stage, done, total)

    return within


Attempt = CandidateLook | str | None  # what was measured, or why it failed; None where the budget ended before that


def attempted(work: Callable[[], CandidateLook]) -> tuple[Attempt, float]:
    """What it gave and its seconds; Stop and a full disk end the whole Find."""
    began = time.perf_counter()
    try:
        look = work()
    except BudgetOver:
        return None, time.perf_counter() - began
    except (StopRequested, LeaveRequested):
        raise
    except (EmbedlabError, RuntimeError, ValueError, MemoryError, OSError) as error:
        if is_disk_full(error):
            raise
        known = error if isinstance(error, EmbedlabError) else trouble_said(error)
        reason = f"{type(error).__name__}: {error}" if known is None else known.message
        return reason[:500], time.perf_counter() - began
    return look, look.seconds


def write_units(find: Find, key: str, rung: int, units: ByDistance[Units]) -> None:
    """Store the per-text results of a measurement, for paired intervals."""
    named = {f"{distance}.{name}": array for distance in DISTANCES for name, array in units.by(distance).items()}
    with atomic_write(find.units(key, rung)) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **named)


def read_units(find: Find, key: str, rung: int) -> ByDistance[Units]:
    """The results stored by ``write_units``."""
    arrays = read_arrays(find.units(key, rung))

    def of(distance: str) -> Units:
        return {name.split(".", 1)[1]: each for name, each in arrays.items() if name.startswith(f"{distance}.")}

    return ByDistance.of(of)


Begin = Callable[[Candidate], bool]


class Workshop(Protocol):
    """Where candidates are made, trained and measured; it never reads the test texts' labels."""

    metric: str
    difference: Callable

    @property
    def made_with(self) -> dict[str, str]:
        """What numbers depend on besides the settings."""

    def fixed(self) -> list[Candidate]:
        """References, then untouched encoders, token layers first."""

    def timed(self, candidates: list[Candidate]) -> list[Candidate]:
        """Untouched encoders with their expected seconds, cheapest first."""

    def sampler(self, budget: float) -> Sampler:
        """Over the ways to train that fit these texts and this budget."""

    def too_dear(self, budget: float) -> list[Candidate]:
        """The ways that exceed the budget, with their cost."""

    def preparing(self) -> float:
        """Seconds since the last call spent on what all candidates share."""

    def look(self, candidate: Candidate, left: float) -> CandidateLook:
        """Measure a reference or an untouched encoder.

        Raises BudgetOver of an encoder that is no token layer and embeds longer than ``left`` seconds.
        """

    def earlier(self, candidate: Candidate, rung: int) -> CandidateLook | None:
        """What an earlier Find measured that would come out the same."""

    def train(
        self, candidates: list[Candidate], rung: int, begin: Begin, left: Callable[[], float]
    ) -> Iterator[tuple[Candidate, Attempt, float]]:
        """Take each to the end of the rung from where it stood, several at once where there is room.

        ``begin`` is asked before each whether it still may, and notes that it does; after ``left`` seconds what is in
        training is broken off.  -> what came of it, and the seconds of the budget that went by
        """

    def let_go(self, candidate: Candidate) -> None:
        """Delete the weights of a candidate that goes no further."""


MOST_CUTS = 3  # cuts of an encoder that are tried: the longest of 16, 32, 64, … below all


def cuts_of(dim: int) -> list[int]:
    """256, 128 and 64 dimensions of 384: at most ``MOST_CUTS``, from the fewest."""
    return dimensions_to_try(dim)[:-1][-MOST_CUTS:]


def cut_candidates(whole: Candidate, look: CandidateLook, difference: Callable) -> list[Candidate]:
    """The cuts of an encoder that was looked at, each with its value; all but one at most are pruned.

    ``difference``: the metric's own, of two measurements of the same texts.
    """
    if not look.cuts:
        return []
    cuts, every = sorted(look.cuts.items(), key=lambda cut: cut[0]), (look.value, look.units)
    lengths: list[tuple[int | None, Measured]] = [*cuts, (None, every)]  # of equal values the fewest lead
    keys = {dimensions: "all" if dimensions is None else str(dimensions) for dimensions, _ in lengths}
    comparison = compared(
        values={keys[count]: value.by(SHOWN_FIRST).value for count, (value, _) in lengths},
        units={keys[count]: units.by(SHOWN_FIRST) for count, (_, units) in lengths},
        difference=difference,
    )
    fewest = next((count for count, _ in lengths if comparison.standings[keys[count]].is_marked), None)
    return [
        whole.model_copy(
            update={
                "key": cut_key(whole.key, count),
                "title": f"{whole.title}, first {count} dimensions",
                "settings": {**whole.settings, DIMENSIONS: count},
                "state": CandidateState.FINISHED if count == fewest else CandidateState.PRUNED,
                "reason": "" if count == fewest else _why_pruned(count, fewest),
                "seconds": look.seconds,  # to embed with it takes as long as with all
                "points": (RungResult(rung=0, steps=0, seconds=look.seconds, value=value, earlier=look.earlier),),
            }
        )
        for count, (value, _) in cuts
    ]


def _why_pruned(dimensions: int, fewest: int | None) -> str:
    if fewest is not None and fewest < dimensions:
        return f"Its first {fewest} dimensions are not separable from its best."
    return "It is worse than the encoder's best number of dimensions."
