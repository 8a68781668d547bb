"""A static encoder distilled from any other: each vocabulary entry read once, PCA, weights by rank (Model2Vec).

Tulkens & van Dongen 2024. Their package's ``distill`` wants transformers before 5.4 and a model of the hub, so the few
lines are here; vectors are read as the encoder itself reads texts, with its own pooling and what follows it.
"""

import hashlib
import re

import numpy as np
import torch
from torch import Tensor

from embedlab.encoders.embed import embed_tokens
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.from_corpus import kept_vectors
from embedlab.progress import Progress, silent
from embedlab.vectors.directions import are_directions, one_blas_thread, signs_of

STATIC_DIM = 256
_SIF = 1e-4  # the smoothing of Arora et al. 2017, as in their package
_UNUSED = re.compile(r"\[unused\d+\]|<unused\d+>|<extra_id_\d+>|<\|reserved_special_token_\d+\|>")


def distilled_vectors(teacher: Encoder, dim: int = STATIC_DIM, progress: Progress = silent) -> Tensor:
    """A vector for each entry of the teacher's vocabulary, made once and then read from the store.

    -> float32 (vocabulary, dim), fewer dimensions where the teacher or its vocabulary has fewer
    """
    teacher.tokenizer.no_truncation()  # which it notes, and does not matter here
    vocabulary = hashlib.sha256(teacher.tokenizer.to_str().encode()).hexdigest()[:16]
    name = f"static-2-{teacher.weights_hash()[:16]}-{teacher.pooling}-{vocabulary}-{dim}.safetensors"

    def made() -> Tensor:
        entries = teacher.tokenizer.get_vocab(with_added_tokens=True)
        unread = teacher.special_token_ids | {i for token, i in entries.items() if _UNUSED.fullmatch(token)}
        ranked = np.array(sorted(set(entries.values()) - unread), dtype=np.int64)  # vocabularies rank them by their ids
        framed = teacher.tokenize(["a"])[0]  # [CLS] stands before a text's own tokens, [SEP] behind them
        own = teacher.tokenizer.encode("a", add_special_tokens=False).ids
        start = next((i for i in range(len(framed)) if framed[i : i + len(own)] == own), 0)
        before, after = framed[:start], framed[start + len(own) :]
        token_lists = [[*before, token, *after] for token in ranked]
        vectors = embed_tokens(teacher, token_lists, progress=progress)  # (ranked, teacher's dim)
        table = np.zeros((teacher.vocabulary_size, min(dim, *vectors.shape)), dtype=np.float32)
        table[ranked] = principal_components(vectors, table.shape[1]) * rank_weights(len(ranked))[:, None]
        return torch.from_numpy(table)

    return kept_vectors(name, made)


def rank_weights(entries: int) -> np.ndarray:
    """How much each entry counts, the most frequent first: a/(a + p) with p by Zipf's law, 1/rank.  -> (entries,)"""
    inverse_rank = 1 / np.arange(2, entries + 2)
    return _SIF / (_SIF + inverse_rank / inverse_rank.sum())


def principal_components(vectors: np.ndarray, dim: int) -> np.ndarray:
    """Coordinates on the directions of largest variance; other columns are zero.

    vectors: (entries, any) -> float32 (entries, dim)
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    with one_blas_thread():
        squares, directions = np.linalg.eigh(centred.T @ centred)
        directions = directions * np.where(are_directions(squares, directions.shape), signs_of(directions), 0.0)
        return (centred @ directions[:, ::-1][:, :dim]).astype(np.float32)
