"""Pooling: hidden states of a text's tokens to one vector (mean, [CLS], [SEP], …); and vectors of length 1."""

from __future__ import annotations

import re

from embedlab.errors import SettingsError
from embedlab.later import Tensor, torch

POOLINGS = {
    "mean": "mean of all real tokens, special tokens included",
    "cls": "first token, [CLS]",
    "last": "last real token, [SEP]",
    "max": "largest value of each dimension",
    "token-7": "n-th token, counted from 0 (any n); the last real token of a text that is shorter",
    "weighted-mean": "mean in which the n-th token counts n times: late tokens of a decoder have seen most",
    "mean-sqrt": "sum of all real tokens, divided by the square root of their number",
    "distinct": "mean of the distinct tokens, each counted once however often it occurs (token layers)",
    "log-count": "mean of the distinct tokens, each weighted by 1 + log of its count (token layers)",
}
BY_COUNT = ("distinct", "log-count")  # they need to know which token each vector is of


def pool(hidden: Tensor, attention_mask: Tensor, pooling: str) -> Tensor:
    """One vector a text.  hidden: (batch, tokens, dim), attention_mask: (batch, tokens) -> (batch, dim)"""
    if "+" in pooling:
        return torch.cat([pool(hidden, attention_mask, each) for each in pooling.split("+")], dim=1)
    if pooling == "weighted-mean":
        counts = (attention_mask.cumsum(dim=1) * attention_mask).unsqueeze(2).float()  # (batch, tokens, 1)
        return ((hidden * counts).sum(dim=1) / counts.sum(dim=1).clamp(min=1)).to(hidden.dtype)
    if pooling == "mean-sqrt":
        return pool(hidden, attention_mask, "mean") * attention_mask.sum(dim=1, keepdim=True).sqrt().to(hidden.dtype)
    if pooling == "mean":
        mask = attention_mask.unsqueeze(2).to(hidden.dtype)  # (batch, tokens, 1)
        total = (hidden * mask).sum(dim=1, dtype=torch.promote_types(hidden.dtype, torch.float32))  # (batch, dim)
        return (total / attention_mask.sum(dim=1, keepdim=True).clamp(min=1)).to(hidden.dtype)
    if pooling == "max":
        return hidden.masked_fill(attention_mask.unsqueeze(2) == 0, float("-inf")).amax(dim=1)
    first = attention_mask.int().argmax(dim=1)  # (batch,); a prompt's tokens may be left out before it
    last = (first + attention_mask.sum(dim=1) - 1).clamp(min=0)
    position = {"cls": first, "last": last}.get(pooling)
    if position is None:
        position = torch.minimum(last, first + (token_position(pooling) or 0))
    return hidden[torch.arange(len(hidden), device=hidden.device), position]


PROMPT_TOKENS = "prompt_tokens"  # beside input_ids and attention_mask: (batch, 1), how many come before the text


def pooled_tokens(tokens: dict[str, Tensor]) -> Tensor:
    """1 where a token is pooled: all real ones, without the prompt's where these are left out.  -> (batch, tokens)"""
    mask = tokens["attention_mask"]
    if PROMPT_TOKENS not in tokens:
        return mask
    return mask * (torch.arange(mask.shape[1], device=mask.device) >= tokens[PROMPT_TOKENS])


def model_inputs(tokens: dict[str, Tensor]) -> dict[str, Tensor]:
    """What a model of transformers takes of them."""
    return {name: values for name, values in tokens.items() if name != PROMPT_TOKENS}


def weights_by_count(input_ids: Tensor, lengths: Tensor, pooling: str) -> Tensor:
    """What each token counts in its text's mean, so that those of a text sum to 1, for texts joined end to end.

    Over all occurrences of a token together: 1 for ``distinct``, 1 + log of their number for ``log-count``, before
    the division by the text's sum.  (all tokens,), (batch,) -> (all tokens,)
    """
    text = torch.arange(len(lengths), device=input_ids.device).repeat_interleave(lengths)  # (all tokens,)
    most = int(input_ids.max()) + 1 if len(input_ids) else 1
    _, pair, counts = (text * most + input_ids).unique(return_inverse=True, return_counts=True)
    count = counts[pair].float()
    weight = (1 if pooling == "distinct" else 1 + count.log()) / count
    total = torch.zeros(len(lengths), device=input_ids.device).index_add_(0, text, weight)
    return weight / total[text]


def checked_pooling(pooling: str) -> str:
    """The pooling's own key (``sep`` is ``last``); an unknown one is refused with the choices."""
    if "+" in pooling:
        joined = [checked_pooling(each) for each in pooling.split("+")]
        if len(set(joined)) == len(joined) and not set(joined) & set(BY_COUNT):
            return "+".join(joined)
    pooling = {"sep": "last", "average": "mean"}.get(pooling, pooling)
    if pooling not in POOLINGS and token_position(pooling) is None:
        raise SettingsError(
            "E-POOLING",
            f"No pooling is called {pooling!r}. Choose from: mean, cls, last ([SEP]), max, weighted-mean, mean-sqrt, "
            "token-N with N counted from 0, distinct or log-count; or several different ones joined by +, as cls+mean.",
        )
    return pooling


def token_position(pooling: str) -> int | None:
    """7 for ``token-7``, None for any other pooling."""
    match = re.fullmatch(r"token-(\d{1,4})", pooling)
    return int(match[1]) if match else None


SMALLEST = 1e-8  # of a length: below, rounding alone makes the direction


def unit_length(vectors: Tensor) -> Tensor:
    """Each divided by its length; one of no length becomes zeros, and no gradient reaches it.  (n, dim) -> (n, dim)

    ``F.normalize`` divides such a vector's gradient by its eps of 1e-12: one text whose only word is unknown makes a
    gradient of 1e18, beside which those of its whole batch are nothing.
    """
    lengths = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return vectors / lengths.masked_fill(lengths < SMALLEST, float("inf"))
