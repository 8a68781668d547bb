"""LoRA on an encoder by peft: which layers get it, what trains, and the weights with it merged in.

The frozen weights beside it may be in bfloat16: half the memory, computed with in the numbers of what they meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from embedlab.encoder_catalog.adapter import ALL_LINEAR, ATTENTION, AdapterConfig, is_of_adapter, plain_name
from embedlab.errors import UnfitError

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

NAME = "default"  # peft's own name for the one adapter of a model


def attach(encoder: Encoder, config: AdapterConfig, *, frozen_layers: int | None = None) -> None:
    """Freeze the encoder and put an adapter beside its chosen layers, drawn from torch's random numbers.

    It changes no vector before its first step. With ``frozen_layers`` the lower layers get none.
    """
    if not encoder.layers:
        raise UnfitError(
            "E-ADAPTER-TARGETS",
            f"An adapter belongs to the linear layers of a transformer, but {encoder.reference} has none. Set "
            "adapter.kind to none.",
        )
    model: Any = encoder.model
    names = target_names(encoder, config.targets, frozen_layers=frozen_layers)
    if config.recompute_layers:
        if not getattr(model, "supports_gradient_checkpointing", False):
            raise UnfitError(
                "E-RECOMPUTE",
                f"The layers of {encoder.reference} cannot be computed again one by one. Set adapter.recompute_layers "
                "to false, or use micro_batch.",
            )
        model.gradient_checkpointing_enable({"use_reentrant": False})
    encoder.requires_grad_(False)
    from peft import LoraConfig, inject_adapter_in_model  # half a second that only runs with an adapter need

    theirs = LoraConfig(r=config.rank, lora_alpha=config.alpha, lora_dropout=config.dropout, target_modules=names)  # type: ignore[arg-type]
    inject_adapter_in_model(theirs, model, adapter_name=NAME)  # the named layers become peft's; only these train
    if config.base_weights == "bf16":
        halve(model)
    encoder.adapter = config


def target_names(encoder: Encoder, targets: str, *, frozen_layers: int | None = None) -> list[str]:
    """The full names of the linear layers that get an adapter; refused where there are none."""
    linear = {name: layer for name, layer in encoder.model.named_modules() if type(layer) is nn.Linear}
    if frozen_layers is not None:
        encoder.freeze(frozen_layers)
        above = {id(each) for block in encoder.blocks()[frozen_layers + 1 :] for each in block}
        linear = {name: layer for name, layer in linear.items() if id(layer.weight) in above}
    wished = [each.strip() for each in targets.split(",") if each.strip()]
    if wished == [ATTENTION]:
        chosen = [name for name in linear if "attn" in name.casefold() or "attention" in name.casefold()]
    elif wished == [ALL_LINEAR]:
        chosen = list(linear)
    else:
        chosen = [name for name in linear if any(f".{name}".endswith(f".{each}") for each in wished)]
        absent = [each for each in wished if not any(f".{name}".endswith(f".{each}") for name in linear)]
        chosen = [] if absent else chosen
    if not chosen:
        last = dict.fromkeys(name.rpartition(".")[2] for name in linear)
        there = f"layers called {', '.join(list(last)[:12])}" if last else "no layer above the frozen ones"
        raise UnfitError(
            "E-ADAPTER-TARGETS",
            f"Setting 'adapter.targets' is {targets!r}, but {encoder.reference} has {there}. Choose from: {ATTENTION}, "
            f"{ALL_LINEAR} or names of its layers.",
        )
    return chosen


def merged_weights(model: nn.Module, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a model as if its adapter's product had been added to them, under their plain names.

    They are float32 in the processor's memory: a GPU that holds the base in bfloat16 may have no room for twice that. A
    product of zeros adds nothing, so that what was not trained keeps its bits (0 added to −0 would be 0).
    """
    from peft.tuners.lora import LoraLayer

    weights = {plain_name(name): _widened(value) for name, value in weights.items() if not is_of_adapter(name)}
    for name, layer in model.named_modules():
        if isinstance(layer, LoraLayer):
            with torch.no_grad():
                added = _widened(layer.get_delta_weight(NAME))  # type: ignore[attr-defined]
                if bool(added.any()):
                    weights[f"{name}.weight"] = weights[f"{name}.weight"] + added
    return weights


def _widened(weights: Tensor) -> Tensor:
    weights = weights.cpu()
    return weights.float() if weights.dtype == torch.bfloat16 else weights


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
        mapped = _WidenedProduct.apply(vectors, self.weight)
        return mapped if self.bias is None else mapped + self.bias.to(mapped.dtype)


class HalfEmbedding(nn.Embedding):
    """A table of vectors of which only the rows that are looked up are widened."""

    def forward(self, rows: Tensor) -> Tensor:
        """(…) -> (…, dim) float32"""
        return super().forward(rows).float()


class _WidenedProduct(torch.autograd.Function):
    """x · Wᵀ that keeps W itself for the gradient of x, and not the widened copy that autograd would keep."""

    @staticmethod
    def forward(context: Any, vectors: Tensor, weight: Tensor) -> Tensor:
        context.save_for_backward(weight)
        return F.linear(vectors, weight.to(vectors.dtype))

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (weight,) = context.saved_tensors
        return gradient @ weight.to(gradient.dtype), None
