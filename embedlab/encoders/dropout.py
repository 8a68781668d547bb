"""Dropout whose random numbers cost a seventh of torch's on the CPU, in the layers and in the attention.

torch's ``bernoulli_`` took 1.84 ms for 1,024 × 384 values where sixteen bits a value took 0.27, and a sixth of a
training step of MiniLM on two cores. The bits say as well what is dropped, at the rate asked for to within 1 : 131,072,
and what stays is scaled by the share that really stays. ``scaled_dot_product_attention`` has no fast path with dropout
on the CPU: the products are made here as transformers' own ``eager_attention_forward`` makes them.
"""

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

ATTENTION = "embedlab"  # how transformers knows the attention below
_SPECIAL = ("position_bias", "softcap", "s_aux", "cache")  # what some models add to the scores
_VALUES = 2**16


class _Dropped(torch.autograd.Function):
    @staticmethod
    def forward(context, values: Tensor, p: float) -> Tensor:
        dropped = round(p * _VALUES)  # of so many equally likely numbers
        count = values.numel()
        bits = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None).view(torch.int16)[:count]
        mask = bits.ge_(dropped - _VALUES // 2).view(values.shape)  # 0 or 1
        context.save_for_backward(mask)
        context.scale = _VALUES / (_VALUES - dropped)
        return _where(mask, values).mul_(context.scale)

    @staticmethod
    def backward(context, gradient: Tensor) -> tuple[Tensor, None]:
        (mask,) = context.saved_tensors
        return _where(mask, gradient).mul_(context.scale), None


def _where(mask: Tensor, values: Tensor) -> Tensor:
    """The values that are kept, else 0. By whole numbers of the same width: four times as fast in bfloat16."""
    if values.dtype == torch.bfloat16:
        return (values.view(torch.int16) * mask).view(torch.bfloat16)
    return values * mask


def dropped(values: Tensor, p: float) -> Tensor:
    """Each value nought with probability ``p``, else divided by the share that stays; torch's own off the CPU."""
    if values.device.type != "cpu" or p > 1 - 1 / _VALUES:
        return nn.functional.dropout(values, p)
    return _Dropped.apply(values, p) if p > 0 else values


class Dropout(nn.Dropout):
    """nn.Dropout by ``dropped``."""

    def forward(self, values: Tensor) -> Tensor:
        return dropped(values, self.p) if self.training else values


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **more,
) -> tuple[Tensor, Tensor | None]:
    """Scaled dot products; with dropout on the CPU made here, else by torch.  (batch, heads, tokens, dim) each

    -> (batch, tokens, heads, dim)
    """
    is_plain = not (more.get("is_causal") or getattr(module, "is_causal", False))
    is_plain &= all(more.get(name) is None for name in _SPECIAL) and key.shape[1] == query.shape[1]
    if not dropout or query.device.type != "cpu" or not is_plain:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **more
        )
    scores = torch.matmul(query * (query.shape[-1] ** -0.5 if scaling is None else scaling), key.transpose(2, 3))
    lowest = torch.finfo(scores.dtype).min
    is_bool = attention_mask is not None and attention_mask.dtype == torch.bool
    if scores.dtype == torch.bfloat16:  # softmax computes in float32 and rounds once, with no copy to and fro
        if is_bool:
            scores += torch.zeros_like(attention_mask, dtype=scores.dtype).masked_fill_(~attention_mask, lowest)
        elif attention_mask is not None:
            scores += attention_mask
        weights = torch.softmax(scores, dim=-1)
    else:
        if is_bool:
            scores = scores.masked_fill(~attention_mask, lowest)
        elif attention_mask is not None:
            scores = scores + attention_mask
        weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
    return torch.matmul(dropped(weights, dropout), value).transpose(1, 2).contiguous(), None


AttentionInterface.register(ATTENTION, attention)
AttentionMaskInterface.register(ATTENTION, sdpa_mask)


def with_quick_dropout(model: PreTrainedModel) -> PreTrainedModel:
    """The same model with this dropout wherever torch's own stands, and this attention in place of torch's."""
    for outer in list(model.modules()):
        if all(hasattr(outer, name) for name in ("query", "key", "value")):  # which read the same hidden states
            outer.register_forward_pre_hook(_rounded_once)
        for name, inner in outer.named_children():
            if type(inner) is nn.Dropout:
                setattr(outer, name, Dropout(inner.p))
    if model.config._attn_implementation == "sdpa":
        model.set_attn_implementation(ATTENTION)
    return model


def _rounded_once(module: nn.Module, arguments: tuple) -> tuple:
    """The hidden states in the type that autocast gives each of several products; else each makes its own copy."""
    if not arguments or arguments[0].device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return arguments
    hidden, *others = arguments
    return hidden.to(torch.get_autocast_dtype("cpu")), *others
