"""Pooling: hidden states of a text's tokens to one vector (mean, [CLS], [SEP], n-th token, max)."""

import re

import torch
from torch import Tensor

from embedlab.errors import SettingsError

POOLINGS = {
    "mean": "mean of all real tokens, special tokens included",
    "cls": "first token, [CLS]",
    "last": "last real token, [SEP]",
    "max": "largest value of each dimension",
    "token-7": "n-th token, counted from 0 (any n); the last real token of a text that is shorter",
}


def pool(hidden: Tensor, attention_mask: Tensor, pooling: str) -> Tensor:
    """One vector a text.  hidden: (batch, tokens, dim), attention_mask: (batch, tokens) -> (batch, dim)"""
    if pooling == "mean":
        mask = attention_mask.unsqueeze(2).to(hidden.dtype)  # (batch, tokens, 1)
        total = (hidden * mask).sum(dim=1, dtype=torch.promote_types(hidden.dtype, torch.float32))  # (batch, dim)
        return (total / attention_mask.sum(dim=1, keepdim=True).clamp(min=1)).to(hidden.dtype)
    if pooling == "max":
        return hidden.masked_fill(attention_mask.unsqueeze(2) == 0, float("-inf")).amax(dim=1)
    last = (attention_mask.sum(dim=1) - 1).clamp(min=0)  # (batch,); texts are padded on the right only
    position = {"cls": torch.zeros_like(last), "last": last}.get(pooling)
    if position is None:
        position = last.clamp(max=token_position(pooling))
    return hidden[torch.arange(len(hidden), device=hidden.device), position]


def checked_pooling(pooling: str) -> str:
    """The pooling's own key (``sep`` is ``last``); an unknown one is refused with the choices."""
    pooling = {"sep": "last", "average": "mean"}.get(pooling, pooling)
    if pooling not in POOLINGS and token_position(pooling) is None:
        raise SettingsError(
            "E-POOLING",
            f"No pooling is called {pooling!r}. "
            "Choose from: mean, cls, last ([SEP]), max, or token-N with N counted from 0.",
        )
    return pooling


def token_position(pooling: str) -> int | None:
    """7 for ``token-7``, None for any other pooling."""
    found = re.fullmatch(r"token-(\d{1,4})", pooling)
    return int(found[1]) if found else None
