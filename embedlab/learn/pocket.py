"""The pocket encoder in NumPy: one vector per word, mean pooling, InfoNCE, Adam; ``browser/pocket.js`` mirrors it.

Both draw from one generator in one order and keep float32, so a first step agrees to the last digits. ``exp`` may
differ in its last digit between machines: after 300 steps accuracies agree to a point or two.
"""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.learn.pocket_corpus import PocketCorpus
from embedlab.metrics.votes import majority
from embedlab.statistics.geometry import mean_cosine
from embedlab.vectors.exact import Matrix, nearest_rows

DIM = 64
LEARNING_RATE, WARMUP, BETA, BETA_SQUARE, EPSILON = 0.1, 0.1, 0.9, 0.999, 1e-8
NEIGHBORS = 10
DROPPED = 0.1
View = Literal["sentences", "halves", "dropped words", "same", "strangers"]
VIEWS: tuple[View, ...] = get_args(View)


class PocketConfig(Config):
    """What a lesson may set; names match the page's controls."""

    views: View = Field("sentences", description="What counts as the same text.")
    negatives: bool = Field(True, description="Push other texts away, or only pull pairs together.")
    temperature: float = Field(
        0.05, ge=0.001, le=100, description="Smaller values weight the closest other texts more."
    )
    batch: int = Field(64, ge=2, le=512, description="Texts per step.")
    steps: int = Field(300, ge=1, le=5000, description="Steps of training.")
    texts: int | None = Field(None, ge=2, le=100_000, description="Total texts read, instead of steps.")

    @property
    def total(self) -> int:
        """The total number of steps."""
        return self.steps if self.texts is None else -(-self.texts // self.batch)


class Uniform:
    """mulberry32: numbers in [0, 1), identical in Python and in a browser."""

    def __init__(self, seed: int):
        self.seed, self.drawn = seed, 0

    def take(self, count: int) -> np.ndarray:
        """The next numbers.  -> (count,) float64"""
        places = np.arange(self.drawn + 1, self.drawn + count + 1, dtype=np.uint64)
        self.drawn += count
        a = (np.uint64(self.seed) + places * np.uint64(0x6D2B79F5)).astype(np.uint32)
        t = (a ^ (a >> np.uint32(15))) * (a | np.uint32(1))
        t = (t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61))) ^ t
        return (t ^ (t >> np.uint32(14))) / 4294967296.0


Pair = tuple[np.ndarray, np.ndarray]  # the word numbers of both views of a text, at least one each


def means_of(texts: Sequence[np.ndarray], vocabulary: int) -> Matrix:
    """What makes of word vectors the mean of each text, given as word numbers. -> (texts, words) float32"""
    from scipy.sparse import csr_matrix

    sizes = np.array([len(text) for text in texts])
    shares = np.repeat(1 / sizes, sizes).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return csr_matrix((shares, np.concatenate(texts), starts), shape=(len(texts), vocabulary))


class Pocket:
    """The encoder in training: its table of word vectors, and Adam's two moments of it."""

    def __init__(self, corpus: PocketCorpus, config: PocketConfig, seed: int = 0):
        self.corpus, self.config, self.step = corpus, config, 0
        self.random = Uniform(seed)
        u = self.random.take(2 * ((len(corpus.words) * DIM + 1) // 2)).reshape(-1, 2)
        radius, angle = np.sqrt(-2 * np.log(1 - u[:, 0])), 2 * np.pi * u[:, 1]  # Box and Muller
        normal = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]).ravel()
        self.table = normal[: len(corpus.words) * DIM].reshape(-1, DIM).astype(np.float32)
        self.first, self.second = np.zeros_like(self.table), np.zeros_like(self.table)
        self.order, self.at = np.empty(0, int), 0
        self.losses: list[float] = []

    def train(self, steps: int | None = None) -> "Pocket":
        """Train for this many further steps, by default to the end."""
        for _ in range(self.config.total - self.step if steps is None else steps):
            loss, gradient, touched = self.gradient(self.next_pairs())
            self.losses.append(loss)
            self.adam(gradient, touched)
        return self

    def next_pairs(self) -> list[Pair]:
        """Two views of each text of the next batch; the order is reshuffled when fewer than a batch are left."""
        batch = min(self.config.batch, len(self.corpus.texts))
        if self.at + batch > len(self.order):
            self.order, self.at = np.argsort(self.random.take(len(self.corpus.texts)), kind="stable"), 0
        self.at += batch
        return [self.view_pair(text) for text in self.order[self.at - batch : self.at].tolist()]

    def view_pair(self, text: int) -> Pair:
        """Two views of one text, as configured."""
        kind, texts = self.config.views, self.corpus.texts
        parts, whole = texts[text], self.corpus.whole[text]
        if kind == "sentences":
            u = self.random.take(2)
            first, second = int(u[0] * len(parts)), int(u[1] * (len(parts) - 1))
            return parts[first], parts[second + (second >= first)]
        if kind == "strangers":
            u = self.random.take(3)
            other = texts[int(u[1] * len(texts))]
            return parts[int(u[0] * len(parts))], other[int(u[2] * len(other))]
        if kind == "halves":
            middle = (len(whole) + 1) // 2
            return whole[:middle], whole[middle:]
        if kind == "dropped words":
            return self.dropped(whole), self.dropped(whole)
        return whole, whole

    def dropped(self, words: np.ndarray) -> np.ndarray:
        """About nine in ten of the words, at least one."""
        remaining = words[self.random.take(len(words)) >= DROPPED]
        return remaining if len(remaining) else words[:1]

    def gradient(self, pairs: Sequence[Pair]) -> tuple[float, np.ndarray, np.ndarray]:
        """Loss, and its gradient for the words that were read. -> (), (touched, dim), (touched,) word numbers"""
        from scipy.special import softmax

        means_a, means_p = (means_of(each, len(self.table)) for each in zip(*pairs, strict=True))
        (a, length_a), (p, length_p) = (_unit(means @ self.table) for means in (means_a, means_p))
        heat = np.float32(self.config.temperature)
        if self.config.negatives:
            shares = softmax(a @ p.T / heat, axis=1)  # (batch, batch)
            matching = np.maximum(np.diagonal(shares), np.finfo(np.float32).tiny)
            loss = float(-np.log(matching).mean())
            shares = (shares - np.eye(len(a), dtype=np.float32)) / np.float32(len(a)) / heat
            by_a, by_p = shares @ p, shares.T @ a
        else:
            loss = float((1 - (a * p).sum(axis=1)).mean() / heat)
            by_a, by_p = -p / np.float32(len(a)) / heat, -a / np.float32(len(a)) / heat
        by_a = (by_a - a * (a * by_a).sum(axis=1, keepdims=True)) / length_a
        by_p = (by_p - p * (p * by_p).sum(axis=1, keepdims=True)) / length_p
        touched = np.unique(np.concatenate([means_a.indices, means_p.indices]))
        return loss, (means_a.T @ by_a + means_p.T @ by_p)[touched], touched

    def adam(self, gradient: np.ndarray, touched: np.ndarray) -> None:
        """One Adam step on the rows that were read; the rate warms up for a tenth of the steps, then decays to 0."""
        self.step += 1
        self.first[touched] = BETA * self.first[touched] + (1 - BETA) * gradient
        self.second[touched] = BETA_SQUARE * self.second[touched] + (1 - BETA_SQUARE) * gradient**2
        rate = learning_rate(self.step, self.config.total)
        mean = self.first[touched] / (1 - BETA**self.step)
        spread = np.sqrt(self.second[touched] / (1 - BETA_SQUARE**self.step))
        self.table[touched] -= (rate * mean / (spread + EPSILON)).astype(np.float32)

    def embeddings(self) -> np.ndarray:
        """Unit-length embeddings of all texts. -> (texts, dim)"""
        return _unit(means_of(self.corpus.whole, len(self.table)) @ self.table)[0]

    def accuracy(self) -> float:
        """kNN accuracy of the test texts among the others by cosine, a share."""
        return accuracy(self.embeddings(), self.corpus)

    def mean_cosine(self) -> float:
        """The mean cosine over all pairs of different texts."""
        return mean_cosine(self.embeddings())


def learning_rate(step: int, total: int) -> float:
    """The rate of this step, counted from 1."""
    share = (step - 1) / total
    return LEARNING_RATE * min((share + 1 / total) / WARMUP, (1 - share) / (1 - WARMUP), 1.0)


def accuracy(embeddings: Matrix, corpus: PocketCorpus) -> float:
    """The share of test texts whose class is predicted by their ten nearest train texts; ties go to the first class.

    embeddings: (texts, dim), dense or sparse
    """
    test, train = corpus.is_test, ~corpus.is_test
    nearest, _ = nearest_rows(queries=embeddings[test], base=embeddings[train], k=NEIGHBORS, distance="cosine")
    return float((majority(nearest, corpus.labels[train]) == corpus.labels[test]).mean())


def _unit(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows normalised to length one, and their former lengths. (rows, dim) -> (rows, dim), (rows, 1)"""
    lengths = np.maximum(np.sqrt((rows**2).sum(axis=1, keepdims=True)), np.float32(1e-12))
    return rows / lengths, lengths
