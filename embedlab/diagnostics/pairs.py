"""Pairs of short texts for the length attack: titles or single sentences, at random and of one label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from embedlab.copies import normalised
from embedlab.counting import pieces_of
from embedlab.errors import CorpusError
from embedlab.sentences import sentences

if TYPE_CHECKING:
    from embedlab.diagnostics.base import EncoderView
    from embedlab.encoders.encoder import Encoder

SHORT_TOKENS = 30
FEWEST_WORDS = 4
FEWEST_TOKENS = 3  # "Results." says nothing
SENTENCES_TRIED = 8


@dataclass(frozen=True)
class Pairs:
    """Short texts, and which of them to compare. random, same_label: (pairs, 2) positions in ``texts``"""

    texts: list[str]
    rows: np.ndarray  # corpus row of each text, -1 for a pairs file
    kind: str  # "titles", "sentences" or "given"
    random: np.ndarray
    same_label: np.ndarray


def corpus_pairs(
    encoder: Encoder,
    *,
    texts: Sequence[str],
    titles: Sequence[str] | None,
    labels: np.ndarray | None,
    pairs: int,
    seed: int,
    left_out: np.ndarray | None = None,
) -> Pairs:
    """At most ``pairs`` distinct pairs of either kind, seeded, from the corpus's short texts without copies.

    ``left_out``: texts that take no part, because their labels trained the encoder.  (texts,) bool
    """
    rng = np.random.default_rng(seed)
    filled = np.array([row for row, text in enumerate(texts) if text.strip()], int)
    filled = filled if left_out is None else filled[~left_out[filled]]
    size = min(len(filled), 8 * pairs)  # two texts a pair, two kinds of pairs, and some to spare
    drawn = np.sort(rng.choice(filled, size, replace=False)) if len(filled) else filled
    if titles is not None:
        kind, candidates = "titles", [(row, titles[row] or "") for row in drawn]
    else:
        kind = "sentences"
        candidates = [(row, piece) for row in drawn for piece in sentences(texts[row][:10_000])[:SENTENCES_TRIED]]
    rows, short = _short(encoder, candidates)
    if len(rows) < 2:
        raise CorpusError(
            "E-NO-SHORT-TEXTS",
            f"The length attack needs at least 2 different {kind} of {FEWEST_TOKENS} to {SHORT_TOKENS} tokens,"
            f" but found {len(rows)} in {len(drawn):,} texts. Add a title column, or compare your own sentences.",
        )
    return Pairs(
        texts=short,
        rows=rows,
        kind=kind,
        random=pairs_of_classes([np.arange(len(rows))], pairs, rng),
        same_label=pairs_of_classes(positions_by_label(None if labels is None else labels[rows]), pairs, rng),
    )


def worded_pairs(view: EncoderView, *, labels: np.ndarray | None, pairs: int, seed: int) -> Pairs:
    """The same for word-by-word analyses: titles of one or two words, such as names, are replaced by sentences."""
    titles = view.titles
    if titles is not None:
        words = [len(pieces_of(titles[row])[0]) for row in view.rows]
        titles = titles if words and np.median(words) >= FEWEST_WORDS else None
    return pairs_of_view(view, titles=titles, labels=labels, pairs=pairs, seed=seed)


def pairs_of_view(
    view: EncoderView, *, titles: Sequence[str] | None, labels: np.ndarray | None, pairs: int, seed: int
) -> Pairs:
    """Pairs from the texts of an encoder view, without texts whose labels trained the encoder."""
    return corpus_pairs(
        view.reader, texts=view.texts, titles=titles, labels=labels, pairs=pairs, seed=seed, left_out=view.read
    )


def given_pairs(first: list[str], second: list[str]) -> Pairs:
    """The pairs of a file, such as ``stsb``: ``first[i]`` with ``second[i]``."""
    count = len(first)
    positions = np.stack([np.arange(count), np.arange(count) + count], axis=1)
    return Pairs([*first, *second], np.full(2 * count, -1), "given", positions, np.empty((0, 2), int))


def token_counts(encoder: Encoder, texts: list[str]) -> np.ndarray:
    """Tokens of each text without special tokens.  -> (texts,)"""
    special = len(encoder.tokenize([""])[0])
    return np.array([len(ids) - special for ids in encoder.tokenize(texts)], int)


def _short(encoder: Encoder, candidates: list[tuple[int, str]]) -> tuple[np.ndarray, list[str]]:
    """The first short text of each row, without copies.  candidates: rows with their texts"""
    texts = [" ".join(text.split()) for _, text in candidates]
    first: dict[int, str] = {}
    for (row, _), text, count in zip(candidates, texts, token_counts(encoder, texts), strict=True):
        if FEWEST_TOKENS <= count <= SHORT_TOKENS:
            first.setdefault(row, text)
    once: dict[str, tuple[int, str]] = {}
    for row, text in first.items():
        once.setdefault(normalised(text), (row, text))
    return np.array([row for row, _ in once.values()], int), [text for _, text in once.values()]


def positions_by_label(labels: np.ndarray | None) -> list[np.ndarray]:
    """The positions of each label's texts, labels in order; texts without a label are left out."""
    if labels is None:
        return []
    members: dict[str, list[int]] = {}
    for position, label in enumerate(labels):
        if label is not None:
            members.setdefault(label, []).append(position)
    return [np.array(members[name]) for name in sorted(members)]


def pairs_of_classes(groups: list[np.ndarray], most: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct pairs drawn evenly from all pairs within the groups.  -> (pairs, 2)"""
    ends = np.cumsum([0, *(len(group) * (len(group) - 1) // 2 for group in groups)])
    numbers = rng.choice(ends[-1], min(most, ends[-1]), replace=False) if ends[-1] else []
    drawn = []
    for number in numbers:
        group = int(np.searchsorted(ends, number, side="right")) - 1
        within = int(number - ends[group])  # of (1, 0), (2, 0), (2, 1), (3, 0), …
        larger = (1 + isqrt(1 + 8 * within)) // 2
        smaller = within - larger * (larger - 1) // 2
        drawn.append((groups[group][smaller], groups[group][larger]))
    return np.array(drawn, int).reshape(-1, 2)
