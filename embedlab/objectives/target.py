"""The target network: a copy of the encoder that follows it slowly and gets no gradient (BYOL; UNSEE, Figure 1)."""

import copy

import torch
from torch import Tensor, nn

from embedlab.objectives.base import Tokens


class Target(nn.Module):
    """Starts as a copy of the encoder. Its dropout stays on, so that it is an augmentation as well (UNSEE's code)."""

    def __init__(self, encoder: nn.Module, *, momentum: float):
        super().__init__()
        self.momentum = momentum
        self.encoder = copy.deepcopy(encoder).requires_grad_(False).train()

    def forward(self, tokens: Tokens) -> Tensor:
        """Pooled vectors without gradient.  (batch, tokens) -> (batch, dim)"""
        with torch.no_grad():
            return self.encoder(tokens)

    @torch.no_grad()
    def follow(self, encoder: nn.Module) -> None:
        """target ← momentum · target + (1 − momentum) · encoder for parameters; buffers are copied as they are."""
        for mine, theirs in zip(self.encoder.parameters(), encoder.parameters(), strict=True):
            mine.lerp_(theirs, 1 - self.momentum)  # exact where both are equal, as in frozen layers
        for mine, theirs in zip(self.encoder.buffers(), encoder.buffers(), strict=True):
            mine.copy_(theirs)
