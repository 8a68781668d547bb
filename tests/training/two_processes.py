"""What two processes train together for test_processes.py, which is the first of them; run as a file, the second."""

import os
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from test_checkpoints import bench, steps
from test_gradient_caching import fail_above

from embedlab.corpora.base import open_corpus
from embedlab.corpora.sets.stored import open_pairs
from embedlab.device import choose_device
from embedlab.encoders.parts import Parts, read_in
from embedlab.encoders.processes import Processes
from embedlab.errors import SettingsError, UserError
from embedlab.training.checkpoints import newest_checkpoint, restore, save_checkpoint

OBJECTIVES = (
    "crops semcse byol vicreg barlow-twins corinfomax tsdae mlm contrastive-tension contrastive-tension-in-batch "
    "ranking triplet cosine-mse cosent"
).split()
CASES = {recipe: {"recipe": recipe} for recipe in OBJECTIVES} | {
    "odd": {"recipe": "crops", "batch_size": 7},
    "cached": {"recipe": "vicreg", "parts": Parts(tokens=64, texts=3, recomputed=True)},
    "short of memory": {"recipe": "byol", "short_of_memory": True},
}


def made(texts: tuple, processes: Processes | None, recipe: str, *, dropout: bool = False, batch_size: int = 16):
    """A bench whose second process begins with other weights, and has to take the first one's."""
    parts, batches = bench(texts[0], "scratch:bert-tiny", recipe, pairs=texts[1])
    batches.batch_size = batch_size
    if not dropout:
        for module in (each for part in (parts["encoder"], parts["objective"]) for each in part.modules()):
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
    torch.manual_seed(7)
    if processes is not None:
        if processes.rank == 1:
            for parameter in [*parts["encoder"].parameters(), *parts["objective"].parameters()]:
                torch.nn.init.ones_(parameter.data)
        processes.begin("cpu", parts["encoder"], parts["objective"])
    return parts, batches


def trained(texts, processes: Processes | None, recipe: str, *, parts=None, short_of_memory=False, **more) -> dict:
    """Losses and gradients of three steps, the weights after them, and how many texts at once were gone back to."""
    made_here, batches = made(texts, processes, recipe, **more)
    encoder, objective, optimiser = made_here["encoder"], made_here["objective"], made_here["optimiser"]
    if parts is not None and processes is not None:
        read_in(parts, encoder, objective)
    gradients, told, real = [], [], optimiser.step

    def step(number: int) -> None:
        gradients.append(torch.cat([p.grad.flatten() for p in optimiser.parameters if p.grad is not None]))
        real(number)

    optimiser.step = step
    for group in optimiser.parts[0].param_groups:
        group["eps"] = 1e-4  # else the rounding of a gradient that is nought (a bias before a normalisation) is a step
    with pytest.MonkeyPatch.context() as patch:
        if short_of_memory and processes is not None and processes.rank == 1:
            fail_above(patch, encoder, 4)
        found = steps(made_here, batches, 0, 3, smaller=told.append, processes=processes)
    hashes = [encoder.weights_hash()]
    if processes is not None:
        hashes *= processes.count
        dist.all_gather_object(hashes, encoder.weights_hash())
    return {
        "losses": torch.tensor([each.terms["loss"] for each in found]),
        "gradients": gradients,
        "weights": torch.cat([p.detach().flatten() for part in (encoder, objective) for p in part.parameters()]),
        "hashes": hashes,
        "told": told,
    }


def resumed(texts, processes: Processes, folder: Path) -> tuple[str, str]:
    """Hashes of the weights after five steps with dropout: uninterrupted, and gone on with after the second."""
    whole, batches = made(texts, processes, "byol", dropout=True)
    steps(whole, batches, 0, 5, processes=processes)
    broken, batches = made(texts, processes, "byol", dropout=True)
    steps(broken, batches, 0, 2, processes=processes)
    if processes.rank == 0:
        save_checkpoint(folder, steps=2, **broken, facts={})
    again, batches = made(texts, processes, "byol", dropout=True)
    torch.manual_seed(99)
    restore(newest_checkpoint(folder), **again)
    steps(again, batches, 2, 5, processes=processes)
    return whole["encoder"].weights_hash(), again["encoder"].weights_hash()


def of_one_text_twice(texts, processes: Processes) -> tuple[torch.Tensor, list[int]]:
    """Vectors, with dropout, of two copies of a text, and how many were read here at once.  -> (2, dim)"""
    parts, _ = made(texts, processes, "crops", dropout=True)
    encoder, read = parts["encoder"].train(), []
    encoder.model.register_forward_pre_hook(
        lambda _, args, tokens: read.append(len(tokens["attention_mask"])), with_kwargs=True
    )
    return encoder(encoder.collate(encoder.tokenize(texts[0].texts[:1] * 2))).detach(), read


def fails_in_the_second(texts, processes: Processes) -> None:
    """The second process meets an error in the middle of its second step."""
    parts, batches = made(texts, processes, "crops")
    if processes.rank == 1:
        forward, calls = parts["objective"].head.forward, []

        def breaks(vectors):
            calls.append(0)
            if len(calls) == 4:
                raise SettingsError("E-TEST", "The second process has had enough.")
            return forward(vectors)

        parts["objective"].head.forward = breaks
    steps(parts, batches, 0, 3, processes=processes)


def everything(texts, processes: Processes, folder: Path) -> dict:
    """All of it, in one order, by both processes."""
    found = {name: trained(texts, processes, **case) for name, case in CASES.items()}
    found["resumed"] = resumed(texts, processes, folder)
    found["twice"] = of_one_text_twice(texts, processes)
    try:
        fails_in_the_second(texts, processes)
    except UserError as error:
        processes.end((error.code, error.message, error.exit_code))
        found["failure"] = error
    return found


def meet(place: Path, rank: int) -> Processes:
    """The two processes, which find each other by a file."""
    dist.init_process_group(
        "gloo", init_method=f"file://{place}", rank=rank, world_size=2, timeout=timedelta(seconds=120)
    )
    return Processes()


if __name__ == "__main__":
    choose_device("cpu")
    torch.set_num_threads(1)
    place = Path(sys.argv[1])
    everything((open_corpus(sys.argv[2]), open_pairs(sys.argv[3])), meet(place, rank=1), place.with_name("checkpoints"))
    dist.destroy_process_group()
    os._exit(0)  # as a worker does
