"""Questions answered by cosines: two texts, phrases as axes, two sentences elongated."""

import numpy as np

from embedlab.diagnostics.length import bench
from embedlab.jobs.questions import give_array
from embedlab.runs.two_texts import between
from embedlab.tasks.questions.sides import distance_of, embedded, is_known, sides_of


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


def length(question: dict) -> dict:
    """``a b copies`` -> the bench of each side."""
    a, b, copies = question["a"], question["b"], question["copies"]
    return {name: bench(side.encoder, a, b, copies) for name, side in sides_of(question).items()}


def two_texts(question: dict) -> dict:
    """``first second``, two rows, and ``distance`` -> for each side what ``between`` says."""
    first, second = question["first"], question["second"]
    distance = distance_of(question)
    return {name: between(side.vectors, first, second, distance) for name, side in sides_of(question).items()}
