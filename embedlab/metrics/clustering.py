"""Clustering: how well k-means finds the classes, as V-measure and adjusted Rand index over ten seeds (MTEB's rule).

k-means is scikit-learn's. Its ``v_measure_score`` gives the same values, but takes no weights: a resample of 10,000
texts and ten seeds would take a hundred times the time.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import Labelled, Metric, MetricResult, Units, paired
from embedlab.metrics.split import labelled_rows
from embedlab.statistics.intervals import LEVEL, paired_bootstrap
from embedlab.vectors.exact import usable

SEEDS = 10
BATCH = 500


class Clustering(Metric):
    """k-means with one cluster per class over all labelled texts; nothing is trained, so nothing is held out."""

    key = "clustering"
    title = "Clustering V-measure"
    sentence = "How well k-means with as many clusters as classes finds the classes."
    paper = "crops"
    reads = Labelled

    @staticmethod
    def measure(material: Labelled) -> MetricResult:
        """1 for the classes themselves, 0 for a single cluster; mean over ten seeds, with its sd and the ARI.

        Zero and non-finite vectors are not clustered; they count as lying in the largest cluster.
        """
        rows, classes = _classes(material)
        embeddings, count = material.embeddings[rows], classes.max() + 1
        clusters = _clusters(embeddings, count)
        tables = _Tables(classes, clusters).of(np.ones(len(rows)))
        v, ari = v_measure(tables), adjusted_rand(tables)
        facts = {
            "ari": float(ari.mean()),
            "ari_sd": float(ari.std(ddof=1)),
            "classes": int(count),
            "seeds": SEEDS,
            "zero_vectors": int((~usable(embeddings)).sum()),
        }
        units = {"rows": rows, "classes": classes, "clusters": clusters}
        sd = float(v.std(ddof=1))
        return MetricResult(value=float(v.mean()), error=sd, spread="sd", n=len(rows), facts=facts, units=units)

    @staticmethod
    def difference(*, before: Units, after: Units, level: float = LEVEL) -> Difference:
        """The change of V-measure by the paired bootstrap over the texts; the clusters are not recomputed."""
        classes, _ = paired(before, after, "classes")
        one, other = (_Tables(classes, clusters) for clusters in paired(before, after, "clusters"))

        def both(weights: np.ndarray) -> tuple[float, float]:
            return float(v_measure(one.of(weights)).mean()), float(v_measure(other.of(weights)).mean())

        return paired_bootstrap(both, len(classes), level=level)


def v_measure(tables: np.ndarray) -> np.ndarray:
    """Harmonic mean of homogeneity and completeness, 1 for one class in one cluster.  (…, classes, clusters) -> (…)"""
    by_class, by_cluster = _entropy(tables.sum(axis=-1)), _entropy(tables.sum(axis=-2))
    shared = by_class + by_cluster - _entropy(tables.reshape(*tables.shape[:-2], -1))
    apart = by_class + by_cluster
    return np.where(apart > 0, np.clip(2 * shared / np.where(apart > 0, apart, 1), 0, 1), 1.0)


def adjusted_rand(tables: np.ndarray) -> np.ndarray:
    """Pairs treated alike, corrected for chance: 1 perfect, about 0 at random.  (…, classes, clusters) -> (…)"""
    n = tables.sum(axis=(-2, -1))
    together = (tables**2).sum(axis=(-2, -1)) - n
    by_class = (tables.sum(axis=-1) ** 2).sum(axis=-1) - n
    by_cluster = (tables.sum(axis=-2) ** 2).sum(axis=-1) - n
    expected, most = by_class * by_cluster / (n * (n - 1)), (by_class + by_cluster) / 2
    return np.where(most == expected, 1.0, (together - expected) / np.where(most == expected, 1, most - expected))


class _Tables:
    """Counts of texts by class and cluster; ``of(weights)`` gives a contingency table for each seed."""

    def __init__(self, classes: np.ndarray, clusters: np.ndarray):
        from scipy.sparse import csr_matrix

        texts, seeds = clusters.shape
        self.shape = (seeds, int(classes.max(initial=0)) + 1, int(clusters.max(initial=0)) + 1)
        places = np.ravel_multi_index((np.arange(seeds)[:, None], classes[None], clusters.T), self.shape)
        where = (places.ravel(), np.tile(np.arange(texts), seeds))
        self.texts_at = csr_matrix((np.ones(places.size), where), (int(np.prod(self.shape)), texts))

    def of(self, weights: np.ndarray) -> np.ndarray:
        """Text i counted weights[i] times. (texts,) -> (seeds, classes, clusters)"""
        return (self.texts_at @ weights.astype(float)).reshape(self.shape)


def _clusters(embeddings: np.ndarray, count: int) -> np.ndarray:
    """k-means for each seed, as many at a time as there are threads, each on one. (texts, dim) -> (texts, seeds)

    Batches of 500 are too small for two threads to share, which then mostly wait for each other.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_info, threadpool_limits

    good = usable(embeddings)
    clusters = np.zeros((len(good), SEEDS), np.int32)
    if not good.any():
        return clusters
    points, count = embeddings[good], min(count, int(good.sum()))
    workers = min(SEEDS, max((pool["num_threads"] for pool in threadpool_info()), default=1))
    with threadpool_limits(1), warnings.catch_warnings(), ThreadPoolExecutor(workers) as threads:
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than classes: the value says it
        by_seed = threads.map(lambda seed: _of_seed(points, count, seed), range(SEEDS))
        clusters[good] = np.stack(list(by_seed), axis=1)
    clusters[~good] = [np.bincount(one).argmax() for one in clusters[good].T]
    return clusters


def _of_seed(points: np.ndarray, count: int, seed: int) -> np.ndarray:
    from sklearn.cluster import MiniBatchKMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="openmp"):  # OpenMP counts for each thread anew
        return MiniBatchKMeans(count, batch_size=BATCH, n_init="auto", random_state=seed).fit_predict(points)


def _classes(material: Labelled) -> tuple[np.ndarray, np.ndarray]:
    rows = labelled_rows(material.labels, material.rows)
    if len(rows) == 0:
        raise CorpusError("W-NO-LABELS", "Clustering needs labels to compare with, but no text has one.")
    names, classes = np.unique(material.known_labels[rows], return_inverse=True)
    if len(names) == 1:
        raise CorpusError(
            "W-ONE-CLASS", f"Clustering needs two classes, but all {len(rows):,} labeled texts are {names[0]!r}."
        )
    return rows, classes


def _entropy(counts: np.ndarray) -> np.ndarray:
    """The entropy over the last axis, in nats."""
    share = counts / counts.sum(axis=-1, keepdims=True)
    return -(share * np.log(np.where(share > 0, share, 1))).sum(axis=-1)
