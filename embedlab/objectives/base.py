"""What an objective is: views -> named loss terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from embedlab.augmentations.base import PAIRS
from embedlab.config import Config, ConfigT, NoSettings
from embedlab.later import LateModule, Tensor, nn

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

Tokens = dict[str, Tensor]  # input_ids and attention_mask, each (batch, tokens)


class Objective(LateModule, ABC, Generic[ConfigT]):
    """Scores views. The encoder passed in is the one that is saved; everything else that trains belongs to the
    objective.

    Subclasses say ``key title sentence formula paper cites needs takes config_class`` and take ``(config, encoder)``.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    formula: ClassVar[str]
    paper: ClassVar[str]
    cites: ClassVar[tuple[str, ...]] = ()  # keys of report/works.bib
    needs: ClassVar[frozenset[str]] = frozenset()
    takes: ClassVar[str] = PAIRS  # the kind of views that it scores
    config_class: ClassVar[type[Config]] = NoSettings
    wirings: ClassVar[tuple] = ()  # what its setting ``wiring`` chooses from, where its two sides can differ

    def __init__(self, config: ConfigT, encoder: Encoder):
        super().__init__()
        self.config = config

    @abstractmethod
    def forward(self, *args: Any, **labels: Any) -> dict[str, Tensor]:
        """``(encoder, views)`` -> named scalars; ``loss`` is minimised, the others are logged.

        One whose negatives are the other texts of the batch also takes ``groups``, the classes of the texts where
        pairs are made of labels, (batch,) of int: a text of the anchor's class is never its negative. One of scored
        pairs takes ``targets``, their scores from 0 to 1, (batch,).
        """

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """The parameters trained besides the encoder, by kind of gradient: ``dense`` and ``sparse``."""
        return {"dense": [parameter for parameter in self.parameters() if parameter.requires_grad], "sparse": []}

    def after_step(self, encoder: Encoder) -> None:
        """Called after each optimiser step (target networks move here)."""
