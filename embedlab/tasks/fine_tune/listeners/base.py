"""What a listener of a training is, and what it receives at a live point."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

from torch import Tensor

from embedlab.encoders.encoder import Encoder
from embedlab.measurement import Note
from embedlab.objectives.base import Objective
from embedlab.runs.folder import RunFolder
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.training.batches import Batches
from embedlab.training.live import Judge, LiveCurve, LivePoint
from embedlab.training.loop import TrainingStep
from embedlab.training.optimiser import Optimiser
from embedlab.training.settings import RunSettings
from embedlab.training.step_vectors import StepVectors

Facts = dict  # of JSON
Tensors = dict[str, Tensor]


@dataclass
class LiveMoment:
    """One measurement between two steps; each listener adds its findings, in the order of the list.

    ``ends``: nothing is trained after it. ``row``: its line of metrics.jsonl.
    """

    done: TrainingStep
    ends: bool = False
    point: LivePoint | None = None
    notices: list[Note] = field(default_factory=list)
    row: dict = field(default_factory=dict)

    @property
    def measured(self) -> LivePoint:
        """The live point, measured by the first listener."""
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
    step_vectors: StepVectors
    listeners: "list[Listener]"

    @property
    def curve(self) -> LiveCurve | None:
        """What measures live points; None if there are none."""

    @property
    def is_judged(self) -> bool:
        """Whether anything compares steps."""

    @property
    def points_since_best(self) -> int:
        """The number of live points since the best step."""

    def tell(self, notice: Note) -> None:
        """Report a notice between two live points."""

    def trial_seconds_a_step(self) -> float:
        """Timed on a few real steps, which are then undone."""


class Listener:
    """Observes one training; every method does nothing unless overridden.

    What ``state`` gives lies in every checkpoint, and a run that goes on hands it to ``restore``: a listener that keeps
    all it knows in its state is as if the run had never ended.
    """

    key: ClassVar[str]  # names its state in a checkpoint
    measures: ClassVar[bool] = False  # by reading texts: this is what a live point costs

    def __init__(self, training: Training):
        self.training = training

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """The listener for this run; None if the run does not need it."""
        return cls(training)

    def begin(self) -> None:
        """Called before the first step of a training from scratch."""

    def after_step(self, step: TrainingStep) -> None:
        """Called after each step, before a live point."""

    def at_live_point(self, moment: LiveMoment) -> None:
        """Called at a live point; the encoder does not change meanwhile."""

    def before_next_step(self, step: TrainingStep) -> None:
        """Called when all others have seen this step and another one follows."""

    def on_notice(self, notice: Note) -> None:
        """Called for a notice between two live points."""

    def state(self) -> tuple[Facts, Tensors]:
        """What a resume needs."""
        return {}, {}

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Resume from a checkpoint after this many steps."""


class CurveListener(Listener):
    """A listener that measures a curve over certain texts."""

    def __init__(self, training: Training, curve: LiveCurve):
        super().__init__(training)
        self.curve = curve
