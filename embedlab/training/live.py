"""The live points of a run: kNN accuracy on one fixed sample, spaced so that measuring takes a fifth of the time."""

import math
import time
from dataclasses import dataclass

import numpy as np
import torch

from embedlab.encoders.embed import embed
from embedlab.limits import LIMITS
from embedlab.metrics.knn import knn_accuracy_direct
from embedlab.metrics.split import LiveSample


@dataclass(frozen=True)
class LivePoint:
    """Shares of right texts; ``development`` is what the best step is chosen by, ``knn`` is only looked at."""

    knn: float
    standard_error: float
    test_texts: int
    development: float | None
    development_texts: int


class LiveCurve:
    """Measures the encoder on the sample and remembers the best step on its development texts."""

    def __init__(
        self, *, texts: list[str], labels: np.ndarray, sample: LiveSample, device: str, precision: str = "fp32"
    ):
        self.rows = np.concatenate([sample.train, sample.development, sample.test])
        self.sample_texts = [texts[row] for row in self.rows]
        self.labels = labels[self.rows]
        self.ends = np.cumsum([len(sample.train), len(sample.development), len(sample.test)])
        self.device, self.precision = device, precision
        self.seconds = 0.0  # the last measurement took so long
        self.best_steps: int | None = None
        self.best_development = -1.0
        self.best_tensors: dict[str, torch.Tensor] = {}

    def measure(self, encoder) -> LivePoint:
        """kNN accuracy (Euclidean) of the sample's test and development texts among its train texts."""
        began = time.perf_counter()
        embeddings = embed(encoder, self.sample_texts, device=self.device, precision=self.precision)  # (texts, dim)
        train, development, test = (slice(a, b) for a, b in zip([0, *self.ends], self.ends, strict=False))
        tested = self._accuracy(embeddings, train, test)
        chosen = self._accuracy(embeddings, train, development)
        self.seconds = time.perf_counter() - began
        return LivePoint(
            knn=tested.value,
            standard_error=tested.standard_error,
            test_texts=tested.test_texts,
            development=chosen.value if chosen.test_texts else None,
            development_texts=chosen.test_texts,
        )

    def remember(self, encoder, point: LivePoint, *, steps: int) -> bool:
        """Keep these weights if the development texts like them better than all before (ties: the earlier step)."""
        if point.development is None or point.development <= self.best_development:
            return False
        self.best_development, self.best_steps = point.development, steps
        self.best_tensors = {k: v.detach().cpu().clone() for k, v in encoder.state_dict().items()}
        return True

    def steps_between(self, seconds_per_step: float) -> int:
        """Steps to wait so that measuring takes at most a fifth of the time."""
        share = LIMITS.live_share_of_time
        return max(1, math.ceil(self.seconds * (1 - share) / share / max(seconds_per_step, 1e-6)))

    def _accuracy(self, embeddings: np.ndarray, train: slice, test: slice):
        return knn_accuracy_direct(
            train=embeddings[train],
            train_labels=self.labels[train],
            test=embeddings[test],
            test_labels=self.labels[test],
        )
