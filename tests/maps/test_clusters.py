"""Clusters: planted groups are found, the same seed finds the same ones, Ward as scipy does it."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import adjusted_rand_score

from embedlab.maps.clusters import (
    NOWHERE,
    by_size,
    cluster_count,
    coarser,
    finer,
    full_space_clusters,
    picture_clusters,
)


def blobs(count: int, size: int, dim: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Well separated groups, larger ones first."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(count), [size + 5 * (count - each) for each in range(count)])
    middles = 30 * rng.normal(size=(count, dim))
    return (middles[groups] + rng.normal(size=(len(groups), dim))).astype(np.float32), groups


def test_k_means_finds_planted_groups_largest_first_and_again():
    points, groups = blobs(4, 30, 8)
    points[3] = 0
    found = full_space_clusters(points, 4)
    assert found[3] == NOWHERE
    assert adjusted_rand_score(np.delete(groups, 3), np.delete(found, 3)) == 1
    assert (np.diff(np.bincount(np.delete(found, 3))) <= 0).all()
    np.testing.assert_array_equal(found, full_space_clusters(points, 4))
    assert (full_space_clusters(np.zeros((5, 3), np.float32), 2) == NOWHERE).all()


def test_the_picture_has_the_groups_that_one_sees():
    points, groups = blobs(5, 60, 2, seed=3)
    found = picture_clusters(points)
    inside = found >= 0
    assert found.max() == 4 and inside.mean() > 0.9 and adjusted_rand_score(groups[inside], found[inside]) == 1
    assert (picture_clusters(points[:8]) == NOWHERE).all()


def test_numbers_go_by_size_then_by_first_text():
    assert by_size(np.array([7, 7, -1, 3, 5, 5, 5])).tolist() == [1, 1, -1, 2, 0, 0, 0]


@pytest.mark.parametrize(
    ("texts", "classes", "count"), [(1000, 6, 6), (1000, 1, 7), (50, 0, 5), (500_000, 0, 50), (3, 9, 3)]
)
def test_as_many_clusters_as_classes_or_by_the_rule(texts, classes, count):
    assert cluster_count(texts, classes) == count


def test_coarser_groups_are_those_of_scipys_ward_on_the_texts_themselves():
    rng = np.random.default_rng(4)
    middles, sizes = rng.normal(size=(40, 3)) * 10, rng.integers(1, 30, 40)
    clusters = np.repeat(np.arange(40), sizes)
    points = middles[clusters]  # texts of one cluster coincide, so that scipy merges them first
    found = coarser(points, clusters)
    assert found.max() + 1 == 8
    assert adjusted_rand_score(found[clusters], fcluster(linkage(points, "ward"), 8, criterion="maxclust")) == 1
    few = clusters < 12
    assert coarser(points[few], clusters[few]) is None


def test_a_tiny_cluster_far_away_does_not_take_a_group_from_large_ones():
    middles = np.concatenate([np.arange(12.0)[:, None] * 10 * [1, 0], [[500.0, 0]]])
    clusters = np.repeat(np.arange(13), [100] * 12 + [1])
    groups = coarser(middles[clusters], clusters)
    assert len(np.unique(groups[:12])) >= 7


def test_few_clusters_are_cut_into_parts_each_inside_one_cluster():
    points, groups = blobs(8, 60, 6)
    clusters = by_size((groups // 4).astype(np.int32))  # two clusters of four planted parts each
    parts = finer(points, clusters)
    assert adjusted_rand_score(parts, groups) == 1
    assert all(len(np.unique(clusters[parts == part])) == 1 for part in range(8))
    np.testing.assert_array_equal(parts, finer(points, clusters))


def test_few_texts_and_many_clusters_have_no_parts():
    points, groups = blobs(4, 10, 3)
    assert finer(points, groups) is None  # fewer than sixty texts a cluster
    points, groups = blobs(13, 60, 3)
    assert finer(points, groups) is None  # thirteen have coarser groups
    assert finer(np.zeros((5, 2)), np.full(5, NOWHERE)) is None


def test_a_vector_that_is_nowhere_stays_there():
    points, groups = blobs(2, 100, 4)
    clusters = groups.astype(np.int32)
    clusters[7] = NOWHERE
    assert finer(points, clusters)[7] == NOWHERE
