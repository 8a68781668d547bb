"""How well held-out summaries find each other and their text: SemCSE's validation ranks (A.3, section 5.1)."""

import numpy as np

from embedlab.encoders.embed import embed

HELD_OUT = 900  # texts in the paper; at most a tenth of those with two summaries here


def held_out_rows(summaries, rows, *, seed: int) -> np.ndarray:
    """Rows with two different summaries that are kept out of training, at most ``HELD_OUT`` and a tenth of them."""
    able = [row for row in rows if len(set(filter(None, summaries[row] or ()))) > 1]
    size = min(HELD_OUT, len(able) // 10)
    return np.sort(np.random.default_rng(seed).choice(np.asarray(able, dtype=np.int64), size, replace=False))


def rank_of_own(queries: np.ndarray, candidates: np.ndarray) -> float:
    """Mean rank, from 1, of each query's own candidate by Euclidean distance; ties get their mean rank.

    (n, dim), (n, dim) -> 1 when every query finds its own first, (n + 1) / 2 when nothing is told apart.
    """
    squared = (queries**2).sum(1)[:, None] + (candidates**2).sum(1)[None] - 2 * queries @ candidates.T  # (n, n)
    own = np.diag(squared)[:, None]
    tolerance = 1e-6 * np.maximum(1.0, np.abs(own))
    nearer = (squared < own - tolerance).sum(1)
    tied = (np.abs(squared - own) <= tolerance).sum(1)  # itself included
    return float((nearer + (tied + 1) / 2).mean())


class RankJudge:
    """Two evaluations: summary to summary, and the mean of two summaries to title and text; their mean (A.3)."""

    def __init__(self, corpus, rows: np.ndarray, *, device: str):
        pairs = [list(dict.fromkeys(filter(None, corpus.summaries[row])))[:2] for row in rows]
        titles = corpus.titles if corpus.titles is not None else [""] * len(corpus.texts)
        whole = [f"{titles[row] or ''} {corpus.texts[row]}".strip() for row in rows]
        self.texts = [first for first, _ in pairs] + [second for _, second in pairs] + whole
        self.device = device

    def score(self, encoder) -> float:
        """How good it is, more is better: the mean rank of both evaluations, negative."""
        return -self.mean_rank(encoder)

    def mean_rank(self, encoder) -> float:
        """Mean rank of both evaluations; 1 is best."""
        embeddings = embed(encoder, self.texts, device=self.device).astype(np.float64)
        first, second, whole = np.split(embeddings, 3)  # (n, dim) each
        return (rank_of_own(first, second) + rank_of_own((first + second) / 2, whole)) / 2
