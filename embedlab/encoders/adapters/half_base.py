"""The frozen weights beside an adapter in bfloat16: half the memory, computed with in the numbers of what they meet."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from embedlab.encoder_catalog.adapter import is_of_adapter


def halve(model: nn.Module) -> None:
    """Round the matrices of frozen linear layers and tables of token vectors to bfloat16, in their places.

    A checkpoint that was saved in bfloat16 loses nothing by it. Norms, biases and the adapter keep their numbers, and
    so do a table whose kind does more than look up (Gemma's) and what transformers keeps in float32 (T5's ``wo``).
    """
    for layer in _matrices(model):
        layer.weight.data = layer.weight.data.to(torch.bfloat16)
        layer.__class__ = HalfLinear if isinstance(layer, nn.Linear) else HalfEmbedding


def round_as_halved(model: nn.Module) -> None:
    """The same numbers in float32, of a model without an adapter."""
    for layer in _matrices(model):
        layer.weight.data = layer.weight.data.to(torch.bfloat16).float()


def _matrices(model: nn.Module) -> list[nn.Linear | nn.Embedding]:
    in_full = set(getattr(model, "_keep_in_fp32_modules", None) or ())
    return [
        layer
        for name, layer in model.named_modules()
        if type(layer) in (nn.Linear, nn.Embedding) and not is_of_adapter(name) and not in_full & set(name.split("."))
    ]


class HalfLinear(nn.Linear):
    """A linear layer whose matrix is widened for one product and then forgotten, in both directions."""

    def forward(self, vectors: Tensor) -> Tensor:
        """(…, in) -> (…, out), in the type of the vectors"""
        mapped = _Widened.apply(vectors, self.weight)
        return mapped if self.bias is None else mapped + self.bias.to(mapped.dtype)


class HalfEmbedding(nn.Embedding):
    """A table of vectors of which only the rows that are looked up are widened."""

    def forward(self, rows: Tensor) -> Tensor:
        """(…) -> (…, dim) float32"""
        return super().forward(rows).float()


class _Widened(torch.autograd.Function):
    """x · Wᵀ that keeps W itself for the gradient of x, and not the widened copy that autograd would keep."""

    @staticmethod
    def forward(context: Any, vectors: Tensor, weight: Tensor) -> Tensor:
        context.save_for_backward(weight)
        return F.linear(vectors, weight.to(vectors.dtype))

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (weight,) = context.saved_tensors
        return gradient @ weight.to(gradient.dtype), None
