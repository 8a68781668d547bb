"""The cosine of every text to two typed phrases, on both sides."""

import numpy as np

from embedlab.runs.ask import give_array
from embedlab.tasks.questions.sides import embedded, is_known, sides_of


def axes(question: dict) -> dict:
    """``phrases``, two of them -> ``array``: a file of (sides, phrases, rows) float32; ``known``: per side and phrase.

    Not a number: a text (or a phrase) without a vector.
    """
    phrases, found, known = question["phrases"], [], {}
    for name, side in sides_of(question).items():
        encoder = side.encoder
        known[name] = [is_known(encoder, phrase) for phrase in phrases]
        found.append(side.vectors.cosines(embedded(encoder, phrases)))
    return {"array": give_array(np.asarray(found, np.float32)), "known": known}
