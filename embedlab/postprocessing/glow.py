"""Glow on vectors: an invertible network with additive couplings between embeddings and a standard normal."""

from __future__ import annotations

from math import log, pi

from embedlab.later import F, LateModule, Tensor, nn, torch

BLOCKS, FLOWS, HIDDEN = 3, 3, 32  # the TSDAE authors' code; BERT-flow's own has more
LOG_SCALE_FACTOR = 3.0
FEWEST_DIMENSIONS = 5  # 5 → 3 → 2 channels: the last coupling still has one to read and one to move


class Glow(LateModule):
    """Three blocks of three flows; after each block but the last, half of the channels are split off.

    An odd number of channels is halved with the larger part in front. A 1×1 convolution of a 1×1 image is linear.
    """

    def __init__(self, dim: int, *, generator: torch.Generator | None = None):
        super().__init__()
        self.dim = dim
        self.flows: list[list[Flow]] = []
        for _ in range(BLOCKS):
            self.flows.append([Flow(dim, generator=generator) for _ in range(FLOWS)])
            dim = front(dim)
        self.blocks = nn.ModuleList(nn.ModuleList(flows) for flows in self.flows)  # so that they train

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """z including the split-off parts, and log p(x) by the change of variables.

        x: (batch, dim) -> (batch, dim), (batch,)
        """
        log_determinant = x.new_zeros(())
        done: list[Tensor] = []
        for block in self.flows:
            for flow in block:
                x = flow(x)
                log_determinant = log_determinant + flow.actnorm.log_determinant()
            x, second = halves(x)
            done.insert(0, second)
        z = torch.cat([x, *done], dim=1)
        return z, normal_log_density(z) + log_determinant

    def inverse(self, z: Tensor) -> Tensor:
        """The x that maps to this z. (batch, dim) -> (batch, dim)"""
        widths = [self.dim]
        for _ in self.flows[1:]:
            widths.append(front(widths[-1]))
        x = z[:, : widths[-1]]
        for block, width in zip(reversed(self.flows), reversed(widths), strict=True):
            x = torch.cat([x, z[:, x.shape[1] : width]], dim=1)
            for flow in reversed(block):
                x = flow.inverse(x)
        return x


class Flow(LateModule):
    """ActNorm, channel reversal, additive coupling; only the first changes volume."""

    def __init__(self, channels: int, *, generator: torch.Generator | None = None):
        super().__init__()
        self.actnorm = ActNorm(channels)
        self.coupling = AdditiveCoupling(channels, generator=generator)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels) -> (batch, channels)"""
        return self.coupling(self.actnorm(x).flip(1))

    def inverse(self, y: Tensor) -> Tensor:
        """(batch, channels) -> (batch, channels)"""
        return self.actnorm.inverse(self.coupling.inverse(y).flip(1))


class ActNorm(LateModule):
    """A shift and scale per channel; the first batch leaves it with mean 0 and standard deviation 1."""

    def __init__(self, channels: int):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(channels))
        self.log_scale = nn.Parameter(torch.zeros(channels))
        self.has_started = False

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels) -> (batch, channels)"""
        if not self.has_started:
            with torch.no_grad():
                self.shift.copy_(-x.mean(dim=0))
                self.log_scale.copy_(-torch.log(x.std(dim=0, correction=0) + 1e-6) / LOG_SCALE_FACTOR)
            self.has_started = True
        return (x + self.shift) * torch.exp(LOG_SCALE_FACTOR * self.log_scale)

    def inverse(self, y: Tensor) -> Tensor:
        """(batch, channels) -> (batch, channels)"""
        return y * torch.exp(-LOG_SCALE_FACTOR * self.log_scale) - self.shift

    def log_determinant(self) -> Tensor:
        """log |det ∂y/∂x|, the same for every x.  -> ()"""
        return LOG_SCALE_FACTOR * self.log_scale.sum()


class AdditiveCoupling(LateModule):
    """The first half of the channels determines the shift of the second: none while the last layer is zero."""

    def __init__(self, channels: int, *, generator: torch.Generator | None = None):
        super().__init__()
        skip_init = nn.utils.skip_init
        self.first = skip_init(nn.Linear, front(channels), HIDDEN, bias=False)
        self.second = skip_init(nn.Linear, HIDDEN, HIDDEN, bias=False)
        self.norms = nn.ModuleList([ActNorm(HIDDEN), ActNorm(HIDDEN)])
        self.last = skip_init(nn.Linear, HIDDEN, channels - front(channels))
        self.scale = nn.Parameter(torch.zeros(channels - front(channels)))
        for layer in (self.first, self.second):
            nn.init.normal_(layer.weight, 0, 0.05, generator=generator)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels) -> (batch, channels)"""
        still, moved = halves(x)
        return torch.cat([still, moved + self.move(still)], dim=1)

    def inverse(self, y: Tensor) -> Tensor:
        """(batch, channels) -> (batch, channels)"""
        still, moved = halves(y)
        return torch.cat([still, moved - self.move(still)], dim=1)

    def move(self, still: Tensor) -> Tensor:
        """(batch, first half) -> (batch, second half)"""
        hidden = F.relu(self.norms[0](self.first(still)))
        hidden = F.relu(self.norms[1](self.second(hidden)))
        return self.last(hidden) * torch.exp(LOG_SCALE_FACTOR * self.scale)


def front(channels: int) -> int:
    """The size of the first half of the channels."""
    return channels - channels // 2


def halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """(batch, channels) -> (batch, first half), (batch, second half)"""
    return x[:, : front(x.shape[1])], x[:, front(x.shape[1]) :]


def normal_log_density(z: Tensor) -> Tensor:
    """log N(z; 0, 1), natural.  (batch, dim) -> (batch,)"""
    return -0.5 * (z**2 + log(2 * pi)).sum(dim=1)


def bits_per_dimension(log_density: Tensor, dim: int) -> Tensor:
    """−log p / (d ln 2), on average over the texts: smaller is likelier.  (batch,) -> ()"""
    return -log_density.mean() / (dim * log(2))
