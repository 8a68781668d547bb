"""A layer of BERT in bfloat16 while texts are embedded on the CPU.

Query, key and value are one product, residuals are added within products, and hidden states stay bfloat16 from layer to
layer, where autocast makes them float32 for each normalisation and bfloat16 again for each product.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from embedlab.encoders.packed.weights import PackedWeights, can_be_packed, is_exact_gelu

_KINDS = {"BertLayer", "RobertaLayer", "XLMRobertaLayer", "CamembertLayer", "ElectraLayer"}  # all of one form


def bf16_layer(layer: nn.Module, *, is_last: bool) -> Callable[..., Tensor] | None:
    """What computes the layer without gradients; None where it must be computed as it is.

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

    def forward(hidden: Tensor, attention_mask: Tensor | None = None, *unused, **named) -> Tensor:
        batch, tokens, dim = hidden.shape
        hidden = hidden.to(torch.bfloat16)
        parts = query_key_value.product(hidden).view(batch, tokens, 3, attention.num_attention_heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)  # (batch, heads, tokens, dim of a head) each
        mask = None if attention_mask is None else _to_add(attention_mask)
        vectors = F.scaled_dot_product_attention(query, key, value, mask, scale=attention.scaling)
        vectors = vectors.transpose(1, 2).reshape(batch, tokens, dim)
        hidden = attended.LayerNorm(outward.sum(vectors, hidden))
        hidden = narrowing.sum(widening.product(hidden, "gelu"), hidden)
        return narrow.LayerNorm(hidden.float() if is_last else hidden)

    return forward


def _to_add(attention_mask: Tensor) -> Tensor:
    """Which tokens are seen, as numbers to add to the scores.  (batch, 1, tokens, tokens) -> (batch, 1, 1, tokens)

    Every token of a text sees the same ones; a row for each would be read as often as there are heads.
    """
    seen = attention_mask[:, :, :1]
    return torch.zeros(seen.shape, dtype=torch.bfloat16).masked_fill_(~seen, float("-inf"))
