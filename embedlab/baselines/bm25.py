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
        import bm25s

        if self.documents is not documents:
            self.documents, self.index = documents, None
            tokens = _words(documents)
            if any(tokens):
                self.index = bm25s.BM25(k1=SATURATION, b=LENGTH_WEIGHT, method="lucene")
                self.index.index(tokens, show_progress=False)
        rows = []
        for words in _words(queries):
            terms = [word for word in words if self.index is not None and word in self.index.vocab_dict]
            row = self.index.get_scores(terms)[None, :] if terms else np.zeros((1, len(documents)), np.float32)
            rows.append(sparse.csr_matrix(row))
        return sparse.vstack(rows, format="csr") if rows else sparse.csr_matrix((0, len(documents)), dtype=np.float32)

    @property
    def facts(self) -> dict[str, str | float]:
        """The unit counted, and the two constants."""
        return {"counted": self.unit, "k1": SATURATION, "b": LENGTH_WEIGHT}


def _words(texts: list[str]) -> list[list[str]]:
    """Words without the English stop words that the field's tools remove; bigrams for scripts without spaces."""
    from bm25s.stopwords import STOPWORDS_EN

    left_out = frozenset(STOPWORDS_EN)
    return [[word for word in units(text, bigrams_only=True) if word not in left_out] for text in texts]
