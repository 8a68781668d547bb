"""What a baseline is: fitted on texts without labels, it turns any texts into rows, or scores documents for queries."""

from typing import Protocol


class Baseline(Protocol):
    """One that ``baseline_methods`` lists. ``words`` names a file of word vectors; those that need it read it."""

    def __init__(self, texts: list[str], words: str | None = None):
        """Fitted on all the texts there are, as training is (label-free)."""

    def embed(self, texts: list[str]):
        """Rows, dense float32 or sparse, zero for a text without a known word.  -> (texts, dim)"""

    def scores(self, queries: list[str], documents: list[str]):
        """How well each document answers each query, where there are no vectors.  -> (queries, documents) sparse"""

    @property
    def facts(self) -> dict:
        """What belongs beside its values: dimensions, words known."""
