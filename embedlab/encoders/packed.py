"""Linear layers by oneDNN with packed weights while texts are embedded on the CPU.

torch hands float32 products to MKL, which on an AMD processor took 92 ms for 8,192 × 384 · 384 × 1,536 where oneDNN
took 52, and packs the weights of bfloat16 products anew for each batch (20 ms against 13). ``torch.compile`` would do
what is done here, but needs a C++ compiler on the user's machine; ``torch.utils.mkldnn`` copies every activation there
and back. The operators are those that ``torch.compile`` calls; where a version of torch lacks them, everything is
computed as before.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

_ROWS = 8_192  # tokens of a batch, which the layout of the weights is chosen for


@contextmanager
def packed_linears(module: nn.Module, dtype: torch.dtype) -> Iterator[None]:
    """Within: every linear layer of the module computes in ``dtype`` from packed weights, without gradients."""
    replaced, activations = [], []
    try:
        for outer in module.modules():
            activation = getattr(outer, "intermediate_act_fn", None)  # BERT's, and that of its relatives
            dense = getattr(outer, "dense", None)
            if type(dense) is not nn.Linear or not _is_gelu(activation):
                continue
            if (forward := _packed(dense, dtype, "gelu")) is not None:
                dense.forward, outer.intermediate_act_fn = forward, nn.Identity()
                replaced.append(dense)
                activations.append((outer, activation))
        for layer in module.modules():
            if type(layer) is nn.Linear and layer not in replaced and (forward := _packed(layer, dtype)) is not None:
                layer.forward = forward
                replaced.append(layer)
        yield
    finally:
        for layer in replaced:
            del layer.forward  # the class's own comes back
        for outer, activation in activations:
            outer.intermediate_act_fn = activation


def _is_gelu(activation) -> bool:
    """The exact one, by the error function."""
    if isinstance(activation, nn.GELU):
        return activation.approximate == "none"
    return type(activation).__name__ == "GELUActivation"


def _packed(layer: nn.Linear, dtype: torch.dtype, then: str = "none"):
    """What computes the layer and what is applied to it ``then``; None where it must be computed as it is."""
    weight, bias = layer.weight.detach(), layer.bias
    if weight.device.type != "cpu" or weight.dtype != torch.float32 or not _is_there(dtype):
        return None
    operators = torch.ops.mkldnn
    packed = operators._reorder_linear_weight(weight.to(dtype), _ROWS)
    bias = None if bias is None else bias.detach().to(dtype)

    def forward(vectors: Tensor) -> Tensor:
        return operators._linear_pointwise(vectors.to(dtype), packed, bias, then, [], "none")

    return forward


def _is_there(dtype: torch.dtype) -> bool:
    operators = torch.ops.mkldnn
    needed = ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported")
    if not torch.backends.mkldnn.is_available() or not all(hasattr(operators, name) for name in needed):
        return False
    return dtype != torch.bfloat16 or bool(operators._is_mkldnn_bf16_supported())
