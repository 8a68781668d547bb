"""The live points of a run: kNN accuracy and spread on one fixed sample, spaced to take a fifth of the time."""

import math
import time
from dataclasses import dataclass

import numpy as np
import torch

from embedlab.encoders.embed import embed
from embedlab.limits import LIMITS
from embedlab.metrics.knn import knn_accuracy_direct
from embedlab.metrics.split import LiveSample
from embedlab.training.probe import probe_rows
from embedlab.training.ranks import RankJudge
from embedlab.training.spread import SAMPLE, Spread, spread_of


@dataclass(frozen=True)
class LivePoint:
    """Shares of right texts, None without labels; ``development`` (higher is better) chooses the best step."""

    knn: float | None
    standard_error: float | None
    test_texts: int
    development: float | None
    development_texts: int
    spread: Spread

    def as_row(self) -> dict:
        """For metrics.jsonl."""
        return {
            "knn": self.knn,
            "standard_error": self.standard_error,
            "test_texts": self.test_texts,
            "development": self.development,
            "development_texts": self.development_texts,
            "effective_rank": round(self.spread.effective_rank, 2),
            "spread": round(self.spread.std, 4),
            "spread_texts": self.spread.texts,
        }


class LiveCurve:
    """Measures the encoder on the sample and remembers the best step on its development texts."""

    def __init__(
        self,
        *,
        corpus,
        sample: LiveSample | None,
        judge: RankJudge | None = None,
        device: str,
        precision: str = "fp32",
        probe: tuple[int, int] | None = None,
    ):
        """``probe``: how many texts a live map shows, and the seed that draws them; None for no map."""
        if sample is None:  # nothing to compare with labels: the spread alone is watched
            drawn = np.random.default_rng(0).permutation(corpus.kept)[:SAMPLE]
            sample = LiveSample(train=np.sort(drawn), development=drawn[:0], test=drawn[:0])
        rows = np.concatenate([sample.train, sample.development, sample.test])
        self.sample_texts = [corpus.texts[row] for row in rows]
        self.labels = corpus.labels[rows] if corpus.labels is not None else None
        self.ends = np.cumsum([len(sample.train), len(sample.development), len(sample.test)])
        self.watched = np.random.default_rng(0).permutation(len(rows))[:SAMPLE]
        self.probe: np.ndarray | None = None  # (texts,), corpus rows of the live map
        if probe is not None:
            size, seed = probe
            self.probe = probe_rows(corpus, np.sort(rows), size=size, seed=seed)
            further = np.setdiff1d(self.probe, rows)
            self.further_texts = [corpus.texts[row] for row in further]
            place = {row: number for number, row in enumerate([*rows.tolist(), *further.tolist()])}
            self.places = np.array([place[row] for row in self.probe.tolist()], int)  # among sample and further texts
        self.probe_embeddings: np.ndarray | None = None  # (texts, dim), of the newest live point
        self.judge = judge
        self.device, self.precision = device, precision
        self.seconds = 0.0  # the last measurement took so long, its frame of the live map included
        self.best_steps: int | None = None
        self.best_development = -math.inf
        self.points_since_best = 0
        self.best_tensors: dict[str, torch.Tensor] = {}

    @property
    def best_value(self) -> float | None:
        """The best development value so far."""
        return None if self.best_steps is None else self.best_development

    @property
    def can_judge(self) -> bool:
        """Whether there is anything by which a step can be called better."""
        return self.judge is not None or self.ends[1] > self.ends[0]

    def measure(self, encoder) -> LivePoint:
        """kNN accuracy (Euclidean) of the sample's test and development texts among its train texts, and the spread."""
        began = time.perf_counter()
        embeddings = embed(encoder, self.sample_texts, device=self.device, precision=self.precision)  # (texts, dim)
        if self.probe is not None:
            self.probe_embeddings = self._of_probe(encoder, embeddings)
        train, development, test = (slice(a, b) for a, b in zip([0, *self.ends], self.ends, strict=False))
        tested = self._accuracy(embeddings, train, test)
        chosen = self._accuracy(embeddings, train, development)
        better_by = chosen.value if chosen is not None else None
        if self.judge is not None:
            better_by = -self.judge.score(encoder)
        point = LivePoint(
            knn=tested.value if tested is not None else None,
            standard_error=tested.standard_error if tested is not None else None,
            test_texts=tested.test_texts if tested is not None else 0,
            development=better_by,
            development_texts=chosen.test_texts if chosen is not None else 0,
            spread=spread_of(embeddings[self.watched]),
        )
        self.seconds = time.perf_counter() - began
        return point

    def _of_probe(self, encoder, embeddings: np.ndarray) -> np.ndarray:
        """What was embedded is taken from there; further texts in a call of their own, which changes no live point."""
        if self.further_texts:
            further = embed(encoder, self.further_texts, device=self.device, precision=self.precision)
            embeddings = np.concatenate([embeddings, further])
        return embeddings[self.places]

    def remember(self, encoder, point: LivePoint, *, steps: int) -> bool:
        """Keep these weights if the development texts like them better than all before (ties: the earlier step)."""
        if point.development is None or not point.development > self.best_development:
            self.points_since_best += 1
            return False
        self.best_development, self.best_steps, self.points_since_best = point.development, steps, 0
        self.best_tensors = {k: v.detach().cpu().clone() for k, v in encoder.state_dict().items()}
        return True

    def steps_between(self, seconds_per_step: float) -> int:
        """Steps to wait so that measuring takes at most a fifth of the time."""
        share = LIMITS.live_share_of_time
        return max(1, math.ceil(self.seconds * (1 - share) / share / max(seconds_per_step, 1e-6)))

    def _accuracy(self, embeddings: np.ndarray, train: slice, test: slice):
        """None where nothing is to be tested."""
        if test.start == test.stop:
            return None
        return knn_accuracy_direct(
            train=embeddings[train],
            train_labels=self.labels[train],
            test=embeddings[test],
            test_labels=self.labels[test],
        )
