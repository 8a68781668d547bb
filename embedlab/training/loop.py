"""The one training loop."""

import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass

import torch

from embedlab.encoders.encoder import Encoder
from embedlab.encoders.parts import Parts, Tokens, read_in
from embedlab.encoders.processes import Processes, ShortElsewhere
from embedlab.errors import NonFiniteError, SettingsError
from embedlab.machine_refusals import ran_out_of_memory
from embedlab.objectives.base import Objective
from embedlab.training.batches import Batches
from embedlab.training.checkpoints import random_state, set_random_state
from embedlab.training.optimiser import Optimiser


@dataclass(frozen=True)
class TrainingStep:
    """The result of one step: ``steps`` done so far, ``seconds`` spent inside steps."""

    steps: int
    texts: int
    seconds: float
    learning_rate: float
    terms: dict[str, float]

    @property
    def place(self) -> dict[str, float]:
        """Step, texts and seconds for a row of metrics.jsonl or terms.jsonl."""
        return {"step": self.steps, "texts": self.texts, "seconds": round(self.seconds, 3)}


def train(
    *,
    encoder: Encoder,
    objective: Objective,
    optimiser: Optimiser,
    batches: Batches,
    first: int,
    last: int,
    device: str,
    precision: str,
    seconds: float = 0.0,
    texts: int = 0,
    smaller: Callable[[int], None] = lambda texts: None,
    processes: Processes | None = None,
) -> Generator[TrainingStep]:
    """Train from step ``first`` to ``last``; the caller may evaluate, save or stop between two steps.

    Where memory does not suffice, half as many texts are computed at once from then on, which ``smaller`` is told.
    ``processes`` make each step together; the first of them ends all.
    """
    for batch in batches.ahead(first=first, last=last):
        if processes is not None:
            processes.agree()
        began = time.perf_counter()
        encoder.train()
        objective.train()
        views = batch.collated(encoder, device)
        extras = batch.told(device)
        rate, random = optimiser.rate(batch.step), random_state()
        autocast = torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=precision == "bf16")
        while (terms := _gradients(encoder, objective, optimiser, views, extras, autocast, processes)) is None:
            optimiser.forget_gradients()
            set_random_state(random)  # the same dropout where the parts are the same
            smaller(_halve(encoder, objective, len(batch.rows)))
        loss = float(terms["loss"])
        if not math.isfinite(loss):
            raise _no_number("loss", batch.step, rate)
        if not optimiser.gradients_are_finite():  # before they reach the weights
            raise _no_number("gradient", batch.step, rate)
        optimiser.step(batch.step)
        objective.after_step(encoder)
        seconds += time.perf_counter() - began
        texts += len(batch.rows)
        named = {name: float(value) for name, value in terms.items() if name != "loss"}
        yield TrainingStep(batch.step + 1, texts, seconds, rate, {"loss": loss, **named})


def _gradients(
    encoder: Encoder, objective: Objective, optimiser: Optimiser, views: list[Tokens], extras: Tokens,
    autocast: torch.autocast, processes: Processes | None,
) -> Tokens | None:  # fmt: skip
    """The terms of one step, with gradients computed; None if memory did not suffice."""
    try:
        with autocast:
            terms = objective(encoder, views, **extras)
        if torch.isfinite(terms["loss"]):
            terms["loss"].backward()
            if processes is not None:
                processes.average(optimiser.parameters)
        return {name: value.detach() for name, value in terms.items()}
    except RuntimeError as error:  # torch.OutOfMemoryError is one; the CPU's has no class of its own
        if not ran_out_of_memory(error):
            raise
        if processes is not None and not isinstance(error, ShortElsewhere):
            processes.tell_short()
        return None


def _halve(encoder: Encoder, objective: Objective, batch: int) -> int:
    """Halve the texts read at once by every encoder, or return the sentence why that is impossible. -> texts at once"""
    parts = (encoder.parts or Parts()).halved(batch)
    if parts is None or parts.texts is None or not encoder.layers:
        raise SettingsError(
            "E-MEMORY",
            "There is not enough memory for a batch, however few texts are processed at a time. "
            "Choose a smaller 'batch_size', 'training_length' or encoder.",
        )
    read_in(parts, encoder, objective)
    return parts.texts


def _no_number(what: str, step: int, rate: float) -> NonFiniteError:
    return NonFiniteError(
        "E-NONFINITE",
        f"The {what} became NaN or infinite at step {step} (learning rate {rate:.2g}). The last good encoder is kept. "
        "Try a smaller learning rate.",
    )
