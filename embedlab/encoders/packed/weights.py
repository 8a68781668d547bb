"""A linear layer's weights in the order in which oneDNN multiplies by them, without gradients.

torch hands float32 products to MKL, which on an AMD processor took 92 ms for 8,192 × 384 · 384 × 1,536 where oneDNN
took 52, and packs the weights of bfloat16 products anew for each batch (20 ms against 13). ``torch.compile`` would do
what is done here, but needs a C++ compiler on the user's machine; ``torch.utils.mkldnn`` copies every activation there
and back. The operators are those that ``torch.compile`` calls.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

_ROWS = 8_192  # tokens of a batch, which the layout of the weights is chosen for
_OPERATORS = ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported")


class PackedWeights:
    """One or more linear layers as one product: their outputs stand side by side."""

    def __init__(self, layers: Sequence[nn.Linear], dtype: torch.dtype):
        weight = torch.cat([layer.weight.detach() for layer in layers])  # (outputs of all, inputs)
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.to(dtype), _ROWS)
        biases = [layer.bias for layer in layers if layer.bias is not None]
        self.bias = torch.cat([bias.detach() for bias in biases]).to(dtype) if biases else None
        self.dtype = dtype

    def product(self, vectors: Tensor, then: str = "none") -> Tensor:
        """Weights · vectors + bias, and the function that is applied to it ``then``.  -> in ``dtype``"""
        operator = torch.ops.mkldnn._linear_pointwise
        return operator(vectors.to(self.dtype), self.weight, self.bias, then, [], "none")

    def sum(self, vectors: Tensor, others: Tensor) -> Tensor:
        """Weights · vectors + bias + others, rounded once.  -> in ``dtype``, which both must have"""
        return torch.ops.mkldnn._linear_pointwise.binary(vectors, others, self.weight, self.bias, "add")


def can_be_packed(layers: Sequence[nn.Module], dtype: torch.dtype) -> bool:
    """Whether torch has the operators, and these are plain float32 linear layers on the CPU, alike in having a bias."""
    return (
        _are_there(dtype)
        and all(type(each) is nn.Linear for each in layers)
        and all(each.weight.device.type == "cpu" and each.weight.dtype == torch.float32 for each in layers)
        and len({each.bias is None for each in layers}) == 1
    )


def is_exact_gelu(activation) -> bool:
    """By the error function, as oneDNN's ``gelu`` is."""
    if isinstance(activation, nn.GELU):
        return activation.approximate == "none"
    return type(activation).__name__ == "GELUActivation"


def _are_there(dtype: torch.dtype) -> bool:
    operators = torch.ops.mkldnn
    if not torch.backends.mkldnn.is_available() or not all(hasattr(operators, name) for name in _OPERATORS):
        return False
    return dtype != torch.bfloat16 or bool(operators._is_mkldnn_bf16_supported())
