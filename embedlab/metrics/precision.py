"""Average precision with weights: scikit-learn's step-wise sum, fast enough for two thousand resamples."""

import numpy as np


class AveragePrecision:
    """Sorted once; ``of(weights)`` then costs one pass.  similarities: (n,), -inf: never found; positive: (n,) bool

    1 when every positive comes first, about the share of positives by chance, 0 when none is found.
    """

    def __init__(self, *, similarities: np.ndarray, positive: np.ndarray):
        self.order = np.argsort(-similarities, kind="stable")
        falling = similarities[self.order]
        ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)[: len(falling)])
        self.ends = ends[falling[ends] > -np.inf]  # equal similarities count as one step
        self.positive = np.asarray(positive, bool)[self.order]

    def of(self, weights: np.ndarray | None = None) -> float:
        """Σ (Rₙ − Rₙ₋₁) Pₙ over the steps, unit i taken weights[i] times; NaN without a positive."""
        taken = np.ones(len(self.order)) if weights is None else weights[self.order]
        positives = (taken * self.positive).sum()
        if positives == 0:
            return float("nan")
        hits = np.cumsum(taken * self.positive)[self.ends]
        seen = np.cumsum(taken)[self.ends]
        return float((np.diff(hits, prepend=0) * hits / np.maximum(seen, 1)).sum() / positives)
