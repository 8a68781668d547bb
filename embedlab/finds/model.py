"""The request of a Find, and its results while it works and afterwards; needs no torch."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from embedlab.config import Config
from embedlab.measurement import ByDistance, Change, Measurement, ResultPart

DIMENSIONS = "dimensions"  # the setting of a run that keeps the first so many of each vector
KNN_ACCURACY = "kNN accuracy"  # what chooses where there are labels; else it is the metric of the judging file


class FindSettings(Config):
    """The request of one Find; never changes."""

    corpus: str = Field(description="Fingerprint of a corpus in the store.")
    minutes: float = Field(5.0, ge=0.1, le=10_080, description="Minutes of work until the winner is trained in full.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Fixes which settings are drawn, and every training.")
    judge: str | None = Field(
        None, description="Fingerprint of an evaluation set: half of it selects instead of labels, half judges."
    )
    width_known: bool = Field(False, description="Also rank where the interval is wide; its width was shown before.")


class CandidateState(StrEnum):
    """The state of a candidate."""

    WAITING = "waiting"
    RUNNING = "running"
    PROMOTED = "promoted"  # past its rung, waits for the next one
    PRUNED = "pruned"  # among the worse two thirds of its rung
    FINISHED = "finished"  # as far as it goes: the last rung, or nothing to train
    FAILED = "failed"
    NOT_TRIED = "not tried"  # did not fit the budget


class RungResult(ResultPart):
    """One measurement of a candidate on what chooses: development texts, or the choosing half of the judging file.

    The first, at step 0, is of the untouched encoder where that was looked at.
    """

    rung: int
    steps: int
    seconds: float  # spent on the candidate until then
    value: ByDistance[Measurement]
    training_seconds: float | None = None  # of them those inside steps; None where that is unknown
    earlier: str = ""  # the Find that measured it, where it was not made again


class Candidate(ResultPart):
    """One encoder with one way to train it. ``settings`` are those of its run that differ from the defaults.

    Their ``length`` is a factor of the steps that fit the texts. It counts in the last rung alone, where the rate
    falls, so that trainings of several lengths share the steps before it: those of ``branch_of``.
    """

    key: str  # a short word, the same in every file of the Find
    kind: Literal["reference", "untouched", "trained"]
    title: str
    encoder: str = ""
    recipe: str = ""
    settings: dict = {}
    state: CandidateState = CandidateState.WAITING
    reason: str = ""  # why it failed, or was not tried
    planned: int | None = None  # steps in full; None before they are known
    full_steps: int | None = None  # of the winner's full training, where fewer than planned fit the budget
    cost_seconds: float | None = None  # expected of the first rung before it began
    seconds: float = 0.0  # that it took so far
    rung: int | None = None  # the last one that it reached, from 0
    branch_of: str = ""  # the candidate from whose second rung it goes on, to another length
    points: tuple[RungResult, ...] = ()

    @property
    def value(self) -> ByDistance[Measurement] | None:
        """The newest value; None if unmeasured."""
        return self.points[-1].value if self.points else None

    @property
    def measured(self) -> ByDistance[Measurement]:
        """The newest value of a measured candidate."""
        assert self.value is not None, f"{self.key} was not looked at"
        return self.value

    @property
    def settings_line(self) -> str:
        """``temperature 0.1, batch size 64``: its settings besides encoder and recipe."""
        hidden = ("encoder", "recipe", "parameters", "augmentation", DIMENSIONS)  # the title has them
        flat = {name: value for name, value in self.settings.items() if name not in hidden}
        flat |= flat.pop("objective", {}) | ({"prompts": "none"} if flat.get("prompts") else {})
        return ", ".join(
            f"{name.replace('_', ' ')} {f'{value:g}' if isinstance(value, int | float) else value}"
            for name, value in flat.items()
        )

    @property
    def dimensions(self) -> int | None:
        """The first so many dimensions of each vector that it keeps; None: all."""
        return self.settings.get(DIMENSIONS)

    @property
    def is_left_out(self) -> bool:
        """Whether it is a cut of an encoder for which another number of its dimensions takes part."""
        return self.dimensions is not None and self.state is CandidateState.PRUNED

    @property
    def described(self) -> str:
        """Its title with its settings."""
        return f"{self.title} ({self.settings_line})" if self.settings_line else self.title

    @property
    def steps(self) -> int:
        """The steps trained so far."""
        return self.points[-1].steps if self.points else 0

    @property
    def steps_in_full(self) -> int | None:
        """The steps of its full training as the winner; None before they are known."""
        return self.full_steps or self.planned

    @property
    def length(self) -> float:
        """Its length as a multiple of the steps that fit the texts."""
        return self.settings.get("length", 1.0)


def cut_key(key: str, dimensions: int) -> str:
    """The key of an encoder's cut to so many dimensions: ``u01d64``."""
    return f"{key}d{dimensions}"


class LeaderboardRow(ResultPart):
    """One row of the leaderboard; ``to_best`` is this candidate minus the best, paired over the same texts.

    ``mark`` is a word of statistics/separable.py.
    """

    key: str
    mark: str
    to_best: Change | None = None


class Verdict(ResultPart):
    """The fully trained winner, on texts (or the judging half) that chose nothing.

    ``against``: its difference to ``untouched``, ``tfidf`` and ``svd``, as far as there are. ``visible``: the smallest
    difference that so many texts could have shown.
    """

    run: str
    compared: int
    metric: str
    value: ByDistance[Measurement]
    against: dict[str, ByDistance[Change]]
    beats_counting: bool
    visible: float
    sentence: str


class FindResults(ResultPart):
    """The results of a Find so far."""

    candidates: tuple[Candidate, ...] = ()
    rungs: tuple[float, ...] = ()  # the share of a candidate's planned steps at which each rung ends
    entrants: int | None = None  # expected in the first rung; None until a few of them were timed
    first_rung_begins: float | None = None  # at so many seconds spent
    rung: int | None = None  # the one at work
    spent: float = 0.0  # seconds of the budget
    ended: str = ""  # how the search ended, where it did not simply use its time
    made_with: dict[str, str] = {}  # versions, device and threads; empty where they changed on the way
    development_texts: int = 0  # or units of the judging half
    metric: str = KNN_ACCURACY
    leaderboard: tuple[LeaderboardRow, ...] = ()  # best first
    too_few: str = ""  # the sentence where what chooses is too little to rank by
    chosen: str | None = None
    cheapest: str | None = None  # of those that cannot be told apart from the chosen one
    winner_run: str | None = None
    verdict: Verdict | None = None

    def candidate(self, key: str) -> Candidate:
        """The candidate with this key."""
        return next(each for each in self.candidates if each.key == key)

    @property
    def chosen_candidate(self) -> Candidate:
        """The chosen candidate, once there is one."""
        assert self.chosen is not None, "nothing is chosen yet"
        return self.candidate(self.chosen)

    def trained(self, *states: CandidateState) -> list[Candidate]:
        """The trained candidates, or those in one of these states."""
        trained = [each for each in self.candidates if each.kind == "trained"]
        return [each for each in trained if each.state in states] if states else trained

    def followed(self, candidate: Candidate, by: list[Candidate]) -> "FindResults":
        """A copy with these candidates behind that one."""
        rows = [row for each in self.candidates for row in ((each, *by) if each.key == candidate.key else (each,))]
        return self.model_copy(update={"candidates": tuple(rows)})

    def having(self, candidate: Candidate) -> "FindResults":
        """A copy with this candidate replacing the one with its key."""
        return self.model_copy(
            update={"candidates": tuple(candidate if each.key == candidate.key else each for each in self.candidates)}
        )
