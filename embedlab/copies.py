"""What two copies of a text have in common."""

import unicodedata

import numpy as np


def normalised(text: str) -> str:
    """The form in which two texts are copies of each other: NFKC, casefold, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def numbered_copies(texts: list[str]) -> np.ndarray:
    """One number for each different text, so that copies have the same.  -> (rows,) int"""
    numbers: dict[str, int] = {}
    return np.fromiter((numbers.setdefault(normalised(text), len(numbers)) for text in texts), int, len(texts))
