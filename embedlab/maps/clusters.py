"""Clusters of texts: k-means in the full space, HDBSCAN on a map, coarser groups of either, and their keywords."""

import warnings

import numpy as np

from embedlab.counting import has_blanks, units
from embedlab.vectors.exact import usable

SEED = 42
WHOLE_TEXTS = 20_000  # beyond, k-means reads small batches
MOST_CLUSTERS = 300
PICTURE_TEXTS = 50_000  # HDBSCAN takes the square of it
COARSE = (8, 12)  # groups that a whole map has room to name
NOWHERE = -1


def cluster_count(texts: int, classes: int) -> int:
    """One cluster per class (up to 300); without two classes √(texts/20), from 5 to 50."""
    count = classes if classes >= 2 else int(np.clip(np.rint(np.sqrt(texts / 20)), 5, 50))
    return max(1, min(count, MOST_CLUSTERS, texts))


def full_space_clusters(embeddings: np.ndarray, count: int, *, seed: int = SEED) -> np.ndarray:
    """k-means on the raw vectors, the largest cluster first; -1 for a zero or non-finite vector.

    (texts, dim) -> (texts,) int32. One thread, so that the same seed gives the same clusters.
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    good = np.flatnonzero(usable(embeddings))
    clusters = np.full(len(embeddings), NOWHERE, np.int32)
    if not len(good):
        return clusters
    points = np.asarray(embeddings[good], np.float32)
    count = min(count, len(good))
    if len(good) > WHOLE_TEXTS:
        kmeans = MiniBatchKMeans(count, batch_size=4096, n_init=3, random_state=seed)
    else:
        kmeans = KMeans(count, n_init=1, random_state=seed)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different vectors than clusters
        clusters[good] = kmeans.fit_predict(points)
    return by_size(clusters)


def picture_clusters(coordinates: np.ndarray) -> np.ndarray:
    """HDBSCAN on a map, the largest cluster first, -1 for noise: clusters of the picture, not of the texts.

    (points, 2) -> (points,) int32; a cluster has at least a four-hundredth of the points, and at least ten
    """
    from sklearn.cluster import HDBSCAN

    points = len(coordinates)
    if points < 20:
        return np.full(points, NOWHERE, np.int32)
    clusters = HDBSCAN(min_cluster_size=max(10, round(points / 400)), min_samples=5, copy=True).fit_predict(
        np.asarray(coordinates, np.float64)
    )
    return by_size(clusters.astype(np.int32))


def by_size(clusters: np.ndarray) -> np.ndarray:
    """The clusters renumbered by size, ties by their first text; empty ones disappear."""
    names, first, members, sizes = np.unique(clusters, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    order = order[names[order] >= 0]
    number = np.full(len(names), NOWHERE, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[members]


def coarser(points: np.ndarray, clusters: np.ndarray) -> np.ndarray | None:
    """Clusters merged by Ward's criterion (1963) into 8 to 12 groups, numbered by their first cluster; None for 12
    clusters or fewer. Each time the pair is merged that increases the within-cluster variance least, weighted by size.

    points: (texts, dim) vectors or coordinates; clusters: (texts,) -> (clusters,) the group of each cluster
    """
    from scipy.spatial.distance import cdist

    count = int(clusters.max(initial=NOWHERE)) + 1
    if count <= COARSE[1]:
        return None
    order = np.argsort(clusters, kind="stable")
    ends = np.searchsorted(clusters[order], np.arange(count + 1))
    parts = [order[start:end] for start, end in zip(ends[:-1], ends[1:], strict=True)]
    means = np.stack([np.asarray(points[part], np.float64).mean(axis=0) for part in parts])
    sizes = np.array([len(part) for part in parts], np.float64)
    group = np.arange(count)
    cost = cdist(means, means, "sqeuclidean") * sizes[:, None] * sizes[None] / (sizes[:, None] + sizes[None])
    np.fill_diagonal(cost, np.inf)
    for _ in range(count - int(np.clip(round(count / 5), *COARSE))):
        one, other = sorted(np.unravel_index(np.argmin(cost), cost.shape))
        means[one] = np.average(means[[one, other]], axis=0, weights=sizes[[one, other]])
        sizes[one] += sizes[other]
        group[group == other] = one
        apart = ((means - means[one]) ** 2).sum(axis=1) * sizes * sizes[one] / (sizes + sizes[one])
        gone = np.isinf(cost[one])
        cost[one] = cost[:, one] = np.where(gone, np.inf, apart)
        cost[other] = cost[:, other] = np.inf
    return np.unique(group, return_inverse=True)[1].astype(np.int32)


FINE = 4  # times as many topics, where there are few clusters
FINE_TEXTS = 30  # of each, on average


def finer(points: np.ndarray, clusters: np.ndarray) -> np.ndarray | None:
    """Each cluster split by k-means in proportion to its size, into four on average; None for few texts or many
    clusters.

    points: (texts, dim) vectors or coordinates; clusters: (texts,) -> (texts,) int32, the largest part first
    """
    sizes = np.bincount(clusters[clusters >= 0])
    parts_in_all = min(FINE * len(sizes), int(sizes.sum()) // FINE_TEXTS)
    if not 0 < len(sizes) <= COARSE[1] or parts_in_all < 2 * len(sizes):
        return None
    fine, first = np.full(len(clusters), NOWHERE, np.int32), 0
    for cluster, size in enumerate(sizes):
        inside = np.flatnonzero(clusters == cluster)
        parts = full_space_clusters(points[inside], max(1, round(parts_in_all * size / sizes.sum())))
        fine[inside] = np.where(parts < 0, NOWHERE, parts + first)
        first += int(parts.max(initial=NOWHERE)) + 1
    return by_size(fine)


WORDS = 3
_CUT_SHORT = "doesn don didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn ll ve"  # n't left off
_TEXTS_WITH = 2  # a word of fewer texts names nothing
_SHARE_WITH = 0.05  # nor does one that fewer of a cluster's texts have


def class_tfidf(counts: np.ndarray) -> np.ndarray:
    """√tf · log(1 + A / f): the word's share of its cluster times its overall rarity (equation 2).

    counts: (clusters, words) -> (clusters, words), 0 where a word is absent; f is a word's count in all clusters, A the
    mean count of words of a cluster. The root is BERTopic's ``reduce_frequent_words``: without it words that every
    cluster has come first.
    """
    counts = np.asarray(counts, float)
    total, everywhere = counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    rare = np.log1p(total.sum() / max(len(counts), 1) / np.maximum(everywhere, 1))
    return np.sqrt(share) * rare


def word_counts(texts: list[str], clusters: np.ndarray, count: int) -> tuple[np.ndarray, list[str]]:
    """The number of texts of each cluster that contain each word, without English stop words.

    texts: (texts,), clusters: (texts,) 0 … count−1 -> (count, words), the words
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    left_out = ENGLISH_STOP_WORDS | set(_CUT_SHORT.split())

    def terms(text: str) -> list[str]:
        least = 3 if has_blanks(text) else 2  # letters of a word; a bigram of a script without blanks has two
        occurrences = (word for word in units(text, bigrams_only=True) if len(word) >= least and word[0].isalpha())
        return [word for word in occurrences if "_" not in word and word not in left_out]

    vectorizer = CountVectorizer(binary=True, analyzer=terms, dtype=np.int32)
    try:
        occurrences = vectorizer.fit_transform(texts)  # (texts, words)
    except ValueError:  # stop words only
        return np.zeros((count, 0)), []
    member = csr_matrix((np.ones(len(texts), np.int32), (clusters, np.arange(len(texts)))), (count, len(texts)))
    counts = (member @ occurrences).tocsc()
    frequent = np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() >= min(_TEXTS_WITH, len(texts)))
    return counts[:, frequent].toarray(), vectorizer.get_feature_names_out()[frequent].tolist()


def keywords(
    counts: np.ndarray, words: list[str], *, texts: np.ndarray | None = None, most: int = WORDS
) -> list[list[str]]:
    """The words of each cluster with the highest class TF-IDF, ties in alphabetical order; a plural is dropped beside
    its singular. counts: (clusters, words); texts: (clusters,) counted texts, of which a twentieth must contain a word
    """
    weights, by_cluster = class_tfidf(counts), []
    if texts is not None:
        weights[counts < _SHARE_WITH * texts[:, None]] = 0
    for row in weights:
        chosen: dict[str, str] = {}
        for word in np.argsort(-row, kind="stable"):
            if len(chosen) == most or row[word] <= 0:
                break
            chosen.setdefault(words[word].rstrip("s"), words[word])
        by_cluster.append(list(chosen.values()))
    return by_cluster
