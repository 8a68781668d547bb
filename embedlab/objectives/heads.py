"""Training-only networks above the encoder."""

from torch import nn


def projection_head(dim: int, hidden: int = 512, out: int = 128) -> nn.Sequential:
    """Linear, ReLU, Linear: the loss reads its output, evaluation reads the encoder's (crops paper, section 5)."""
    return nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, out))
