"""Pairs of a corpus under an augmentation, as an encoder reads them."""

import random
from collections.abc import Sequence

from embedlab.augmentations.base import IGNORED, Augmentation, Vocabulary
from embedlab.counting import pieces_of

PAIRS = 5
LOOKED_AT = 2_000  # texts tried before it is said that none gives a pair
WORDS_READ = 256  # where the run's own length is automatic; words stand in for the encoder's tokens
_MASK = -1
MASKED, UNREAD = "[MASK]", "·"


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
    read, blank = [pieces for pieces, _ in parts], parts[0][1]
    words = [word for pieces in read for word in pieces]
    changed = words_read(read, augmentation, rng, vocabulary=words, longest=longest)
    return views if changed == read else tuple(map(blank.join, changed))


def words_read(
    views: Sequence[Sequence[str]], augmentation: Augmentation, rng: random.Random, *, vocabulary: Sequence[str],
    longest: int,
) -> list[list[str]]:  # fmt: skip
    """The words of each view after what the augmentation does to tokens; ``MASKED`` and ``UNREAD`` among them."""
    numbers = {word: number for number, word in enumerate(vocabulary)}
    tokens = tuple([numbers[word] for word in view] for view in views)
    facts = Vocabulary(special=frozenset(), mask=_MASK, size=max(1, len(vocabulary)), longest=longest)
    signs = {_MASK: MASKED, IGNORED: UNREAD}
    changed = augmentation.on_tokens(tokens, facts, rng)
    return [[signs[t] if t in signs else vocabulary[t] for t in view] for view in changed]
