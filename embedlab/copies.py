"""What two copies of a text have in common."""

import unicodedata


def normalised(text: str) -> str:
    """The form in which two texts are copies of each other: NFKC, casefold, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
