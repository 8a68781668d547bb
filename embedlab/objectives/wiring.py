"""The three wirings of UNSEE's Figure 1, which its four objectives share, and the networks trained above an encoder."""

from __future__ import annotations

import copy
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import Field

from embedlab.config import Config
from embedlab.encoders.parts import read_views
from embedlab.encoders.pooling import unit_length
from embedlab.errors import SettingsError
from embedlab.later import F, LateModule, Tensor, nn, torch
from embedlab.objectives.base import Objective, Tokens

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder


@dataclass(frozen=True)
class Wiring:
    """The target side of a wiring: ``has_target`` a slow copy without gradient, else the encoder.

    ``projects_target``: whether the projector of the first side stands on it too.
    """

    key: str
    title: str
    has_target: bool
    projects_target: bool


WIRINGS = (
    Wiring("single", "Single Projection", has_target=True, projects_target=False),
    Wiring("online", "Online Projection", has_target=True, projects_target=True),
    Wiring("projection", "Projection", has_target=False, projects_target=True),
)


class NonContrastiveConfig(Config):
    """How the two sides are built."""

    wiring: Literal["single", "online", "projection"] = Field(
        "single",
        description="Single Projection: a target network whose embedding is used directly (the paper's final models); "
        "Online Projection: it goes through the projector too; Projection: no target network, the same for both views.",
    )
    blocks: int = Field(
        3, ge=1, le=4, description="Blocks of the projector, of three linear layers each; 3 in the paper's best."
    )
    width: int = Field(
        2,
        ge=1,
        le=10,
        description="Hidden units of a block, in multiples of the embedding's dimensions. At 768 dimensions the "
        "paper's 10 is 71 million parameters a block, 2 is 4.7 million.",
    )
    momentum: float = Field(
        0.999, ge=0, le=1, description="Share of the target network that stays at each step; 1 never moves it."
    )


NonContrastiveT = TypeVar("NonContrastiveT", bound=NonContrastiveConfig)


class NonContrastive(Objective[NonContrastiveT]):
    """Projected embeddings of one view against the target's embeddings of the other, both ways; no negatives.

    A subclass says ``direction``. The projector is trained, thrown away afterwards, and has no slow copy.
    """

    config_class = NonContrastiveConfig
    wirings = WIRINGS

    def __init__(self, config: NonContrastiveT, encoder: Encoder):
        super().__init__(config, encoder)
        self.wiring = next(each for each in WIRINGS if each.key == config.wiring)
        self.projector = projector(encoder.dim, blocks=config.blocks, width=config.width)
        self.target = TargetNetwork(encoder, momentum=config.momentum) if self.wiring.has_target else None

    @abstractmethod
    def direction(self, *, online: Tensor, target: Tensor) -> dict[str, Tensor]:
        """Named terms of one direction, ``loss`` among them.  (batch, dim), (batch, dim) -> () each"""

    def forward(self, encoder: Encoder, views: list[Tokens]) -> dict[str, Tensor]:
        """Each term is the sum of both directions, not their mean, as in the authors' code."""
        embeddings = read_views(encoder, views)  # (batch, dim) each
        if len(embeddings[0]) < 2:
            raise SettingsError(
                "E-BATCH-SIZE",
                f"{self.title} needs at least 2 texts in a batch, because it normalizes over them, but found "
                f"{len(embeddings[0])}. Raise the setting 'batch_size', or choose a corpus with more texts.",
            )
        targets = online = [self.projector(vectors) for vectors in embeddings]
        if self.target is not None:
            targets = self.target(views)  # no gradient
            targets = [self.projector(vectors) for vectors in targets] if self.wiring.projects_target else targets
        first, second = [vectors.float() for vectors in online]
        first_target, second_target = [vectors.float() for vectors in targets]
        with torch.autocast(first.device.type, enabled=False):  # correlations and covariances lose too much in bf16
            there = self.direction(online=first, target=second_target)
            back = self.direction(online=second, target=first_target)
            terms = {name: there[name] + back[name] for name in there}
            return terms | watched(embeddings=embeddings, online=[first, second], targets=[second_target, first_target])

    def after_step(self, encoder: Encoder) -> None:
        """The target network moves."""
        if self.target is not None:
            self.target.follow(encoder)


def watched(*, embeddings: list[Tensor], online: list[Tensor], targets: list[Tensor]) -> dict[str, Tensor]:
    """Measures that tell a collapse from learning, as means of both views: ``std`` and ``positive_similarity``."""
    with torch.no_grad():
        cosines = [F.cosine_similarity(*pair, dim=1).mean() for pair in zip(online, targets, strict=True)]
        return {
            "std": torch.stack([dimension_std(vectors.float()) for vectors in embeddings]).mean(),
            "positive_similarity": torch.stack(cosines).mean(),
        }


def dimension_std(embeddings: Tensor) -> Tensor:
    """Mean std of a dimension of the vectors at length 1, times √dim: 1 isotropic, 0 collapsed.  (batch, dim) -> ()"""
    return unit_length(embeddings).std(dim=0, correction=0).mean() * embeddings.shape[1] ** 0.5


class TargetNetwork(LateModule):
    """Starts as a copy of the encoder. Its dropout stays on, so that it is an augmentation as well (UNSEE's code)."""

    def __init__(self, encoder: nn.Module, *, momentum: float):
        super().__init__()
        self.momentum = momentum
        self.encoder = copy.deepcopy(encoder).requires_grad_(False).train()

    def forward(self, views: list[Tokens]) -> list[Tensor]:
        """Pooled vectors without gradient.  (batch, tokens) each -> (batch, dim) each"""
        with torch.no_grad():
            return read_views(self.encoder, views)

    def follow(self, encoder: nn.Module) -> None:
        """target ← momentum · target + (1 − momentum) · encoder for parameters; buffers are copied as they are."""
        with torch.no_grad():
            for mine, theirs in zip(self.encoder.parameters(), encoder.parameters(), strict=True):
                mine.lerp_(theirs, 1 - self.momentum)  # exact where both are equal, as in frozen layers
            for buffer, source in zip(self.encoder.buffers(), encoder.buffers(), strict=True):
                buffer.copy_(source)


def projector(dim: int, *, blocks: int, width: int) -> nn.Sequential:
    """UNSEE's "MLP layers", adopted from BSL: blocks one after the other, each ``width`` × dim units wide inside."""
    return nn.Sequential(*(projector_block(dim, width * dim) for _ in range(blocks)))


def projector_block(dim: int, hidden: int) -> nn.Sequential:
    """One "MLP layer" of UNSEE: three linear layers, one batch normalisation.  (batch, dim) -> (batch, dim)"""
    return nn.Sequential(
        nn.Linear(dim, hidden),
        nn.BatchNorm1d(hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, dim),
    )
