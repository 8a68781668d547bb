"""What two copies of a text have in common."""

import unicodedata
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

_DIGEST_BYTES = 16  # of a billion texts two different ones share a number with a chance of 1.5e-21


def normalised(text: str) -> str:
    """The form in which two texts are copies of each other: NFKC, casefold, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def numbered_copies(texts: Iterable[str]) -> np.ndarray:
    """One number for each different text, in the order of their first rows, so that copies have the same.

    -> (rows,) int
    """
    digests = bytearray()
    for text in texts:
        digests += copy_digest(text)
    return numbered_digests(digests)


def copy_digest(text: str) -> bytes:
    """Sixteen bytes that copies of a text share and no other texts do."""
    return blake2b(normalised(text).encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def numbered_digests(digests: bytes | bytearray) -> np.ndarray:
    """``numbered_copies`` of texts that are digests already, sixteen bytes each.  -> (rows,) int"""
    keys = np.frombuffer(digests, np.uint64).reshape(-1, 2)
    order = np.lexsort(keys.T)  # stable: of equal ones the first row comes first
    begins = np.ones(len(keys), bool)
    begins[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    first = order[begins]  # (different,), the first row of each
    rank = np.empty(len(first), int)
    rank[np.argsort(first)] = np.arange(len(first))
    numbers = np.empty(len(keys), int)
    numbers[order] = rank[np.cumsum(begins) - 1]
    return numbers
