"""Linear layers by oneDNN with packed weights while texts are embedded on the CPU; BERT's layers whole in bfloat16.

torch hands float32 products to MKL, which on an AMD processor took 92 ms for 8,192 × 384 · 384 × 1,536 where oneDNN
took 52, and packs the weights of bfloat16 products anew for each batch (20 ms against 13). ``torch.compile`` would do
what is done here, but needs a C++ compiler on the user's machine; ``torch.utils.mkldnn`` copies every activation there
and back. The operators are those that ``torch.compile`` calls; where a version of torch lacks them, everything is
computed as before.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Forward = Callable[..., Tensor]


@contextmanager
def packed_linears(module: nn.Module, dtype: torch.dtype) -> Iterator[None]:
    """Within: every linear layer of the module computes in ``dtype`` from packed weights, without gradients."""
    replaced: list[nn.Module] = []
    activations: list[tuple[Any, nn.Module]] = []

    def replace(layer: Any, forward: Forward) -> None:
        layer.forward = forward
        replaced.append(layer)

    try:
        within = _replace_whole_layers(module, replace) if dtype == torch.bfloat16 else set()
        for outer in module.modules():
            activation: Any = getattr(outer, "intermediate_act_fn", None)  # BERT's, and that of its relatives
            dense: Any = getattr(outer, "dense", None)
            is_free = isinstance(dense, nn.Linear) and dense not in within and is_exact_gelu(activation)
            if is_free and can_be_packed([dense], dtype):
                replace(dense, _product(dense, dtype, "gelu"))
                outer.intermediate_act_fn = nn.Identity()
                activations.append((outer, activation))
                within.add(dense)
        for layer in module.modules():
            if isinstance(layer, nn.Linear) and layer not in within and can_be_packed([layer], dtype):
                replace(layer, _product(layer, dtype))
        yield
    finally:
        for layer in replaced:
            del layer.forward  # the class's own comes back
        for outer, activation in activations:
            outer.intermediate_act_fn = activation


def _replace_whole_layers(module: nn.Module, replace: Callable[[nn.Module, Forward], None]) -> set[nn.Module]:
    """Those layers of a transformer that can be computed in one go.  -> all modules within them"""
    within: set[nn.Module] = set()
    for stack in module.modules():
        if isinstance(stack, nn.ModuleList):
            for layer in stack:
                if (forward := bf16_layer(layer, is_last=layer is stack[-1])) is not None:
                    replace(layer, forward)
                    within |= set(layer.modules())
    return within


def _product(layer: nn.Linear, dtype: torch.dtype, then: str = "none") -> Forward:
    weights = PackedWeights([layer], dtype)
    return lambda vectors: weights.product(vectors, then)


_ROWS = 8_192  # tokens of a batch, which the layout of the weights is chosen for
_OPERATORS = ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported")


class PackedWeights:
    """One or more linear layers as one product, without gradients: their outputs stand side by side."""

    def __init__(self, layers: Sequence[nn.Linear], dtype: torch.dtype):
        weight = torch.cat([layer.weight.detach() for layer in layers])  # (outputs of all, inputs)
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.to(dtype), _ROWS)
        biases = [layer.bias for layer in layers if layer.bias is not None]
        self.bias = torch.cat([bias.detach() for bias in biases]).to(dtype) if biases else None
        self.dtype = dtype

    def product(self, vectors: Tensor, then: str = "none") -> Tensor:
        """Weights · vectors + bias, and the function that is applied to it ``then``.  -> in ``dtype``"""
        return torch.ops.mkldnn._linear_pointwise(vectors.to(self.dtype), self.weight, self.bias, then, [], "none")

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


def is_exact_gelu(activation: object) -> bool:
    """By the error function, as oneDNN's ``gelu`` is."""
    if isinstance(activation, nn.GELU):
        return activation.approximate == "none"
    return type(activation).__name__ == "GELUActivation"


def _are_there(dtype: torch.dtype) -> bool:
    operators = torch.ops.mkldnn
    if not torch.backends.mkldnn.is_available() or not all(hasattr(operators, name) for name in _OPERATORS):
        return False
    return dtype != torch.bfloat16 or bool(operators._is_mkldnn_bf16_supported())


_KINDS = {"BertLayer", "RobertaLayer", "XLMRobertaLayer", "CamembertLayer", "ElectraLayer"}  # all of one form


def bf16_layer(layer: Any, *, is_last: bool) -> Callable[..., Tensor] | None:
    """What computes a layer of BERT without gradients; None where it must be computed as it is.

    Query, key and value are one product, residuals are added within products, and hidden states stay bfloat16 from
    layer to layer, where autocast makes them float32 for each normalisation and bfloat16 again for each product.

    (batch, tokens, dim) -> (batch, tokens, dim), float32 of the last layer, else bfloat16
    """
    if type(layer).__name__ not in _KINDS:
        return None
    attention, attended, wide, narrow = layer.attention.self, layer.attention.output, layer.intermediate, layer.output
    inner = (attention.query, attention.key, attention.value)
    is_plain = attention.config._attn_implementation != "eager" and not attention.is_decoder
    is_plain &= is_exact_gelu(wide.intermediate_act_fn)
    if not is_plain or not can_be_packed([*inner, attended.dense, wide.dense, narrow.dense], torch.bfloat16):
        return None
    query_key_value, *others = (
        PackedWeights(layers, torch.bfloat16) for layers in (inner, [attended.dense], [wide.dense], [narrow.dense])
    )
    outward, widening, narrowing = others

    def forward(hidden: Tensor, attention_mask: Tensor | None = None, *unused: Any, **named: Any) -> Tensor:
        batch, tokens, dim = hidden.shape
        hidden = hidden.to(torch.bfloat16)
        parts = query_key_value.product(hidden).view(batch, tokens, 3, attention.num_attention_heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)  # (batch, heads, tokens, dim of a head) each
        mask = None
        if attention_mask is not None:  # every token of a text sees the same: one row for all, as numbers to add
            seen = attention_mask[:, :, :1]  # (batch, 1, 1, tokens)
            mask = torch.zeros(seen.shape, dtype=torch.bfloat16).masked_fill_(~seen, float("-inf"))
        vectors = F.scaled_dot_product_attention(query, key, value, mask, scale=attention.scaling)
        vectors = vectors.transpose(1, 2).reshape(batch, tokens, dim)
        hidden = attended.LayerNorm(outward.sum(vectors, hidden))
        hidden = narrowing.sum(widening.product(hidden, "gelu"), hidden)
        return narrow.LayerNorm(hidden.float() if is_last else hidden)

    return forward
