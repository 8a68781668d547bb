"""The search: references and untouched encoders first, then trainings rung by rung, each step of it kept at once.

Started again it goes on from what is kept, so that a kill half way leads to the same table.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.errors import EmbedlabError, LeaveRequested, StopRequested
from embedlab.finds.model import Candidate, CandidateState, FindResults, FindSettings, Point, Standing
from embedlab.finds.rungs import KEPT, MOST, SEARCHED, SHARES, TIMED, entrants, promoted
from embedlab.finds.sampler import Sampler
from embedlab.finds.store import Find, results_of, write_results
from embedlab.measurement import ByDistance, Measurement
from embedlab.statistics.intervals import normal
from embedlab.statistics.separable import BEST, INSEPARABLE, compared
from embedlab.store_root import is_disk_full, whole_file

WIDEST = 0.15  # of the interval of a share: wider, and candidates are not ranked
DEAREST = 0.25  # of the budget, that one look or one training of the first rung may take
Units = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Look:
    """What one look at a candidate gave: ``units`` are of its single texts, by distance."""

    value: ByDistance[Measurement]
    units: ByDistance[Units] = field(repr=False)
    seconds: float
    steps: int = 0
    planned: int | None = None


class Workshop(Protocol):
    """Where candidates are made, trained and looked at; reads nothing of the test texts' labels."""

    metric: str
    difference: Callable

    def fixed(self) -> list[Candidate]:
        """References and untouched encoders, cheapest first, with their expected seconds; and what is not trained."""

    def sampler(self, budget: float) -> Sampler:
        """Of the ways to train that these texts and this budget allow."""

    def too_dear(self, budget: float) -> list[Candidate]:
        """The ways that the budget does not allow, with their cost."""

    def look(self, candidate: Candidate) -> Look:
        """At a reference or an untouched encoder."""

    def train(self, candidate: Candidate, share: float) -> Look:
        """Go on to this share of the planned steps from where it stood, and look."""

    def let_go(self, candidate: Candidate) -> None:
        """It goes no further: its weights go."""


class Search:
    """One Find at work."""

    def __init__(self, find: Find, settings: FindSettings, workshop: Workshop, progress=lambda *stage: None):
        self.find, self.settings, self.workshop, self.progress = find, settings, workshop, progress
        self.budget = 60 * settings.minutes
        self.results = results_of(find)

    def run(self) -> FindResults:
        """Everything until one is chosen."""
        if not self.results.candidates:
            self._keep(candidates=tuple(self.workshop.fixed()), rungs=SHARES, metric=self.workshop.metric)
        self._look_at_fixed()
        if not self.results.too_few:
            self._first_rung()
            for rung in range(1, len(SHARES)):
                self._further_rung(rung)
        self._conclude()
        return self.results

    @property
    def left(self) -> float:
        """Seconds that the search may still take."""
        return SEARCHED * self.budget - self.results.spent

    def _look_at_fixed(self) -> None:
        for candidate in self.results.candidates:
            if candidate.kind == "trained" or candidate.state is not CandidateState.WAITING:
                continue
            cost = candidate.cost_seconds
            if candidate.kind == "untouched" and cost is not None and cost > DEAREST * self.budget:
                self._put(candidate, state=CandidateState.NOT_TRIED, reason=_too_dear(cost, DEAREST * self.budget))
                continue
            self.progress(f"Looking at {candidate.title}")
            self._done(candidate, lambda candidate=candidate: self.workshop.look(candidate), CandidateState.FINISHED)
        measured = next((each.value for each in self.results.candidates if each.value is not None), None)
        if measured is not None:
            self._keep(development_texts=measured.by(SHOWN_FIRST).n or 0, too_few=_too_few(measured))

    def _first_rung(self) -> None:
        if self.results.rung not in (None, 0):
            return
        sampler = self.workshop.sampler(self.budget)
        if self.results.rung is None:
            self._keep(rung=0, candidates=(*self.results.candidates, *self.workshop.too_dear(self.budget)))
        if not sampler.ways:
            return
        number = 0
        while True:
            key = f"t{number:02}"
            candidate = next((each for each in self.results.candidates if each.key == key), None)
            if candidate is None:
                if self.results.entrants is None and number >= TIMED:
                    self._count_entrants()
                if self.left <= 0 or (self.results.entrants is not None and number >= self.results.entrants):
                    break
                candidate = self._drawn(sampler, number, key)
            if candidate.state in (CandidateState.WAITING, CandidateState.RUNNING):
                self._train(candidate, 0)
            candidate = self.results.candidate(key)
            value = candidate.points[0].value.by(SHOWN_FIRST).value if candidate.points else None
            sampler.tell(number, value)
            self._let_go_of_the_beaten()
            number += 1
        if self.results.entrants is None or self.results.entrants > number:
            self._keep(entrants=number)
        self._prune(0)

    def _let_go_of_the_beaten(self) -> None:
        """Weights of those that so many have beaten already that they cannot go on are not kept until the rung ends."""
        in_rung = self._of(CandidateState.PROMOTED)
        most = max(1, (self.results.entrants or MOST) // KEPT)
        for each in sorted(in_rung, key=_value, reverse=True)[most:]:
            self.workshop.let_go(each)

    def _drawn(self, sampler: Sampler, number: int, key: str) -> Candidate:
        parameters = sampler.ask(number)
        way = sampler.ways[parameters["way"]]
        candidate = Candidate(
            key=key,
            kind="trained",
            title=way.title,
            encoder=way.encoder,
            recipe=way.recipe,
            settings=way.settings(parameters) | {"length": parameters["length"], "parameters": parameters},
        )
        self._keep(candidates=(*self.results.candidates, candidate))
        return candidate

    def _count_entrants(self) -> None:
        timed = [each.seconds for each in self.results.candidates if each.kind == "trained" and each.points]
        if timed:
            spent = sum(timed)
            self._keep(entrants=max(TIMED, entrants(spent / len(timed), self.left + spent)))

    def _further_rung(self, rung: int) -> None:
        if (self.results.rung or 0) > rung:
            return
        self._keep(rung=rung)
        going_on = self._of(CandidateState.PROMOTED, CandidateState.RUNNING)
        for candidate in sorted(going_on, key=_value, reverse=True):  # the best first, for the budget may end
            if candidate.points[-1].rung >= rung:
                continue
            if self.left <= 0 and any(each.rung == rung for each in self._of(CandidateState.PROMOTED)):
                self._put(candidate, state=CandidateState.PRUNED, reason="The budget ended before it could go on.")
                self.workshop.let_go(candidate)
                continue
            self._train(candidate, rung)
        self._prune(rung)

    def _train(self, candidate: Candidate, rung: int) -> None:
        self._put(candidate, state=CandidateState.RUNNING)
        done = sum(each.rung == rung for each in self.results.candidates)
        count = f" of {self.results.entrants}" if rung == 0 and self.results.entrants else ""
        self.progress(f"Rung {rung + 1} of {len(SHARES)}, training {done + 1}{count}: {candidate.title}")
        candidate = self.results.candidate(candidate.key)
        self._done(candidate, lambda: self.workshop.train(candidate, SHARES[rung]), CandidateState.PROMOTED, rung=rung)

    def _prune(self, rung: int) -> None:
        """Settle who of a finished rung goes on; the last rung's are finished, all of them."""
        in_rung = [each for each in self._of(CandidateState.PROMOTED) if each.rung == rung]
        values = {each.key: _value(each) for each in in_rung}
        going_on = set(values) if rung == len(SHARES) - 1 else set(promoted(values))
        last = CandidateState.FINISHED if rung == len(SHARES) - 1 else CandidateState.PROMOTED
        changed = {each.key: last if each.key in going_on else CandidateState.PRUNED for each in in_rung}
        self._keep(
            candidates=tuple(
                each.model_copy(update={"state": changed.get(each.key, each.state)}) for each in self.results.candidates
            ),
            rung=rung + 1,
        )
        for each in in_rung:
            if each.key not in going_on or last is CandidateState.FINISHED:
                self.workshop.let_go(each)

    def _of(self, *states: CandidateState) -> list[Candidate]:
        return [each for each in self.results.candidates if each.kind == "trained" and each.state in states]

    def _done(self, candidate: Candidate, work: Callable[[], Look], state: CandidateState, rung: int = 0) -> None:
        """Do it and keep what came of it; one that fails is named, its time counts, and the others go on."""
        began = time.perf_counter()
        try:
            look = work()
        except (StopRequested, LeaveRequested):
            raise
        except (EmbedlabError, RuntimeError, ValueError, MemoryError, OSError) as error:
            if is_disk_full(error):
                raise
            reason = error.message if isinstance(error, EmbedlabError) else f"{type(error).__name__}: {error}"
            seconds = time.perf_counter() - began
            total = round(candidate.seconds + seconds, 3)
            self._put(candidate, spent=seconds, state=CandidateState.FAILED, reason=reason[:500], seconds=total)
            self.workshop.let_go(candidate)
            return
        write_units(self.find, candidate.key, look.units)
        seconds = candidate.seconds + look.seconds
        point = Point(rung=rung, steps=look.steps, seconds=round(seconds, 3), value=look.value)
        is_trained = candidate.kind == "trained"
        self._put(
            candidate,
            spent=look.seconds,
            state=state,
            seconds=round(seconds, 3),
            points=(*candidate.points, point),
            rung=rung if is_trained else None,
            planned=look.planned,
        )

    def _conclude(self) -> None:
        """Who is best, who cannot be told apart from it, and the cheapest of those."""
        measured = [each for each in self.results.candidates if each.value is not None]
        whole = [each for each in measured if each.state is CandidateState.FINISHED and each.kind != "reference"]
        if not whole:
            reasons = [each.reason for each in self.results.candidates if each.reason]
            message = f"No encoder could be looked at. {reasons[0] if reasons else ''} Give it more minutes."
            raise EmbedlabError("E-FIND-EMPTY", message)
        values = {each.key: _value(each) for each in measured}
        kept = {each.key for each in whole}
        references = [each.key for each in measured if each.kind == "reference"]
        found = compared(
            values=values,
            units={key: read_units(self.find, key).by(SHOWN_FIRST) for key in values},
            difference=self.workshop.difference,
            references=references,
            left_out={
                each.key: f"stopped at rung {(each.rung or 0) + 1}"
                for each in measured
                if each.state is not CandidateState.FINISHED
            },
        )
        rows = tuple(
            Standing(key=key, mark=standing.mark, to_best=standing.to_best and standing.to_best.change)
            for key, standing in sorted(found.standings.items(), key=lambda row: -values[row[0]])
        )
        best = found.best or max(kept, key=values.__getitem__)
        level = [each for each in whole if found.standings[each.key].mark in (BEST, INSEPARABLE)] or whole[:1]
        cheapest = min(level, key=lambda each: (each.kind == "trained", each.seconds))
        if self.results.too_few:
            best = cheapest.key if cheapest.kind == "untouched" else whole[0].key
        self._keep(leaderboard=rows, chosen=best, cheapest=cheapest.key)

    def _put(self, candidate: Candidate, *, spent: float = 0.0, **facts) -> None:
        self.results = self.results.having(self.results.candidate(candidate.key).model_copy(update=facts))
        self._keep(spent=round(self.results.spent + spent, 3))

    def _keep(self, **facts) -> None:
        self.results = self.results.model_copy(update=facts)
        write_results(self.find, self.results)


def write_units(find: Find, key: str, units: ByDistance[Units]) -> None:
    """What a look says of each single text, for paired intervals."""
    named = {f"{distance}.{name}": array for distance in DISTANCES for name, array in units.by(distance).items()}
    with whole_file(find.units(key)) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **named)


def read_units(find: Find, key: str) -> ByDistance[Units]:
    """What ``write_units`` kept."""
    with np.load(find.units(key)) as kept:
        arrays = {name: kept[name] for name in kept.files}

    def of(distance: str) -> Units:
        return {name.split(".", 1)[1]: each for name, each in arrays.items() if name.startswith(f"{distance}.")}

    return ByDistance.of(of)


def _value(candidate: Candidate) -> float:
    return candidate.value.by(SHOWN_FIRST).value


def _too_few(measured: ByDistance[Measurement]) -> str:
    value = measured.by(SHOWN_FIRST)
    width = 0.0 if value.error is None else 2 * normal(0.95) * max(value.error, 0.5 / max(value.n or 1, 1))
    if width <= WIDEST:
        return ""
    return (
        f"The interval of an accuracy on {value.n:,} development texts is {100 * width:.0f} points wide: candidates "
        f"cannot be ranked by so few. Label more texts, or judge by pairs or queries (--judge FILE)."
    )


def _too_dear(cost: float, most: float) -> str:
    return f"It would take about {cost:.0f} seconds; of these minutes one candidate may take {most:.0f}."
