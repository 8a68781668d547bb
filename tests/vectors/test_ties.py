"""Ties between neighbors are broken by row number, in every function that names or counts neighbors."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from scipy.stats import skew

from embedlab.baselines.tfidf import SVD
from embedlab.maps.trust import map_neighbors
from embedlab.metrics.base import Queries
from embedlab.metrics.knn import cv10_knn, knn_accuracy
from embedlab.metrics.retrieval import best_places, rank
from embedlab.metrics.split import Split
from embedlab.metrics.tfidf import svd_embeddings, tfidf_embeddings
from embedlab.neighbors import NeighborSearch, differences, nearest_by_both, neighbor_graph, selection
from embedlab.neighbors.approximate import measured
from embedlab.runs.vectors import StoredVectors, nearest_by
from embedlab.statistics.geometry import hubness
from embedlab.vectors import exact
from embedlab.vectors.exact import nearest_rows
from embedlab.vectors.ties import CLOSE, compared, highest_equal

K, ROWS, DIM = 10, 400, 5


def crowd(distance: str) -> np.ndarray:
    """A query at row 0 and 399 rows in three steps of distance from it, in turns; within a step all are tied.

    By cosine they have different lengths too. Products of float32 cannot order them, and 133 are more than candidates.
    """
    rng = np.random.default_rng(0)
    angles = np.array([0.5, 0.6, 0.7])[np.arange(ROWS) % 3]
    around = rng.normal(size=(ROWS, DIM - 1))
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    around = np.round(around * 4) / 4  # few places on the circle, so that many rows are equal
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    rows = np.hstack([np.cos(angles)[:, None], np.sin(angles)[:, None] * around])
    rows[0] = np.eye(DIM)[0]
    if distance == "cosine":
        rows *= rng.integers(1, 50, size=(ROWS, 1))
    return rows


TIED = [3 * place for place in range(1, K + 1)]  # rows 3, 6, 9 … are at the smallest angle


def by_graph(rows, distance):
    return neighbor_graph(rows, k=K, distance=distance).indices[0]


def by_search(rows, distance):
    return NeighborSearch(rows[1:], distance=distance).nearest(rows[:1], k=K)[0][0] + 1


def as_on_a_gpu(rows, distance):
    searching = NeighborSearch(rows, distance=distance)
    return searching.at_once(searching.points[:1], torch.tensor([0]), K)[0][0]


def of_all_as_on_a_gpu(rows, distance):
    class Elsewhere(torch.Tensor):
        device = torch.device("meta")

    searching = NeighborSearch(rows, distance=distance)
    points = searching.points.as_subclass(Elsewhere)
    return differences.nearest_of_all(points, searching.points[:1], torch.tensor([0]), K)[0][0].numpy()


def by_both(rows, distance):
    return nearest_by_both(queries=rows[:1], base=rows[1:], k=K)[distance][0] + 1


def by_rows(rows, distance):
    return nearest_rows(queries=rows[:1], base=rows[1:], k=K, distance=distance)[0][0] + 1


def by_sparse_rows(rows, distance):
    rows = csr_matrix(rows)
    return nearest_rows(queries=rows[:1], base=rows[1:], k=K, distance=distance)[0][0] + 1


def by_a_page(rows, distance):
    stored = StoredVectors(rows.astype(np.float32), np.linalg.norm(rows, axis=1))
    return nearest_by(stored.distances(rows[:1], distance)[0], K, without=0)


def of_candidates(rows, distance):
    points = rows / np.linalg.norm(rows, axis=1, keepdims=True) if distance == "cosine" else rows
    everyone = np.random.default_rng(0).permutation(ROWS)[None].repeat(ROWS, axis=0)
    return measured(points.astype(np.float32), everyone, K)[0][0]


EXACT = [by_graph, by_search, as_on_a_gpu, of_all_as_on_a_gpu, by_both, by_rows, by_sparse_rows, by_a_page]


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("find", EXACT)
def test_of_rows_that_are_equally_near_the_first_are_found(find, kind, distance):
    assert find(crowd(distance).astype(kind), distance).tolist() == TIED


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("find", [*EXACT, of_candidates])
def test_of_many_copies_the_first_are_found(find, distance):
    rows = np.random.default_rng(1).normal(size=(ROWS, DIM)).astype(np.float32)
    rows[np.arange(ROWS) % 4 == 0] = rows[0]  # a hundred copies of the query
    assert find(rows, distance).tolist() == [4 * place for place in range(1, K + 1)]


def test_on_a_map_the_first_of_many_at_one_place_are_found():
    places = np.random.default_rng(0).normal(size=(ROWS, 2))
    places[::4] = places[0]
    assert map_neighbors(places, K)[0].tolist() == [4 * place for place in range(1, K + 1)]
    found = nearest_rows(queries=places[:1], base=places[1:], k=K, distance="euclidean")[0][0] + 1
    assert found.tolist() == [4 * place for place in range(1, K + 1)]


def test_of_documents_that_are_equally_similar_the_highest_id_is_first():
    documents, names = crowd("cosine"), [f"{row:03d}" for row in range(ROWS)]
    ranking = rank(Queries(documents[:1], documents, names, [{1: 1.0}]), depth=4)
    assert ranking.documents[0].tolist() == [0, 399, 396, 393]
    assert best_places(np.array([[1.0, 2, 2, 1, 2]]), 2).tolist() == [[1, 2]]


def test_hubness_counts_the_first_of_equally_near_rows():
    corners = np.repeat(np.eye(20), 2, axis=0)  # each row has a twin, then the first three of all others
    turned = corners @ np.linalg.qr(np.random.default_rng(0).normal(size=(20, 20)))[0]
    # rows 0, 1 and 2 by all others, 3 by its twin and by 0 and 1, 4 by its twin and by 0 to 3, others by their twin
    assert hubness(turned, k=4) == skew([39, 39, 39, 3, 5, *[1] * 35])


def test_votes_that_are_equal_go_to_the_first_class_in_sorted_order():
    labels = np.array(["b", "b", "a", "a", "b"], object)
    split = Split(train=np.arange(4), test=np.array([4]))
    result = knn_accuracy(embeddings=np.ones((5, 2)), labels=labels, split=split, k=4)
    assert result.predictions.tolist() == ["a"]


def test_distances_are_compared_by_twenty_binary_digits():
    one = np.array([[1.0, 1 + 2**-22, 1 + 2**-18, 4.0, 0.0, 1e-16, 1e-12, np.inf]])
    same = compared(one, 1.0)[0]
    assert same[0] == same[1] < same[2] < same[3] and same[4] == same[5] == 0 < same[6] and np.isinf(same[7])
    assert compared(np.array([[CLOSE * 4]]), 4.0)[0, 0] == 0 < compared(np.array([[CLOSE * 4.1]]), 4.0)[0, 0]


def test_comparing_is_the_same_in_numpy_numba_and_torch():
    squares = np.append(np.random.default_rng(0).uniform(0, 4, 500), [0, 1e-15, 1e-300, np.inf])
    expected = compared(squares[None], 0.7)[0]
    assert np.array_equal(selection.compared(squares, 0.7), expected)
    on_device = differences.compared(torch.from_numpy(squares), torch.tensor(0.7, dtype=torch.float64))
    assert np.array_equal(on_device.numpy(), expected)


def test_no_distance_above_the_bound_is_equal_to_a_smaller_one():
    squares = np.random.default_rng(0).uniform(1e-14, 4, 2000)
    bounds = highest_equal(squares, 1.0)
    assert (compared(np.nextafter(bounds, 5)[None], 1.0) > compared(squares[None], 1.0)).all()


def similar_texts() -> tuple[list[str], np.ndarray]:
    """Forty texts of rank two: the words differ in one of two places, letters of one do not count."""
    pattern = "This note is about the {} door and the letter {} on it"
    texts = [pattern.format("red" if i % 4 < 2 else "blue", chr(97 + i % 26) * (1 + i // 26)) for i in range(40)]
    return texts, np.array(["one" if i % 2 else "two" for i in range(40)], object)


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_the_reference_of_similar_texts_repeats_over_threads_blocks_and_chunks(monkeypatch, distance):
    texts, labels = similar_texts()

    def right() -> list[bool]:
        vectors = svd_embeddings(tfidf_embeddings(texts))
        return cv10_knn(embeddings=vectors, labels=labels, distance=distance).correct.tolist()

    before, values = torch.get_num_threads(), [right()]
    try:
        for threads, block, chunk in [(1, 7, 2**22), (2, 16_384, 90), (2, 1, 1), (3, 13, 500)]:
            torch.set_num_threads(threads)
            monkeypatch.setattr(exact, "BLOCK_ROWS", block)
            monkeypatch.setattr(exact, "CHUNK_NUMBERS", chunk)
            values.append(right())
    finally:
        torch.set_num_threads(before)
    assert all(each == values[0] for each in values)


def test_similar_texts_have_as_many_directions_as_their_rank_and_the_distances_of_tf_idf():
    texts, labels = similar_texts()
    words = tfidf_embeddings(texts)
    vectors = svd_embeddings(words)
    assert vectors.shape[1] == np.linalg.matrix_rank(words.toarray()) == SVD(texts).facts["dim"]
    assert vectors @ vectors.T == pytest.approx((words @ words.T).toarray(), abs=1e-6)
    by_words, by_svd = (cv10_knn(embeddings=each, labels=labels).correct for each in (words, vectors))
    assert by_words.tolist() == by_svd.tolist()


def test_a_text_that_has_none_of_the_directions_is_a_zero_vector():
    words = np.repeat(
        np.eye(101)[:100], 3, axis=0
    )  # three texts of each of a hundred words take all hundred directions
    words = csr_matrix(np.vstack([words, np.eye(101)[100:]]))  # and one text of another word
    vectors = svd_embeddings(words)
    assert vectors.shape == (301, 100) and not vectors[-1].any()
    assert np.linalg.norm(vectors[:-1], axis=1) == pytest.approx(1)
