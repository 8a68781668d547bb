"""The texts that an encoder is made of, and the key that stands for these very texts."""

import hashlib
from dataclasses import dataclass

import numpy as np

from embedlab.errors import EncoderError


@dataclass(frozen=True)
class SourceTexts:
    """``rows`` of a corpus, in file order; ``key`` is never that of other rows or another corpus."""

    corpus: object
    rows: np.ndarray  # (texts,)
    key: str

    @classmethod
    def of(cls, reference: str, corpus, rows: np.ndarray | None) -> "SourceTexts":
        """All kept texts of a corpus, or these rows of it; refused where there is no corpus."""
        if corpus is None:
            raise EncoderError(
                "E-NEEDS-CORPUS",
                f"Encoder {reference!r} is made of the texts of a corpus, but none is given. "
                "Name one (--corpus docs), or take another encoder's vocabulary and random weights (token:minilm).",
            )
        key = corpus.info.fingerprint
        if rows is None or np.array_equal(np.sort(rows), corpus.kept):
            return cls(corpus, corpus.kept, key)
        rows = np.sort(np.asarray(rows, dtype=np.int64))
        return cls(corpus, rows, f"{key}-{hashlib.sha256(rows.tobytes()).hexdigest()[:16]}")

    @property
    def texts(self):
        """All of them."""
        return self.corpus.texts.at(self.rows)

    def distinct(self, most: int, *, seed: int) -> list[str]:
        """Each different text once, so that what stands there a hundred times counts once; of very many, some."""
        rows = self.rows[np.unique(self.corpus.copies[self.rows], return_index=True)[1]]
        if len(rows) > most:
            rows = np.random.default_rng(seed).choice(rows, most, replace=False)
        return list(self.corpus.texts.at(np.sort(rows)))
