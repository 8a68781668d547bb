"""Pairs of a corpus under an augmentation, as an encoder reads them."""

import random

from embedlab.augmentations.base import IGNORED, Augmentation, Vocabulary
from embedlab.counting import pieces_of

PAIRS = 5
LOOKED_AT = 2_000  # texts tried before it is said that none gives a pair
WORDS_READ = 256  # where the run's own length is automatic; words stand in for the encoder's tokens
_MASK = -1


def count_usable(augmentation: Augmentation) -> int:
    """Counts the texts that give views."""
    return sum(augmentation.usable(row) for row in augmentation.rows)


def pairs_of(augmentation: Augmentation, *, seed: int, longest: int = WORDS_READ, pairs: int = PAIRS) -> list[tuple]:
    """(row, anchor, positive, negatives …) of randomly drawn rows, the same for the same seed."""
    rng = random.Random(seed)
    rows = list(augmentation.rows)
    drawn: list[tuple] = []
    for row in rng.sample(rows, min(len(rows), LOOKED_AT)):
        views = augmentation.views(row, rng, len(drawn))
        if views is not None:
            drawn.append((row, *as_read(views, augmentation, rng, longest=longest)))
        if len(drawn) == pairs:
            break
    return drawn


def as_read(
    views: tuple[str, ...], augmentation: Augmentation, rng: random.Random, *, longest: int = WORDS_READ
) -> tuple[str, ...]:
    """The views as the encoder reads them: masked, damaged, repeated; words stand in for its tokens."""
    parts = [pieces_of(view) for view in views]
    words, blank = [word for pieces, _ in parts for word in pieces], parts[0][1]
    numbers = {word: number for number, word in enumerate(words)}
    tokens = tuple([numbers[word] for word in pieces] for pieces, _ in parts)
    vocabulary = Vocabulary(special=frozenset(), mask=_MASK, size=max(1, len(words)), longest=longest)
    changed = augmentation.on_tokens(tokens, vocabulary, rng)
    if changed == tokens:
        return views
    signs = {_MASK: "[MASK]", IGNORED: "·"}
    return tuple(blank.join(signs[t] if t in signs else words[t] for t in view) for view in changed)
