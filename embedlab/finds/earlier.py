"""What earlier Finds of the same corpus and chooser pass on to a new one: measurements, best settings, the winner."""

import json
from collections.abc import Iterator

from embedlab.errors import EmbedlabError
from embedlab.finds.look import CandidateLook, read_units
from embedlab.finds.model import Candidate, FindResults, FindSettings
from embedlab.finds.sampler import Parameters
from embedlab.finds.store import Find, results_of
from embedlab.jobs.campaigns import asked_of

BEST = 3  # settings of earlier Finds that are tried at once


class EarlierFinds:
    """The Finds before this one, newest first; a measurement counts if it would come out the same."""

    def __init__(self, find: Find, settings: FindSettings, made_with: dict[str, str]):
        """``made_with``: versions, device and threads, which numbers depend on."""
        self.finds = list(_before(find, settings))
        self._looks = {
            _identity(candidate, point.rung): (other, candidate, point)
            for other, its, results in reversed(self.finds)
            if its.seed == settings.seed and results.made_with == made_with
            for candidate in results.candidates
            for point in candidate.points
        }

    def look(self, candidate: Candidate, rung: int) -> CandidateLook | None:
        """This candidate's result at the end of this rung; None if it was not measured."""
        if (measurement := self._looks.get(_identity(candidate, rung))) is None:
            return None
        find, same, point = measurement
        before = max((each.seconds for each in same.points if each.rung < rung), default=0.0)
        try:
            units = read_units(find, same.key, rung)
            cuts = {
                each.dimensions: (its.value, read_units(of, each.key, rung))
                for of, each, its in (self._looks.values() if same.kind == "untouched" else ())
                if each.dimensions is not None and of is find and each.encoder == same.encoder
            }
        except (OSError, ValueError):  # deleted by hand, or damaged
            return None
        return CandidateLook(
            point.value,
            units,
            point.seconds - before,
            steps=point.steps,
            planned=same.planned,
            earlier=point.earlier or find.id,
            cuts=cuts,
        )

    def best(self) -> list[Parameters]:
        """The parameters that went furthest and did best, with any seed."""
        best = []
        for _, _, results in self.finds:
            drawn = [each for each in results.trained() if each.value is not None and not each.branch_of]
            best += sorted(drawn, key=lambda each: (-(each.rung or 0), -each.measured.cosine.value))[:BEST]
        return [each.settings["parameters"] for each in best if "parameters" in each.settings][:BEST]


def earlier_winners(find: Find, settings: FindSettings) -> Iterator[str]:
    """The runs of earlier Finds' winners, the newest first."""
    return (results.winner_run for _, _, results in _before(find, settings) if results.winner_run is not None)


def _before(find: Find, settings: FindSettings) -> Iterator[tuple[Find, FindSettings, FindResults]]:
    for other in Find.all():
        try:
            its = asked_of(other)
            if other.id < find.id and (its.corpus, its.judge) == (settings.corpus, settings.judge):
                yield other, its, results_of(other)
        except EmbedlabError:  # damaged, or of another version
            continue


def _identity(candidate: Candidate, rung: int) -> str:
    """A key for candidates made the same way; it ignores the last digits of drawn parameters."""
    settings = {name: value for name, value in candidate.settings.items() if name != "parameters"}
    same = [candidate.kind, candidate.encoder, candidate.recipe, settings, rung]
    return json.dumps(same if candidate.kind != "reference" else [candidate.kind, candidate.key], sort_keys=True)
