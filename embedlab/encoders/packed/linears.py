"""Linear layers by oneDNN with packed weights while texts are embedded on the CPU; BERT's layers whole in bfloat16.

Where a version of torch lacks the operators, everything is computed as before.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from embedlab.encoders.packed.bert_layer import bf16_layer
from embedlab.encoders.packed.weights import PackedWeights, can_be_packed, is_exact_gelu


@contextmanager
def packed_linears(module: nn.Module, dtype: torch.dtype) -> Iterator[None]:
    """Within: every linear layer of the module computes in ``dtype`` from packed weights, without gradients."""
    replaced, activations = [], []

    def replace(layer: nn.Module, forward) -> None:
        layer.forward = forward
        replaced.append(layer)

    try:
        within = _replace_whole_layers(module, replace) if dtype == torch.bfloat16 else set()
        for outer in module.modules():
            activation = getattr(outer, "intermediate_act_fn", None)  # BERT's, and that of its relatives
            dense = getattr(outer, "dense", None)
            if dense not in within and is_exact_gelu(activation) and can_be_packed([dense], dtype):
                replace(dense, _product(dense, dtype, "gelu"))
                outer.intermediate_act_fn = nn.Identity()
                activations.append((outer, activation))
                within.add(dense)
        for layer in module.modules():
            if layer not in within and can_be_packed([layer], dtype):
                replace(layer, _product(layer, dtype))
        yield
    finally:
        for layer in replaced:
            del layer.forward  # the class's own comes back
        for outer, activation in activations:
            outer.intermediate_act_fn = activation


def _replace_whole_layers(module: nn.Module, replace) -> set[nn.Module]:
    """Those layers of a transformer that can be computed in one go.  -> all modules within them"""
    within: set[nn.Module] = set()
    for stack in module.modules():
        if isinstance(stack, nn.ModuleList):
            for layer in stack:
                if (forward := bf16_layer(layer, is_last=layer is stack[-1])) is not None:
                    replace(layer, forward)
                    within |= set(layer.modules())
    return within


def _product(layer: nn.Linear, dtype: torch.dtype, then: str = "none"):
    weights = PackedWeights([layer], dtype)
    return lambda vectors: weights.product(vectors, then)
