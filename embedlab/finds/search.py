"""The search: references and untouched encoders first, then trainings rung by rung, every result stored at once.

Started again it goes on from what is kept, so that a kill half way leads to the same table.
"""

from functools import partial
from typing import Any

from embedlab.distance import SHOWN_FIRST
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.finds import budget
from embedlab.finds.conclusion import concluded, too_few_to_rank, value_of
from embedlab.finds.look import Attempt, CandidateLook, Workshop, attempted, cut_candidates, write_units
from embedlab.finds.model import Candidate, CandidateState, FindResults, FindSettings, RungResult, cut_key
from embedlab.finds.sampler import KEPT, LAST, LENGTHS, MOST, SEARCHED, SHARES, Sampler, more_entrants, promoted
from embedlab.finds.store import Find, results_of, write_results
from embedlab.progress import Progress, silent

DEAREST = 0.25  # of the budget, that one look or one training of the first rung may take


class Search:
    """One Find at work."""

    def __init__(self, find: Find, settings: FindSettings, workshop: Workshop, progress: Progress = silent):
        self.find, self.settings, self.workshop, self.progress = find, settings, workshop, progress
        self.budget = 60 * settings.minutes
        self.results = results_of(find)

    def run(self) -> FindResults:
        """The whole search, until one is chosen."""
        self.look_at_fixed()
        if not self.results.too_few:
            self._first_rung()
            for rung in range(1, len(SHARES)):
                self._further_rung(rung)
            self._other_lengths()
        for candidate in self.results.trained():
            self.workshop.let_go(candidate)
        if (best := budget.furthest(self.results)) is not None:
            steps = budget.steps_in_full(best, self.budget - self.results.spent)
            self._put(best, state=CandidateState.FINISHED, full_steps=steps if steps != best.planned else None)
        self._keep(ended=budget.ending(self.results, self.settings.minutes))
        leaderboard, chosen, cheapest = concluded(self.find, self.results, self.workshop.difference)
        self._keep(leaderboard=leaderboard, chosen=chosen, cheapest=cheapest)
        self._keep(ended=budget.ending(self.results, self.settings.minutes))  # which names what became of the trained
        return self.results

    @property
    def left(self) -> float:
        """Seconds left for the search."""
        return SEARCHED * self.budget - self.results.spent

    def look_at_fixed(self) -> None:
        """Measure reference lines and untouched encoders that are still unmeasured."""
        if not self.results.candidates:
            facts = {"metric": self.workshop.metric, "made_with": self.workshop.made_with, "rungs": SHARES}
            self._keep(candidates=tuple(self.workshop.fixed()), **facts)
            self._spend(self.workshop.preparing())
        elif self.results.made_with != self.workshop.made_with:
            self._keep(made_with={})
        self._look_at(
            [each for each in self.results.candidates if each.kind == "reference" or is_token_layer(each.encoder)]
        )
        waiting = [each for each in self.results.candidates if each.state is CandidateState.WAITING]
        others = [each for each in waiting if each.kind == "untouched" and each.cost_seconds is None]
        others = [each for each in others if not is_token_layer(each.encoder)]
        if others and self.left > 0:  # cheapest first; not before the token layers, for loading one takes seconds
            rest = [each for each in self.results.candidates if each not in others]
            self._keep(candidates=(*rest, *self.workshop.timed(others)))
            self._spend(self.workshop.preparing())
        self._look_at([each for each in self.results.candidates if each.kind == "untouched"])
        if measured := next((each.value for each in self.results.candidates if each.value is not None), None):
            few = "" if self.settings.width_known else too_few_to_rank(self.results.metric, measured)
            self._keep(development_texts=measured.by(SHOWN_FIRST).n or 0, too_few=few)

    def _look_at(self, candidates: list[Candidate]) -> None:
        for candidate in candidates:
            if candidate.kind == "trained" or candidate.state is not CandidateState.WAITING:
                continue
            if (look := self.workshop.earlier(candidate, 0)) is not None:
                self._measured(candidate, look, 0.0, 0, CandidateState.FINISHED)
                continue
            cost = candidate.cost_seconds
            most = min(DEAREST * self.budget, max(self.left, 0.0))
            if self.left <= 0 or (candidate.kind == "untouched" and (cost or 0.0) > most):
                late = "The budget ended before it could be measured."
                reason = late if cost is None else budget.too_dear(cost, most)
                self._put(candidate, state=CandidateState.NOT_TRIED, reason=reason)
                continue
            self.progress(f"Embedding with {candidate.title}")
            gave, seconds = attempted(partial(self.workshop.look, candidate, self.left))
            self._settled(candidate, gave, seconds, 0, CandidateState.FINISHED)

    # The first rung: block after block of settings, until its part of the time is spent

    def _first_rung(self) -> None:
        if self.results.rung not in (None, 0) or (self.results.rung is None and self.left <= 0):
            return
        sampler = self.workshop.sampler(self.budget)
        if self.results.rung is None:
            dear = self.workshop.too_dear(self.budget)
            self._spend(self.workshop.preparing())
            self._keep(rung=0, candidates=(*self.results.candidates, *dear), first_rung_begins=self.results.spent)
        while sampler.ways and (block := self._block(sampler)):
            self._train(block, 0)
            for candidate in (self.results.candidate(each.key) for each in block):
                sampler.tell(int(candidate.key[1:]), value_of(candidate) if candidate.points else None)
            if (each := self._seconds_each) is not None:
                self._keep(entrants=min(MOST, len(self._drawn) + more_entrants(each, self._left_of_first_rung)))
            in_rung = sorted(self.results.trained(CandidateState.PROMOTED), key=value_of, reverse=True)
            for beaten in in_rung[max(1, (self.results.entrants or MOST) // KEPT) :]:  # by too many to be promoted
                self.workshop.let_go(beaten)
        self._keep(entrants=sum(bool(each.points) for each in self._drawn))
        self._prune(0)

    @property
    def _drawn(self) -> list[Candidate]:
        return [each for each in self.results.trained() if each.key.startswith("t") and not each.branch_of]

    def _block(self, sampler: Sampler) -> list[Candidate]:
        """The unsettled candidates of the current block, or the next block; none once the rung's time is up."""
        drawn, begins = self._drawn, 0
        while begins < len(drawn):
            block = drawn[begins : begins + sampler.block_size(begins)]
            if any(each.state in (CandidateState.WAITING, CandidateState.RUNNING) for each in block):
                return block
            begins += len(block)
        is_over = begins >= MOST or any(each.state is CandidateState.NOT_TRIED for each in drawn)
        if is_over or (drawn and not self._may_enter()):
            return []
        block = []
        for number in range(begins, begins + sampler.block_size(begins)):
            parameters = sampler.ask(number)
            way = sampler.ways[parameters["way"]]
            candidate = Candidate(
                key=f"t{number:02}",
                kind="trained",
                title=way.title,
                encoder=way.encoder,
                recipe=way.recipe,
                settings=way.settings(parameters) | {"parameters": parameters},
            )
            block.append(candidate)
        self._keep(candidates=(*self.results.candidates, *block))
        return block

    @property
    def _seconds_each(self) -> float | None:
        """The time of one candidate in the first rung, from those timed here."""
        timed = self._timed
        return sum(each.points[0].seconds for each in timed) / len(timed) if timed else None

    @property
    def _timed(self) -> list[Candidate]:
        return [each for each in self._drawn if each.points and not each.points[0].earlier]

    @property
    def _left_of_first_rung(self) -> float:
        assert self.results.first_rung_begins is not None, "the first rung has not begun"
        spent = self.results.spent - self.results.first_rung_begins
        return budget.first_share(self._timed) * (spent + max(self.left, 0.0)) - spent

    def _may_enter(self) -> bool:
        """Whether at least half of a candidate's time is left of the rung's; the first one always may."""
        if (each := self._seconds_each) is None:
            return self.left > 0 or not any(each.points for each in self._drawn)
        return more_entrants(each, self._left_of_first_rung) > 0

    # The further rungs

    def _further_rung(self, rung: int) -> None:
        if (self.results.rung or 0) > rung:
            return
        self._keep(rung=rung)
        going_on = self.results.trained(CandidateState.PROMOTED, CandidateState.RUNNING)
        going_on = [each for each in sorted(going_on, key=value_of, reverse=True) if each.points[-1].rung < rung]
        has_begun = any(each.rung == LAST or each.state is CandidateState.RUNNING for each in self.results.trained())
        if rung == LAST and going_on and not has_begun and self.workshop.earlier(going_on[0], rung) is None:
            going_on = [self._that_fits(going_on[0]), *going_on[1:]]
        self._train(going_on, rung)  # the best first, for the budget may end
        self._prune(rung)

    def _that_fits(self, best: Candidate) -> Candidate:
        """The best with as many steps as its last rung has time for, where these are enough; else itself."""
        if best.branch_of or (shorter := budget.shortened(best, self.left)) is None:
            return best
        longer = best.model_copy(update={"state": CandidateState.PRUNED, "reason": budget.TOO_LATE})
        self._keep(candidates=(*self.results.having(longer).candidates, shorter))
        return shorter

    def _other_lengths(self) -> None:
        """The best settings with half and twice as many steps, and four times as many if twice was better."""
        finished = [each for each in self.results.trained(CandidateState.FINISHED) if not each.branch_of]
        best = max(finished, key=value_of, default=None)
        if best is None:
            return
        double = budget.branch_key(best, LENGTHS[0])
        self._train(self._branches(best, LENGTHS[:2]), LAST)
        longer = next((each for each in self.results.candidates if each.key == double and each.points), None)
        if longer is not None and value_of(longer) > value_of(best):
            self._train(self._branches(best, LENGTHS[2:]), LAST)
        self._prune(LAST)

    def _branches(self, best: Candidate, lengths: tuple[float, ...]) -> list[Candidate]:
        """Those of these lengths that fit the budget or have begun."""
        shared, a_step = best.points[-2], budget.seconds_a_step(best)
        branches: list[Candidate] = []
        for length in lengths:
            key = budget.branch_key(best, length)
            branch = next((each for each in self.results.candidates if each.key == key), None)
            planned = round(length * (best.planned or 0))
            cost = a_step * max(planned - shared.steps, 0)
            if (
                branch is None
                and planned > shared.steps
                and cost <= self.left - sum(each.cost_seconds or 0.0 for each in branches)
            ):
                branch = budget.branched(best, length, planned, cost)
                self._keep(candidates=(*self.results.candidates, branch))
            if branch is not None and branch.points[-1].rung < LAST and branch.state is not CandidateState.FAILED:
                branches.append(branch)
        return branches

    # What all rungs do

    def _train(self, candidates: list[Candidate], rung: int) -> None:
        """Train the missing ones; results of an earlier Find are reused."""
        open_ = []
        for candidate in candidates:
            if candidate.state in (CandidateState.FAILED, CandidateState.NOT_TRIED):
                continue
            if candidate.points and candidate.points[-1].rung >= rung:
                continue
            if (look := self.workshop.earlier(candidate, rung)) is not None:
                self._measured(candidate, look, 0.0, rung, CandidateState.PROMOTED)
            else:
                open_.append(candidate)

        def begin(candidate: Candidate) -> bool:
            if not self._may_begin(candidate, rung):
                self._too_late(candidate)
                return False
            number = 1 + sum(each.rung == rung for each in self.results.candidates)
            of = f" of {self.results.entrants}" if rung == 0 and self.results.entrants else ""
            self.progress(f"Rung {rung + 1} of {len(SHARES)}, training {number}{of}: {candidate.title}")
            self._put(candidate, state=CandidateState.RUNNING)
            return True

        for candidate, gave, spent in self.workshop.train(open_, rung, begin, lambda: self.left):
            self._settled(candidate, gave, spent, rung, CandidateState.PROMOTED)

    def _may_begin(self, candidate: Candidate, rung: int) -> bool:
        if candidate.state is CandidateState.RUNNING:  # it had begun when its worker ended
            return True
        if rung == 0:
            return self.left > 0 and self._may_enter()
        if rung == LAST:
            return budget.seconds_a_step(candidate) * ((candidate.planned or 0) - candidate.steps) <= self.left
        is_first = not self.results.trained(CandidateState.RUNNING)
        reached = [each for each in self.results.trained() if each.points and each.points[-1].rung == rung]
        return self.left > 0 and self.left >= (0.0 if is_first and not reached else budget.with_last_rung(reached))

    def _too_late(self, candidate: Candidate) -> None:
        if candidate.points:
            self._put(candidate, state=CandidateState.PRUNED, reason=budget.TOO_LATE)
            self.workshop.let_go(candidate)
        else:
            each = self._seconds_each
            self._put(candidate, state=CandidateState.NOT_TRIED, cost_seconds=each, reason=budget.never_begun(each))

    def _prune(self, rung: int) -> None:
        """Decide which candidates of a finished rung go on, besides those already decided; the last rung ends all."""
        in_rung = [each for each in self.results.trained(CandidateState.PROMOTED) if each.points[-1].rung == rung]
        values = {each.key: value_of(each) for each in in_rung}
        going_on = set(values) if rung == LAST else set(promoted(values))
        if rung < LAST:
            going_on |= {each.key for each in in_rung if self.workshop.earlier(each, rung + 1) is not None}
        last = CandidateState.FINISHED if rung == LAST else CandidateState.PROMOTED
        changed = {each.key: last if each.key in going_on else CandidateState.PRUNED for each in in_rung}
        settled = [
            each.model_copy(update={"state": changed.get(each.key, each.state)}) for each in self.results.candidates
        ]
        self._keep(candidates=tuple(settled), rung=rung + 1)
        for each in in_rung:
            if each.key not in going_on:
                self.workshop.let_go(each)

    def _settled(self, candidate: Candidate, gave: Attempt, spent: float, rung: int, state: CandidateState) -> None:
        """Keep what came of it; one that failed or was broken off is named, its time counts, and the others go on."""
        if isinstance(gave, CandidateLook):
            self._measured(candidate, gave, spent, rung, state)
            return
        ended, reason = CandidateState.FAILED, gave or budget.broken_off(candidate)
        if gave is None:
            ended = CandidateState.PRUNED if candidate.points else CandidateState.NOT_TRIED
        self._put(candidate, spent=spent, state=ended, reason=reason, seconds=round(candidate.seconds + spent, 3))
        self.workshop.let_go(candidate)

    def _measured(
        self, candidate: Candidate, look: CandidateLook, spent: float, rung: int, state: CandidateState
    ) -> None:
        write_units(self.find, candidate.key, rung, look.units)
        for dimensions, (_, units) in look.cuts.items():
            write_units(self.find, cut_key(candidate.key, dimensions), rung, units)
        self.results = self.results.followed(candidate, cut_candidates(candidate, look, self.workshop.difference))
        seconds = round(candidate.seconds + look.seconds, 3)
        point = RungResult(
            rung=rung,
            steps=look.steps,
            seconds=seconds,
            value=look.value,
            training_seconds=look.training_seconds,
            earlier=look.earlier,
        )
        self._put(
            candidate,
            spent=spent,
            state=state,
            seconds=seconds,
            points=(*candidate.points, point),
            rung=rung if candidate.kind == "trained" else None,
            planned=look.planned,
        )

    def _put(self, candidate: Candidate, *, spent: float = 0.0, **facts: Any) -> None:
        self.results = self.results.having(self.results.candidate(candidate.key).model_copy(update=facts))
        self._spend(spent)

    def _spend(self, seconds: float) -> None:
        self._keep(spent=round(self.results.spent + seconds, 3))

    def _keep(self, **facts: Any) -> None:
        self.results = self.results.model_copy(update=facts)
        write_results(self.find, self.results)
