"""A recipe: a published combination of augmentation, objective and settings, as data."""

from dataclasses import dataclass, field

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.base import Augmentation
from embedlab.config import validated
from embedlab.objectives import OBJECTIVES
from embedlab.objectives.base import Objective


@dataclass(frozen=True)
class Recipe:
    """A method as data. ``augmentation`` and ``objective`` are keys, None if nothing is trained.

    ``settings`` are the paper's own; ``learning_rate`` is its peak rate for transformers (a token layer has its own),
    ``pooling`` its way of reading, taken where the encoder has it; ``schedule`` are the settings of the paper's own
    schedule where it is not one epoch, and ``schedule_line`` says it. ``methods_phrase`` ends the
    sentence "fine-tuned with" of a methods paragraph; ``cites`` are works besides those of its objective and
    augmentation (keys of report/works.bib).
    """

    key: str
    title: str
    sentence: str
    paper: str
    when: str
    methods_phrase: str
    family: str
    augmentation: str | None
    objective: str | None
    settings: dict = field(default_factory=dict)
    learning_rate: float | None = None
    pooling: str | None = None
    schedule: dict = field(default_factory=dict)
    schedule_line: str = ""
    cites: tuple[str, ...] = ()

    @property
    def augmentation_part(self) -> type[Augmentation] | None:
        """The augmentation itself; None if nothing is trained."""
        return None if self.augmentation is None else AUGMENTATIONS[self.augmentation]

    @property
    def objective_part(self) -> type[Objective] | None:
        """The objective itself; None if nothing is trained."""
        return None if self.objective is None else OBJECTIVES[self.objective]

    def needs_with(self, augmentation_settings: dict) -> frozenset[str]:
        """What encoder and corpus must offer, for both parts, with these settings of the augmentation."""
        views, loss = self.augmentation_part, self.objective_part
        if views is None or loss is None:
            return frozenset()
        return views.needs_of(validated(views.config_class, augmentation_settings, where="augmentation")) | loss.needs

    @property
    def needs(self) -> frozenset[str]:
        """The same with the recipe's own settings."""
        return self.needs_with(self.settings.get("augmentation", {}))

    @property
    def works(self) -> tuple[str, ...]:
        """Every work it is based on, its own first."""
        parts = [part for part in (self.augmentation_part, self.objective_part) if part is not None]
        return tuple(dict.fromkeys([*self.cites, *(work for part in parts for work in part.cites)]))

    @property
    def trains_on_pairs(self) -> bool:
        """Whether its views are given pairs rather than made from the corpus."""
        return "pairs" in self.needs

    @property
    def is_supervised(self) -> bool:
        """Whether it trains on labels."""
        return "labels" in self.needs
