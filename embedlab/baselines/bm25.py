"""BM25: the word-matching score that dense retrieval is measured against (Robertson; Lucene's form)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedlab.counting import unit_of, units
from embedlab.later import Later

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = Later("scipy.sparse")
SATURATION, LENGTH_WEIGHT = 0.9, 0.4  # k1 and b of Anserini, as in BEIR's BM25 rows


class BM25:
    """Scores for retrieval and reranking; it has no vectors."""

    def __init__(self, texts: list[str], words: str | None = None):
        self.documents: list[str] | None = None
        self.index: Any = None  # bm25s' own of these documents; None where none has a word
        self.unit = unit_of(texts)

    def scores(self, queries: list[str], documents: list[str]) -> sparse.csr_matrix:
        """(queries, documents), absent if no word is shared"""
        if self.documents is not documents:
            self._read(documents)
        rows = [self._of(query, len(documents)) for query in queries]
        return sparse.vstack(rows, format="csr") if rows else sparse.csr_matrix((0, len(documents)), dtype=np.float32)

    @property
    def facts(self) -> dict[str, str | float]:
        """The unit counted, and the two constants."""
        return {"counted": self.unit, "k1": SATURATION, "b": LENGTH_WEIGHT}

    def _read(self, documents: list[str]) -> None:
        import bm25s

        self.documents, self.index = documents, None
        tokens = _words(documents)
        if any(tokens):
            self.index = bm25s.BM25(k1=SATURATION, b=LENGTH_WEIGHT, method="lucene")
            self.index.index(tokens, show_progress=False)

    def _of(self, query: str, documents: int) -> sparse.csr_matrix:
        words = _words([query])[0]
        terms = [word for word in words if self.index is not None and word in self.index.vocab_dict]
        if not terms:
            return sparse.csr_matrix((1, documents), dtype=np.float32)
        return sparse.csr_matrix(self.index.get_scores(terms)[None, :])


def _words(texts: list[str]) -> list[list[str]]:
    """Words without the English stop words that the field's tools remove; bigrams for scripts without spaces."""
    from bm25s.stopwords import STOPWORDS_EN

    left_out = frozenset(STOPWORDS_EN)
    return [[word for word in units(text, bigrams_only=True) if word not in left_out] for text in texts]
