"""Which piece of a text a view is made of: a crop, its first or a random sentence, or all of it."""

import random

from embedlab.augmentations.crop import CropConfig, crops
from embedlab.sentences import sentences


def drawn_crop(text: str, config: CropConfig, rng: random.Random) -> str | None:
    """One crop; None of a text with fewer than two, which the crops paper leaves out."""
    found = crops(text, config)
    return rng.choice(found) if len(found) > 1 else None


def drawn_sentence(text: str, which: str, rng: random.Random) -> tuple[str, str] | None:
    """The ``first`` or a ``random`` sentence, and the rest of the text; None of a text without a word."""
    found = [sentence for sentence in sentences(text) if sentence.strip()]
    if not found:
        return None
    chosen = 0 if which == "first" else rng.randrange(len(found))
    rest = "".join(found[:chosen] + found[chosen + 1 :])
    return found[chosen].strip(), rest.strip()
