"""Texts as one stream of tokens, cut into blocks of one length, with some tokens hidden."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from embedlab.encoders.from_corpus import SPECIAL_TOKENS

IGNORED = -100  # where nothing is to be predicted
HELD_OUT = 100  # one of so many texts is only measured


@dataclass(frozen=True)
class Special:
    """The ids of the tokens that are no text."""

    cls: int
    sep: int
    mask: int
    first_word: int  # ids below stand for no text

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "Special":
        """Look them up in a BERT vocabulary, where they come first."""
        vocabulary = tokenizer.get_vocab()
        ids = {role: vocabulary[token] for role, token in SPECIAL_TOKENS.items()}
        return cls(ids["cls_token"], ids["sep_token"], ids["mask_token"], first_word=max(ids.values()) + 1)


def stream(texts: Sequence[str], tokenizer: Tokenizer) -> np.ndarray:
    """Return the tokens of all texts, a separator behind each.  -> (tokens,) uint16"""
    separator = Special.of(tokenizer).sep
    parts = []
    for encoding in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False):
        parts.append(np.array([*encoding.ids, separator], dtype=np.uint16))
    return np.concatenate(parts)


def split(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the texts to learn from and those that are only measured, one of a hundred."""
    learned = [text for row, text in enumerate(texts) if row % HELD_OUT]
    return learned, list(texts[::HELD_OUT])


def block(tokens: np.ndarray, number: int, *, length: int, shift: int, special: Special) -> np.ndarray:
    """Return one block of a stream: [CLS], ``length - 2`` tokens, [SEP].  ``shift``: where the first block begins."""
    start = shift + number * (length - 2)
    inner = tokens[start : start + length - 2].astype(np.int64)
    return np.concatenate([[special.cls], inner, [special.sep]])


def count_blocks(tokens: np.ndarray, *, length: int) -> int:
    """Return how many whole blocks a stream has, wherever the first one begins within a block."""
    return len(tokens) // (length - 2) - 1


def hidden(
    blocks: np.ndarray, rng: np.random.Generator, *, rate: float, vocabulary_size: int, special: Special
) -> tuple[np.ndarray, np.ndarray]:
    """Hide a share of the words: 80 % become [MASK], 10 % any word, 10 % stay (BERT, section 3.1).

    blocks: (batch, tokens) -> the tokens to read, and those to predict (``IGNORED`` elsewhere), both (batch, tokens)
    """
    chosen = (rng.random(blocks.shape) < rate) & (blocks >= special.first_word)
    kind = rng.random(blocks.shape)
    any_word = rng.integers(special.first_word, vocabulary_size, blocks.shape)
    read = blocks.copy()
    read[chosen & (kind < 0.8)] = special.mask
    replaced = chosen & (kind >= 0.8) & (kind < 0.9)
    read[replaced] = any_word[replaced]
    return read, np.where(chosen, blocks, IGNORED)
