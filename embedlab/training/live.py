"""The live points of a run: kNN accuracy and spread of the same texts throughout, in a fifth of the time."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from embedlab.augmentations.crop import CropConfig, crops
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.encoders.embed import embed_tokens, tokenize
from embedlab.limits import LIMITS
from embedlab.measurement import ByDistance, Measurement, as_row
from embedlab.metrics.knn import K, others_of
from embedlab.metrics.shares import by_share
from embedlab.metrics.split import LiveTexts, Split
from embedlab.metrics.votes import knn_result, measured_share
from embedlab.neighbors import nearest_by_both
from embedlab.statistics.geometry import alignment
from embedlab.training.step_vectors import TextVectors
from embedlab.training.watchdog import SAMPLE, Spread, geometry_of, spread_of
from embedlab.vectors.exact import usable

if TYPE_CHECKING:
    from embedlab.corpora.base import Corpus
    from embedlab.encoders.encoder import Encoder

CHOSEN_BY = SHOWN_FIRST  # the distance by which development texts choose the best step
CROPPED = 64  # texts of which two crops are compared
LEAST_POINTS = 8  # a curve of the whole protocol has at least so many points between first and last, else a sample
LEAST_TEXTS = 200  # of a sample that is made smaller so that there are as many points
STEP_TO_EMBED = 3  # a training step does about three times the work of reading its tokens: forward, backward


class Judge(Protocol):
    """What compares steps where development accuracy does not."""

    def score(self, encoder: Encoder) -> float:
        """The score; higher is better."""


@dataclass(frozen=True)
class LivePoint:
    """Shares of right texts with their standard errors, by each distance, for test and development texts.

    None without labels; ``score`` (higher is better) chooses the best step and is None where nothing can.
    """

    spread: Spread
    score: float | None = None
    test_texts: int = 0
    development_texts: int = 0
    geometry: dict[str, float | None] = field(default_factory=dict)
    test: ByDistance[Measurement] | None = None
    development: ByDistance[Measurement] | None = None

    def as_row(self) -> dict[str, Any]:
        """A row of metrics.jsonl: ``knn`` on test texts, ``development`` the score, ``development_knn`` on development
        texts.
        """
        return {
            "test_texts": self.test_texts,
            "development": self.score,
            "development_texts": self.development_texts,
            "knn": as_row(self.test),
            "development_knn": as_row(self.development),
            "effective_rank": round(self.spread.effective_rank, 2),
            "spread": round(self.spread.std, 4),
            "spread_texts": self.spread.texts,
            **self.geometry,
        }


class LiveCurve:
    """Measures an encoder on the live texts."""

    def __init__(
        self,
        *,
        corpus: Corpus,
        texts: LiveTexts | None,
        device: str,
        probe: tuple[int, int] | None = None,
        tokens: Sequence[Sequence[int]] | None = None,
    ):
        """``probe``: how many texts a live map shows, and the seed that draws them; None for no map.

        ``tokens`` of the live texts, where another curve over the same texts has them already.
        """
        self.live = texts
        # without labels there is nothing to compare: the spread alone is watched
        rows = texts.rows if texts is not None else np.sort(np.random.default_rng(0).permutation(corpus.kept)[:SAMPLE])
        self.rows = rows
        self.texts = [corpus.texts[row] for row in rows]
        if texts is not None:
            position_of = {row: number for number, row in enumerate(rows.tolist())}
            queries = np.concatenate([texts.test, texts.development])
            train, query_positions = (
                np.array([position_of[row] for row in part.tolist()], int) for part in (texts.neighbors, queries)
            )
            copies = None if texts.copies is None else texts.copies[rows]
            self.asked = Split(train=train, test=query_positions, protocol="live", copies=copies)
            assert corpus.labels is not None, "live texts of a corpus without labels"
            self.labels = corpus.labels[rows]
        self.tokens = tokens
        self.crop_tokens: Sequence[Sequence[int]] | None = None  # first the ones, then the others
        self.watched = np.random.default_rng(0).permutation(len(rows))[:SAMPLE]
        self.probe: np.ndarray | None = None  # (texts,), corpus rows of the live map
        self.further_rows = np.empty(0, int)  # of the live map alone
        self.further_texts: list[str] = []
        self.further_tokens: Sequence[Sequence[int]] | None = None
        if probe is not None:
            size, seed = probe
            self.probe = probe_rows(corpus, rows, size=size, seed=seed)
            self.further_rows = np.setdiff1d(self.probe, rows)
            self.further_texts = [corpus.texts[row] for row in self.further_rows]
            position_of = {row: number for number, row in enumerate([*rows.tolist(), *self.further_rows.tolist()])}
            # among live and further texts
            self.places = np.array([position_of[row] for row in self.probe.tolist()], int)
        self.all_rows = np.union1d(self.rows, self.further_rows)  # whose vectors a live point needs
        self.newest: TextVectors | None = None  # of the live texts, at the newest live point
        self.probe_embeddings: np.ndarray | None = None  # (texts, dim), of the newest live point
        self.device = device
        self.seconds = 0.0  # the last measurement took so long

    def measure(self, encoder: Encoder, stored: TextVectors | None = None) -> LivePoint:
        """kNN accuracy of the test and development texts among the same neighbors, and the spread.

        ``stored``: this encoder's vectors of ``all_rows``, if they exist already.
        """
        began = time.perf_counter()
        embeddings = self._embedded_texts(encoder) if stored is None else stored.at(self.rows)
        self.newest = TextVectors(embeddings, self.rows)
        if self.probe is not None:
            self.probe_embeddings = self._of_probe(encoder, embeddings, stored)
        geometry = geometry_of(embeddings[self.watched]) | {"alignment": self._alignment(encoder)}
        point = replace(self._judged(embeddings), geometry=geometry)
        self.seconds = time.perf_counter() - began
        return point

    def reads(self, split: Split | None) -> bool:
        """Whether a live point has all vectors that this split tests or searches."""
        return split is None or bool(np.isin(np.union1d(split.train, split.test), self.rows).all())

    def accuracy(self, encoder: Encoder) -> LivePoint:
        """kNN accuracy alone, on test and development texts."""
        return self._judged(self._embedded_texts(encoder))

    def _alignment(self, encoder: Encoder) -> float | None:
        """Mean squared distance between two fixed crops, over a few texts; None if no text has two."""
        if self.crop_tokens is None:
            rng = random.Random(0)
            cropped = (crops(self.texts[position], CropConfig()) for position in self.watched)
            pairs = [rng.sample(pieces, 2) for pieces in cropped if len(pieces) > 1][:CROPPED]
            self.crop_tokens = tokenize(encoder, [side for pair in zip(*pairs, strict=True) for side in pair])
        if not self.crop_tokens:
            return None
        one, other = np.split(self._embedded(encoder, self.crop_tokens), 2)
        has_direction = (np.linalg.norm(one, axis=1) > 0) & (np.linalg.norm(other, axis=1) > 0)
        return round(alignment(one[has_direction], other[has_direction]), 4) if has_direction.any() else None

    def _judged(self, embeddings: np.ndarray) -> LivePoint:
        spread = spread_of(embeddings[self.watched])
        if self.live is None:
            return LivePoint(spread)
        good, tested = usable(embeddings), len(self.live.test)
        train, queries = self.asked.train, self.asked.test
        by_distance = nearest_by_both(
            queries=embeddings[queries], base=embeddings[train], k=K + self.most_copies, device=self.device
        )
        parts: dict[Distance, tuple[np.ndarray, np.ndarray]] = {}
        for distance, near in by_distance.items():
            neighbors = np.where(near >= 0, train[near], -1)
            if self.asked.copies is not None:
                neighbors = others_of(neighbors, queries, self.asked.copies, K)
            judged = knn_result(
                neighbors=neighbors, labels=self.labels, split=self.asked, good=good, k=K, distance=distance
            )
            parts[distance] = (judged.correct[:tested], judged.correct[tested:])

        def shares(part: int) -> ByDistance[Measurement] | None:
            is_there = len(parts[CHOSEN_BY][part]) > 0
            return ByDistance.of(lambda distance: measured_share(parts[distance][part])) if is_there else None

        test, development = shares(0), shares(1)
        score = None if development is None else development.by(CHOSEN_BY).value
        return LivePoint(spread, score, tested, len(self.live.development), test=test, development=development)

    @cached_property
    def most_copies(self) -> int:
        """How many neighbors of one query may be itself or its copies."""
        if self.asked.copies is None or not len(self.asked.test):
            return 0
        among = np.bincount(self.asked.copies[self.asked.train], minlength=self.asked.copies.max() + 1)
        return int(among[self.asked.copies[self.asked.test]].max())

    def _embedded_texts(self, encoder: Encoder) -> np.ndarray:
        """Embeddings of the live texts, which are tokenized once. -> (texts, dim)"""
        if self.tokens is None:
            self.tokens = tokenize(encoder, self.texts)
        return self._embedded(encoder, self.tokens)

    def _embedded(self, encoder: Encoder, token_lists: Sequence[Sequence[int]]) -> np.ndarray:
        return embed_tokens(encoder, token_lists, device=self.device)

    def _of_probe(self, encoder: Encoder, embeddings: np.ndarray, stored: TextVectors | None) -> np.ndarray:
        """Embeddings of the probe texts, reusing those of the live texts; others are embedded separately, so live
        points do not change.
        """
        if self.further_texts:
            embeddings = np.concatenate([embeddings, self._of_further(encoder, stored)])
        return embeddings[self.places]

    def _of_further(self, encoder: Encoder, stored: TextVectors | None) -> np.ndarray:
        """Embeddings of the probe texts that are no live texts. -> (texts, dim)"""
        if stored is not None:
            return stored.at(self.further_rows)
        if self.further_tokens is None:
            self.further_tokens = tokenize(encoder, self.further_texts)
        return self._embedded(encoder, self.further_tokens)


def mean_tokens(encoder: Encoder, texts: list[str]) -> float:
    """The mean number of tokens per text, over a sample of some 256."""
    chosen = texts[:: max(1, len(texts) // 256)]
    return sum(map(len, encoder.tokenize(chosen))) / max(len(chosen), 1)


def fits_in_its_share(*, of_point: float, of_training: float) -> bool:
    """Whether a curve of ``LEAST_POINTS`` points takes at most its share of the time; both in the same unit."""
    share_of_time = LIMITS.live_share_of_time
    return LEAST_POINTS * of_point <= of_training * share_of_time / (1 - share_of_time)


def texts_in_their_share(*, of_text: float, of_training: float) -> int:
    """How many texts of this length ``LEAST_POINTS`` points may read in their share of the time, but ``LEAST_TEXTS``
    at least; both in the same unit.
    """
    share_of_time = LIMITS.live_share_of_time
    paid_for = of_training * share_of_time / (1 - share_of_time)
    return max(LEAST_TEXTS, int(paid_for / (LEAST_POINTS * max(of_text, 1e-9))))


def probe_rows(corpus: Corpus, sampled: np.ndarray, *, size: int, seed: int) -> np.ndarray:
    """At most ``size`` non-empty rows: from ``sampled`` if it has enough, otherwise all of these and further ones.

    sampled: (rows,) -> (texts,), in file order
    """
    rng = np.random.default_rng(seed)
    if len(sampled) >= size:
        return np.sort(by_share(sampled, corpus.labels, size, rng))
    further = by_share(np.setdiff1d(corpus.kept, sampled), corpus.labels, size - len(sampled), rng)
    return np.sort(np.concatenate([sampled, further]).astype(np.int64))
