"""What a baseline is: fitted on texts without labels, it turns any texts into rows, or scores documents for queries."""

from typing import ClassVar, Protocol


class Baseline(Protocol):
    """Registered in ``BASELINES``. ``words`` names a file of word vectors; only ``needs_words`` baselines read it."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    needs_words: ClassVar[bool]
    gives_vectors: ClassVar[bool]  # False: scores for retrieval and reranking only

    def __init__(self, texts: list[str], words: str | None = None):
        """Fitted on all the texts there are, as training is (label-free)."""

    def embed(self, texts: list[str]):
        """Rows, dense float32 or sparse, zero for a text without a known word.  -> (texts, dim)"""

    def scores(self, queries: list[str], documents: list[str]):
        """How well each document answers each query, where there are no vectors.  -> (queries, documents) sparse"""

    @property
    def facts(self) -> dict:
        """What belongs beside its values: dimensions, words known."""
