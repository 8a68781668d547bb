"""The one training loop."""

import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import nn

from embedlab.errors import NonFiniteError
from embedlab.training.batches import Batches
from embedlab.training.optimiser import Optimiser


@dataclass(frozen=True)
class Step:
    """What one step did: ``steps`` are behind us, ``seconds`` were spent inside steps."""

    steps: int
    texts: int
    seconds: float
    learning_rate: float
    terms: dict[str, float]


def train(
    *,
    encoder: nn.Module,
    objective: nn.Module,
    optimiser: Optimiser,
    batches: Batches,
    first: int,
    last: int,
    device: str,
    precision: str,
    seconds: float = 0.0,
    texts: int = 0,
) -> Iterator[Step]:
    """Train from step ``first`` to ``last``; the caller may evaluate, save or stop between two steps."""
    autocast = torch.autocast(torch.device(device).type, dtype=torch.bfloat16) if precision == "bf16" else nullcontext()
    for batch in batches.ahead(first=first, last=last):
        began = time.perf_counter()
        encoder.train()
        objective.train()
        views = [encoder.collate(token_lists, device) for token_lists in batch.views]
        classes = {} if batch.groups is None else {"groups": torch.from_numpy(batch.groups).to(device)}
        with autocast:
            terms = objective(encoder, views, **classes)
        loss = float(terms["loss"].detach())
        rate = optimiser.rate(batch.step)
        if not torch.isfinite(terms["loss"]):
            raise _no_number("loss", batch.step, rate)
        terms["loss"].backward()
        if not optimiser.gradients_are_finite():  # before they reach the weights
            raise _no_number("gradient", batch.step, rate)
        optimiser.step(batch.step)
        objective.after_step(encoder)
        seconds += time.perf_counter() - began
        texts += len(batch.rows)
        named = {name: float(value.detach()) for name, value in terms.items() if name != "loss"}
        yield Step(batch.step + 1, texts, seconds, rate, {"loss": loss, **named})


def _no_number(what: str, step: int, rate: float) -> NonFiniteError:
    return NonFiniteError(
        "E-NONFINITE",
        f"The {what} stopped being a number at step {step} (learning rate {rate:.2g}). The last good encoder is kept. "
        "Try a smaller learning rate.",
    )
