"""How long an encoder that is made of the corpus trains: as many steps as fit its texts, ended when nothing rises."""

from dataclasses import dataclass

import torch

from embedlab.encoder_names import is_made_here, kind_of

POINTS = 10  # live points between the first and the last
PATIENCE = 3  # of them without a better one end the training


@dataclass(frozen=True)
class FittedLength:
    """Planned steps: those of so many epochs, between bounds; ``most`` is of a CPU, where a step takes longest.

    Chosen on the development parts of four corpora, never by test texts (tests/benchmarks/README.md).
    """

    epochs: int
    least: int
    most: int
    most_on_gpu: int

    def steps(self, per_epoch: int, device: str) -> int:
        """Of a corpus with so many steps an epoch."""
        most = self.most if torch.device(device).type == "cpu" else self.most_on_gpu
        return max(self.least, min(self.epochs * per_epoch, most))


_LENGTHS = {
    "token": FittedLength(epochs=30, least=400, most=600, most_on_gpu=3_000),
    "words": FittedLength(epochs=10, least=100, most=1_000, most_on_gpu=3_000),
    "scratch": FittedLength(epochs=10, least=200, most=600, most_on_gpu=20_000),
}
_TRAINED_BEFORE = FittedLength(epochs=3, least=1, most=2_000, most_on_gpu=20_000)


def patience_of(settings) -> int | None:
    """Live points without a better one that end a run: as asked, or as a fitted length has it; None for any number."""
    return PATIENCE if settings.early_stopping is None and settings.schedule == "fitted" else settings.early_stopping


def fitted_length(reference: str) -> FittedLength:
    """By what an encoder is; one that was trained before has less to learn."""
    return _LENGTHS[kind_of(reference)] if is_made_here(reference) else _TRAINED_BEFORE
