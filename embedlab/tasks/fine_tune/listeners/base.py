"""What looks on while an encoder trains, and what it is shown at a live point."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

from torch import Tensor

from embedlab.encoders.encoder import Encoder
from embedlab.objectives.base import Objective
from embedlab.runs.folder import RunFolder
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.training.batches import Batches
from embedlab.training.live import Judge, LiveCurve, LivePoint
from embedlab.training.loop import TrainingStep
from embedlab.training.optimiser import Optimiser
from embedlab.training.settings import RunSettings
from embedlab.training.watchdog import TrainingNotice

Facts = dict  # of JSON
Tensors = dict[str, Tensor]


@dataclass
class LiveMoment:
    """One look at the encoder between two steps; each listener adds what it finds, in the order of the list.

    ``ends``: nothing is trained after it. ``row``: its line of metrics.jsonl.
    """

    done: TrainingStep
    ends: bool = False
    point: LivePoint | None = None
    notices: list[TrainingNotice] = field(default_factory=list)
    row: dict = field(default_factory=dict)

    @property
    def measured(self) -> LivePoint:
        """The point, of a run with live texts: the first listener measures it."""
        assert self.point is not None, "no live text was measured"
        return self.point


class Training(Protocol):
    """The trainer (``trainer.py``) as listeners see it."""

    folder: RunFolder
    settings: RunSettings
    encoder: Encoder
    objective: Objective[Any]
    optimiser: Optimiser
    batches: Batches
    device: str
    planned: int
    judge: Judge | None
    done: TrainingStep
    listeners: "list[Listener]"

    @property
    def curve(self) -> LiveCurve | None:
        """What measures live points; None where none are."""

    @property
    def is_judged(self) -> bool:
        """Whether there is anything by which a step can be called better."""

    @property
    def points_since_best(self) -> int:
        """Live points since the best step."""

    def tell(self, notice: TrainingNotice) -> None:
        """Say between two live points what a person should know now."""

    def trial_seconds_a_step(self) -> float:
        """By a few real steps, undone."""


class Listener:
    """Looks on at one training; what it has no interest in stays as it is here.

    What ``state`` gives lies in every checkpoint, and a run that goes on hands it to ``restore``: a listener that keeps
    all it knows in its state is as if the run had never ended.
    """

    key: ClassVar[str]  # names its state in a checkpoint
    measures: ClassVar[bool] = False  # by reading texts: this is what a live point costs

    def __init__(self, training: Training):
        self.training = training

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """The one for this run; None where it has nothing to do there."""
        return cls(training)

    def begin(self) -> None:
        """Before the first step of a training that goes on from nothing."""

    def after_step(self, step: TrainingStep) -> None:
        """After each step, before a live point."""

    def at_live_point(self, moment: LiveMoment) -> None:
        """The encoder stands still."""

    def before_next_step(self, step: TrainingStep) -> None:
        """After all others have seen this step, where another one follows."""

    def on_notice(self, notice: TrainingNotice) -> None:
        """Something that a person should know now was found between two live points."""

    def state(self) -> tuple[Facts, Tensors]:
        """What it needs to go on."""
        return {}, {}

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Go on from a checkpoint after so many steps."""


class CurveListener(Listener):
    """One that looks by a curve over certain texts."""

    def __init__(self, training: Training, curve: LiveCurve):
        super().__init__(training)
        self.curve = curve
