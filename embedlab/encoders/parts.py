"""A batch read in parts of texts of like length: less padding, and on request the memory of one part alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from embedlab.encoders.pooling import PROMPT_TOKENS
from embedlab.later import F, Tensor, nn, torch

Tokens = dict[str, Tensor]
_CPU_NUMBERS = 3 * 2**18  # tokens × dimensions of a part: small enough for the cache, large enough to be worth a call


@dataclass(frozen=True)
class Parts:
    """How a batch is divided while training.

    A part has at most ``tokens`` tokens with its padding, and at most ``texts`` texts; it always has one.
    ``recomputed``: a part's activations are forgotten and computed again, with the same dropout, when its gradients
    are asked for (gradient caching, Gao et al. 2021, by torch's checkpointing): a batch of any size then takes the
    memory of one part.
    """

    tokens: int | None = None
    texts: int | None = None
    recomputed: bool = False

    def halved(self, batch: int) -> Parts | None:
        """Parts of half as many texts, recomputed; None where a part of ``batch`` texts is one text already."""
        texts = min(self.texts or batch, batch)
        return None if texts == 1 and self.recomputed else Parts(self.tokens, max(1, texts // 2), recomputed=True)

    def of(self, lengths: list[int]) -> list[list[int]]:
        """The rows of each part, longest texts first; every row is in one."""
        order = sorted(range(len(lengths)), key=lambda row: -lengths[row])  # stable
        rows_of_parts, start = [], 0
        while start < len(order):
            room = len(order) if self.tokens is None else self.tokens // max(1, lengths[order[start]])
            room = max(1, min(room, self.texts or room))
            rows_of_parts.append(order[start : start + room])
            start += room
        return rows_of_parts


def read_in(parts: Parts | None, *modules: nn.Module) -> None:
    """Divide batches so in every encoder among these modules."""
    for encoder in encoders_in(*modules):
        encoder.parts = parts


def encoders_in(*modules: nn.Module) -> Iterator[Any]:
    """Every ``Encoder`` (whose file imports this one) among these modules, copies inside an objective included."""
    for module in (each for outer in modules for each in outer.modules()):
        if hasattr(module, "parts"):
            yield module


def read_in_parts(read: Callable[[Tokens], Tensor], tokens: Tokens, parts: Parts) -> Tensor:
    """``read`` of all rows, in their order; token vectors get the batch's width again, zeros where padding is.

    Rows must be padded on the right.  -> (batch, dim) or (batch, tokens, dim), as ``read`` gives
    """
    width = tokens["attention_mask"].shape[1]
    lengths = tokens["attention_mask"].sum(dim=1).tolist()
    divided = parts.of(lengths)
    if len(divided) == 1 and not parts.recomputed:
        return read(tokens)
    from torch.utils.checkpoint import checkpoint

    vectors_of_parts = []
    for rows in divided:
        chosen = torch.tensor(rows, device=tokens["attention_mask"].device)
        part = {name: values[chosen, : max(1, lengths[rows[0]])] for name, values in tokens.items()}
        vectors_of_parts.append(checkpoint(read, part, use_reentrant=False) if parts.recomputed else read(part))
    if vectors_of_parts[0].ndim == 3:
        vectors_of_parts = [F.pad(vectors, (0, 0, 0, width - vectors.shape[1])) for vectors in vectors_of_parts]
    restored = torch.tensor([row for rows in divided for row in rows], device=vectors_of_parts[0].device).argsort()
    return torch.cat(vectors_of_parts)[restored]


def read_views(encoder: Any, views: list[Tokens]) -> list[Tensor]:
    """The vectors of each view; where batches are divided, of one pass over all, with less padding than view by view.

    -> (batch, dim) each
    """
    if not getattr(encoder, "parts", None) or not encoder.layers:  # a token layer pads nothing
        return [encoder(tokens) for tokens in views]
    width = max(tokens["attention_mask"].shape[1] for tokens in views)
    fill = {"input_ids": encoder.padding_id, "attention_mask": 0}
    together = {
        name: torch.cat([F.pad(tokens[name], (0, width - tokens[name].shape[1]), value=fill[name]) for tokens in views])
        for name in fill
    }
    if any(PROMPT_TOKENS in tokens for tokens in views):
        without = [torch.zeros_like(tokens["attention_mask"][:, :1]) for tokens in views]
        counts = [tokens.get(PROMPT_TOKENS, none) for tokens, none in zip(views, without, strict=True)]
        together[PROMPT_TOKENS] = torch.cat(counts)
    return list(encoder(together).split([len(tokens["attention_mask"]) for tokens in views]))


def training_parts(device: str, micro_batch: int | None, batch: int, *, dim: int) -> Parts | None:
    """How a batch is divided on this device: on the CPU what padding costs is saved, a GPU would rather compute it."""
    recomputed = micro_batch is not None and micro_batch < batch
    tokens = _CPU_NUMBERS // dim if torch.device(device).type == "cpu" else None
    return Parts(tokens, micro_batch if recomputed else None, recomputed) if tokens or recomputed else None
