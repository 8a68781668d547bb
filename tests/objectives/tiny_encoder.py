"""Tiny random transformers of every kind over a vocabulary of a few sentences, and how gradients are compared."""

from collections.abc import Callable

import tiny_models
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from embedlab.encoders.transformer import TransformerEncoder

SENTENCES = [
    "The map shows the texts of one corpus.",
    "A text is a point, and near points are alike.",
    "Short.",
    "Crops of one text are pulled together while others are pushed away.",
    "The mean of all word vectors is a good start.",
]


def tiny_encoder(kind: str = "bert", **facts) -> TransformerEncoder:
    """Over these sentences."""
    return tiny_models.tiny_encoder(SENTENCES, kind, words=200, **facts)


def tokens_of(encoder: TransformerEncoder, texts: list[str]) -> dict[str, Tensor]:
    """One padded batch."""
    return encoder.collate(encoder.tokenize(texts))


def gradients(module: nn.Module) -> dict[str, Tensor]:
    """The gradients of a module by the names of its parameters."""
    return {name: p.grad for name, p in module.named_parameters() if p.grad is not None}


def assert_same_gradients(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> None:
    """Equal to 1e-5; what is noise beside the largest gradient is compared with that one."""
    assert ours and ours.keys() == theirs.keys()
    largest = max(float(gradient.abs().max()) for gradient in theirs.values())
    assert largest > 0
    for name, gradient in ours.items():
        torch.testing.assert_close(gradient, theirs[name], rtol=1e-5, atol=1e-6 * largest, msg=lambda m, n=name: n + m)


def assert_half_precision_costs_the_same(objective: nn.Module, encoder: TransformerEncoder, views: list) -> None:
    """Within 5 %, with finite gradients."""
    expected = objective(encoder, views)["loss"]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = objective(encoder, views)["loss"]
    loss.backward()
    assert loss.dtype == torch.float32 and all(torch.isfinite(g).all() for g in gradients(objective).values())
    torch.testing.assert_close(loss, expected, rtol=0.05, atol=0)


def learned(terms_of: Callable[[], dict[str, Tensor]], optimiser: Optimizer, *, steps: int) -> list[dict[str, float]]:
    """The terms at each step."""
    every = []
    for _ in range(steps):
        terms = terms_of()
        optimiser.zero_grad()
        terms["loss"].backward()
        optimiser.step()
        every.append({name: value.item() for name, value in terms.items()})
    return every
