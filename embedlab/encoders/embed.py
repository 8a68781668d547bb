"""Texts to an array of vectors, in batches of about equal work, optionally after every layer; and in which numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from embedlab.later import torch
from embedlab.numbers import counted
from embedlab.progress import Progress, silent
from embedlab.prompts import Role
from embedlab.vectors.files import ROWS_AT_ONCE

if TYPE_CHECKING:
    from embedlab.corpora.base import Corpus
    from embedlab.device import Device
    from embedlab.encoders.encoder import Encoder
    from embedlab.encoders.parts import Tokens
    from embedlab.encoders.token_layer import TokenLayer

BATCH_TOKENS = {"cpu": 8_192, "mps": 32_768, "cuda": 131_072}  # (texts × longest text) of one batch
# In bf16 on the CPU a layer takes less time than its hidden states take on the way to memory and back, so a batch is
# small; its width is a multiple, because oneDNN computes 212 tokens' attention more slowly than 224 tokens'.
_BF16_BATCH_TOKENS, _BF16_WIDTHS = 4_096, 16
_WORTH_PACKING = 32  # texts; for a few it would take longer than they do
ALL = (0, 1)  # the share of a process that is alone
_TEXTS_AT_ONCE = 1_024  # tokenized, or averaged by the token layer, between two words of progress


def embed(
    encoder: Encoder,
    texts: Sequence[str],
    *,
    device: str = "cpu",
    precision: str | None = None,
    max_length: int | None = None,
    role: Role = "document",
    progress: Progress = silent,
) -> np.ndarray:
    """One float32 vector a text, zeros for a text without tokens.  -> (texts, dim)

    ``precision``: ``fp32`` or ``bf16``, by default ``encoder.embedding_precision``. The encoder stays on ``device`` and
    returns to the mode (training or not) that it was in. ``role`` says which of the encoder's prompts stands before
    each text.
    """
    token_lists = tokenize(encoder, texts, max_length=max_length, role=role, progress=progress)
    return embed_tokens(encoder, token_lists, device=device, precision=precision, role=role, progress=progress)


def embed_tokens(
    encoder: Encoder,
    token_lists: Sequence[Sequence[int]],
    *,
    device: str = "cpu",
    precision: str | None = None,
    share: tuple[int, int] = ALL,
    role: Role = "document",
    progress: Progress = silent,
) -> np.ndarray:
    """The same for texts that are tokens already, as a live curve keeps them.  -> (texts, dim)

    A ``share`` (number, count) reads that of ``count`` equal parts of the batches, the same as are read without; other
    texts are zeros. (A token layer reads all or none.)
    """
    from embedlab.encoders.token_layer import TokenLayer

    embeddings = np.zeros((len(token_lists), encoder.dim), dtype=np.float32)
    batch_tokens, widths = _batch_form(encoder, device, precision)
    with _reading(encoder, device, precision, texts=len(token_lists)):
        if isinstance(encoder, TokenLayer):
            if share[0] == 0:
                _embed_by_token_layer(encoder, token_lists, embeddings, device, progress)
            return embeddings
        for rows in islice(_batches(token_lists, batch_tokens, progress), share[0], None, share[1]):
            tokens = encoder.collate([token_lists[row] for row in rows], device, widths=widths, role=role)
            embeddings[rows] = encoder(tokens).float().cpu().numpy()
    return embeddings


def embed_layers(
    encoder: Encoder, texts: list[str], *, device: str = "cpu", poolings: tuple[str, ...], progress: Progress = silent
) -> dict[str, list[np.ndarray]]:
    """Return every layer's vectors, from one pass: pooling -> layers + 1 arrays of float32 (texts, dim).

    The last array is what the encoder makes of its last layer, so by its own pooling it is what ``embed`` returns.
    Those before it are pooled, and of length 1 where the encoder's vectors are (``Encoder.read_out_below``).
    Poolings that the encoder does not have are left out (the token layer has the mean only).
    """
    poolings = tuple(pooling for pooling in poolings if encoder.can_read_by(pooling))
    by_pooling: dict[str, list[np.ndarray]] = {pooling: [] for pooling in poolings}
    for rows, tokens, layers in hidden_batches(encoder, texts, device=device, progress=progress):
        for layer, hidden in enumerate(layers):  # (batch, tokens, hidden)
            is_last = layer == encoder.layers
            for pooling, of_layers in by_pooling.items():
                read = (
                    encoder.read_out(hidden, tokens, pooling)
                    if is_last
                    else encoder.read_out_below(hidden.float(), tokens, pooling)
                )
                vectors = read.float().cpu().numpy()  # (batch, dim of this layer and pooling)
                if len(of_layers) == layer:
                    of_layers.append(np.zeros((len(texts), vectors.shape[1]), dtype=np.float32))
                of_layers[layer][rows] = vectors
    return {pooling: of_layers for pooling, of_layers in by_pooling.items() if of_layers}


def hidden_batches(
    encoder: Encoder, texts: Sequence[str], *, device: str = "cpu", progress: Progress = silent
) -> Iterator[tuple[np.ndarray, Tokens, tuple[torch.Tensor, ...]]]:
    """The texts of a batch, its tokens, and the hidden states of each layer: layers + 1 of (batch, tokens, dim).

    Texts without tokens are in no batch.
    """
    token_lists = tokenize(encoder, texts, progress=progress)
    batch_tokens, widths = _batch_form(encoder, device)
    with _reading(encoder, device, texts=len(token_lists)):
        for rows in _batches(token_lists, batch_tokens, progress):
            tokens = encoder.collate([token_lists[row] for row in rows], device, widths=widths)
            yield rows, tokens, encoder.hidden_states(tokens)


def tokenize(
    encoder: Encoder,
    texts: Sequence[str],
    *,
    max_length: int | None = None,
    role: Role = "document",
    progress: Progress = silent,
) -> list[array]:
    """``encoder.tokenize`` with progress; four bytes a token, where a list of numbers takes 36."""
    token_lists: list[array] = []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        progress(f"Tokenizing {counted(len(texts), 'text')}", start, len(texts))
        chunk = encoder.tokenize(texts[start : start + _TEXTS_AT_ONCE], max_length, role=role)
        token_lists += (array("i", ids) for ids in chunk)
    return token_lists


_of_corpus: WeakKeyDictionary = WeakKeyDictionary()  # encoder -> what was read, and the token ids by row


def tokens_of(encoder: Encoder, corpus: Corpus, rows: np.ndarray, progress: Progress = silent) -> list[array]:
    """``tokenize`` of these kept rows; those of a corpus that is embedded in one part stay with the encoder.

    An encoder's tokenizer never changes; its length, its prompts and the corpus may.  rows: (n,) of the corpus
    """
    if corpus.info.rows > ROWS_AT_ONCE:
        return tokenize(encoder, corpus.texts.at(rows), progress=progress)
    read_by = (corpus.fingerprint, encoder.max_length, encoder.prompts)
    if encoder not in _of_corpus or _of_corpus[encoder][0] != read_by:
        read = tokenize(encoder, corpus.texts.at(corpus.kept), progress=progress)
        _of_corpus[encoder] = read_by, dict(zip(corpus.kept.tolist(), read, strict=True))
    by_row = _of_corpus[encoder][1]
    return [by_row[row] for row in rows.tolist()]


def lend_tokens(reader: Encoder, to: Encoder) -> None:
    """Let an encoder with the same tokenizer use the token ids that ``reader`` has read."""
    if reader in _of_corpus:
        _of_corpus[to] = _of_corpus[reader]


def _embed_by_token_layer(
    layer: TokenLayer, token_lists: Sequence[Sequence[int]], embeddings: np.ndarray, device: str, progress: Progress
) -> None:
    """Means of texts joined end to end: nothing is padded or sorted."""
    from embedlab.encoders.encoder import joined

    for start in range(0, len(token_lists), _TEXTS_AT_ONCE):
        progress(f"Embedding {counted(len(token_lists), 'text')}", start, len(token_lists))
        chunk = token_lists[start : start + _TEXTS_AT_ONCE]
        lengths = torch.tensor([len(ids) for ids in chunk], device=device)
        input_ids = torch.from_numpy(joined(chunk)).to(device)
        embeddings[start : start + _TEXTS_AT_ONCE] = layer.means(input_ids, lengths).float().cpu().numpy()


def _batches(token_lists: Sequence[Sequence[int]], budget: int, progress: Progress) -> Iterator[np.ndarray]:
    """Rows of texts of like length, longest first, ``budget`` padded tokens a batch; texts without tokens in none."""
    lengths = np.array([len(ids) for ids in token_lists])
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    texts, work = len(token_lists), int(lengths.sum())
    done = start = 0
    while start < len(order):
        progress(f"Embedding {counted(texts, 'text')}", texts * done // work, texts)  # as evenly as its tokens are read
        rows = order[start : start + max(1, budget // lengths[order[start]])]
        yield rows
        done += int(lengths[rows].sum())
        start += len(rows)


def _batch_form(encoder: Encoder, device: str, precision: str | None = None) -> tuple[int, int]:
    """Tokens of a batch, as fits the device and precision, and what its width is a multiple of."""
    kind = torch.device(device).type
    if kind == "cpu" and (precision or encoder.embedding_precision) == "bf16":
        return _BF16_BATCH_TOKENS, _BF16_WIDTHS
    return BATCH_TOKENS[kind], 1


@contextmanager
def _reading(encoder: Encoder, device: str, precision: str | None = None, *, texts: int) -> Iterator[None]:
    """Evaluation mode without gradients, bf16 where asked; the mode the encoder was in comes back."""
    from embedlab.encoders.packed import packed_linears

    was_training = encoder.training
    encoder.to(device).eval()
    kind, is_bf16 = torch.device(device).type, (precision or encoder.embedding_precision) == "bf16"
    autocast = torch.autocast(kind, dtype=torch.bfloat16, enabled=is_bf16)
    packed = kind == "cpu" and texts >= _WORTH_PACKING
    linears = packed_linears(encoder, torch.bfloat16 if is_bf16 else torch.float32) if packed else nullcontext()
    try:
        with torch.inference_mode(), autocast, linears:
            yield
    finally:
        encoder.train(was_training)


# Embedded in bf16 where the device has it and it changes no vector visibly, else in fp32.
LEAST_COSINE = 0.9999  # of a text's bf16 vector with its fp32 vector
TRIED_TEXTS = 64


@dataclass(frozen=True)
class EmbeddingPrecision:
    """``fp32`` or ``bf16``, and what decided: the least cosine of the texts tried; None where none were."""

    name: str
    least_cosine: float | None = None


def precision_of_embedding(wish: str, encoder: Encoder, texts: Sequence[str], device: Device) -> EmbeddingPrecision:
    """What was asked; ``auto`` tries texts evenly spread over these, where the device has bf16 and layers use it."""
    if wish != "auto":
        return EmbeddingPrecision(wish)
    if not (device.supports_bf16 and encoder.layers and len(texts)):
        return EmbeddingPrecision("fp32")
    tried = [texts[row] for row in np.unique(np.linspace(0, len(texts) - 1, TRIED_TEXTS).astype(int))]
    some, others = (embed(encoder, tried, device=device.name, precision=each) for each in ("fp32", "bf16"))
    lengths = np.linalg.norm(some, axis=1) * np.linalg.norm(others, axis=1)
    there = lengths != 0  # without texts that have no tokens; what is not a number stays, as the worst
    cosines = (some * others).sum(axis=1)[there] / lengths[there]
    least = float(np.nan_to_num(cosines, nan=-1.0).min(initial=1.0))
    return EmbeddingPrecision("bf16" if least >= LEAST_COSINE else "fp32", least)
