"""Clusters of a run's texts with their keywords, stored in the run's folder: in the full space, and on a map."""

from dataclasses import asdict

import numpy as np
import pyarrow as pa

from embedlab.corpora.base import Corpus
from embedlab.maps.clusters import (
    NOWHERE,
    PICTURE_TEXTS,
    SEED,
    cluster_count,
    coarser,
    finer,
    full_space_clusters,
    keywords,
    picture_clusters,
    word_counts,
)
from embedlab.progress import Progress
from embedlab.runs.drawn_map import rows_to_draw
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import ClusterFacts, ClusterGroups, ClusterSummary, KeywordLists
from embedlab.store_root import write_json
from embedlab.table_files import write_parquet

WORD_TEXTS = 20_000  # read for keywords
FULL_SPACE, PICTURE = "kmeans", "hdbscan"


def write_full_space(drawn: RunFolder, name: str, embeddings: np.ndarray, corpus: Corpus, progress: Progress) -> None:
    """k-means on the embeddings ``before`` or ``after``. embeddings: (texts, dim), one per drawn row"""
    rows = rows_to_draw(corpus)
    count = cluster_count(len(rows), len(corpus.info.classes))
    progress(f"Finding {count} clusters, {name}")
    clusters = full_space_clusters(embeddings, count)
    _write(drawn, name, clusters, rows, embeddings, corpus, how=FULL_SPACE, seed=SEED, requested=count)


def write_of_picture(
    drawn: RunFolder, name: str, coordinates: np.ndarray, rows: np.ndarray, corpus: Corpus, progress: Progress
) -> None:
    """HDBSCAN on a drawn map of up to 50,000 texts.  coordinates: (points, 2), rows: (points,) of the corpus"""
    if len(rows) > PICTURE_TEXTS:
        return
    progress(f"Finding the clusters of the picture, {name}")
    _write(drawn, name, picture_clusters(coordinates), rows, coordinates, corpus, how=PICTURE)


def _write(
    drawn: RunFolder, name: str, clusters: np.ndarray, rows: np.ndarray, points: np.ndarray, corpus: Corpus, *,
    how: str, seed: int | None = None, requested: int | None = None,
) -> None:  # fmt: skip
    """Write columns ``id cluster``, with few clusters also ``fine``; and beside them the method and the keywords."""
    path, fine = drawn.clusters(name), finer(points, clusters)
    columns = {"id": pa.array(rows, pa.int64()), "cluster": pa.array(clusters, pa.int32())}
    columns |= {} if fine is None else {"fine": pa.array(fine, pa.int32())}
    write_parquet(path, pa.table(columns))
    count = int(clusters.max(initial=NOWHERE)) + 1
    counts, words, texts = _counted(clusters, rows, corpus, count)
    sizes = np.bincount(clusters[clusters >= 0], minlength=count)
    named = zip(sizes.tolist(), keywords(counts, words, texts=texts), strict=True)
    of_groups, of_fine = coarser(points, clusters), None
    groups = None
    if of_groups is not None:
        merged, read = (_merged(each, of_groups) for each in (counts, texts))
        groups = ClusterGroups(keywords(merged, words, texts=read), of_groups.tolist())
    if fine is not None:
        counts, words, read = _counted(fine, rows, corpus, int(fine.max()) + 1)
        of_fine = KeywordLists(keywords(counts, words, texts=read))
    facts = ClusterFacts(
        how=how,
        clusters=[ClusterSummary(size, of_cluster) for size, of_cluster in named],
        without=int((clusters < 0).sum()),
        groups=groups,
        fine=of_fine,
        seed=seed,
        asked=requested,
    )
    write_json(path.with_suffix(".json"), asdict(facts))


def _counted(
    clusters: np.ndarray, rows: np.ndarray, corpus: Corpus, count: int
) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Word counts of each cluster, the words, and the number of texts read: all, or 20,000 spread over the corpus."""
    inside = np.flatnonzero(clusters >= 0)
    if len(inside) > WORD_TEXTS:
        inside = inside[np.linspace(0, len(inside) - 1, WORD_TEXTS).astype(int)]
    texts = np.bincount(clusters[inside], minlength=count)
    if not len(inside):
        return np.zeros((count, 0), int), [], texts
    return *word_counts([corpus.texts[row] for row in rows[inside]], clusters[inside], count), texts


def _merged(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Sums over the clusters of each group.  (clusters, …) -> (groups, …)"""
    sums = np.zeros((groups.max() + 1, *values.shape[1:]), values.dtype)
    np.add.at(sums, groups, values)
    return sums
