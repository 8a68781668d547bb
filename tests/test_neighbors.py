"""The neighbor graph: equal to scikit-learn's in float64, with copies, offsets, tiny and zero vectors."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.neighbors import NearestNeighbors

from embedlab.errors import StopRequested
from embedlab.neighbors import NeighborGraph, NeighborSearch, nearest_by_both, neighbor_graph, search

RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(500, 24)).astype(np.float32)


def exact_neighbors(embeddings, k, distance):
    """Sorted distances and indices in float64, the row itself left out by its number."""
    x = embeddings.astype(np.float64)
    if distance == "cosine":
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
    apart = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    if distance == "cosine":
        apart = apart**2 / 2
    np.fill_diagonal(apart, np.inf)
    order = np.argsort(apart, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(apart, order, axis=1)


def assert_same_neighbors(graph, indices, distances):
    """Sorted distances within 1e-5 relative; an index in one set only lies within 1e-5 of the k-th distance."""
    assert np.allclose(graph.distances, distances, rtol=1e-5, atol=1e-30)
    for row in range(len(indices)):
        last = distances[row, -1]
        for only in set(graph.indices[row]) ^ set(indices[row]):
            here = graph.distances[row][graph.indices[row] == only], distances[row][indices[row] == only]
            assert np.allclose(np.concatenate(here), last, rtol=1e-5)


def test_four_texts_on_a_line():
    graph = neighbor_graph(np.array([[1.0], [2.0], [4.0], [8.0]]), k=2)
    assert graph.indices.tolist() == [[1, 2], [0, 2], [1, 0], [2, 1]]
    assert graph.distances.tolist() == [[1, 3], [1, 2], [2, 3], [4, 6]]


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_the_graph_is_that_of_scikit_learn(distance):
    graph = neighbor_graph(CLOUD, k=20, distance=distance)
    judge = NearestNeighbors(n_neighbors=21, algorithm="brute", metric=distance).fit(CLOUD.astype(np.float64))
    distances, indices = judge.kneighbors(CLOUD.astype(np.float64))
    assert_same_neighbors(graph, indices[:, 1:], distances[:, 1:])
    assert graph.indices.dtype == np.int32 and graph.distances.dtype == np.float32


HARD = {
    "far from the origin": CLOUD * 1e-2 + 300,
    "an outlier stretches the range": np.vstack([CLOUD * 1e-3, np.full((1, 24), 1e4)]),
    "huge": CLOUD * 1e25,
    "tiny": CLOUD * 1e-25,
    "many copies": np.repeat(CLOUD[:10], 50, axis=0),
    "one direction": np.outer(np.arange(1, 200), np.ones(24)),
}


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("name", HARD)
def test_hard_vectors_have_the_right_distances(name, distance):
    embeddings = HARD[name].astype(np.float32)
    graph = neighbor_graph(embeddings, k=15, distance=distance)
    _, distances = exact_neighbors(embeddings, 15, distance)
    assert np.allclose(graph.distances, distances, rtol=1e-5, atol=1e-13 if distance == "cosine" else 0)
    assert not (graph.indices == np.arange(len(embeddings))[:, None]).any()


def test_rows_that_float32_products_cannot_order_are_searched_again(monkeypatch):
    searched = []
    honest = NeighborSearch._among_all
    monkeypatch.setattr(NeighborSearch, "_among_all", lambda self, *a: searched.extend(a[1]) or honest(self, *a))
    embeddings = HARD["an outlier stretches the range"].astype(np.float32)
    assert_same_neighbors(neighbor_graph(embeddings, k=15), *exact_neighbors(embeddings, 15, "euclidean"))
    assert len(searched) > 100
    searched.clear()
    neighbor_graph(CLOUD, k=15)
    assert not searched


def test_equal_distances_come_in_file_order():
    graph = neighbor_graph(np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1], [0.0, 1]]), k=4)
    assert graph.indices[0].tolist() == [1, 3, 4, 2] and graph.indices[4].tolist() == [1, 0, 2, 3]


def test_zero_and_non_finite_vectors_have_no_neighbors_and_are_nobodys():
    embeddings = CLOUD[:40].copy()
    embeddings[3], embeddings[7, 2], embeddings[11, 0] = 0, np.nan, np.inf
    graph = neighbor_graph(embeddings, k=39)
    for row in (3, 7, 11):
        assert (graph.indices[row] == -1).all() and np.isinf(graph.distances[row]).all()
    others = np.setdiff1d(np.arange(40), [3, 7, 11])
    assert sorted(graph.indices[0][:36]) == others[1:].tolist()
    assert (graph.indices[others][:, 36:] == -1).all()


@pytest.mark.parametrize("rows", range(4))
def test_k_is_at_most_the_number_of_others(rows):
    graph = neighbor_graph(CLOUD[:rows], k=90)
    assert graph.indices.shape == graph.distances.shape == (rows, max(rows - 1, 0))


def test_chunks_change_nothing(monkeypatch):
    whole = neighbor_graph(CLOUD, k=12)
    monkeypatch.setattr(search, "CHUNK_ROWS", 7)
    monkeypatch.setattr(search, "TILE_ROWS", 70)
    monkeypatch.setattr(search, "EXACT_NUMBERS", 1000)
    parts = neighbor_graph(CLOUD, k=12)
    assert np.array_equal(whole.indices, parts.indices) and np.allclose(whole.distances, parts.distances, rtol=1e-6)


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("name", HARD)
def test_a_gpus_way_finds_the_same(name, distance):
    embeddings = HARD[name].astype(np.float32)
    searching, itself = NeighborSearch(embeddings, distance=distance), torch.arange(len(embeddings))
    by_tiles = searching.on_cpu(searching.points, itself, 15)
    at_once = searching.at_once(searching.points, itself, 15)
    assert np.allclose(by_tiles[1], at_once[1], rtol=1e-5, atol=1e-13 if distance == "cosine" else 0)
    few = searching.at_once(searching.points[:20], itself[:20], len(embeddings) - 1)
    assert np.allclose(few[1], searching.on_cpu(searching.points[:20], itself[:20], len(embeddings) - 1)[1], rtol=1e-5,
                       atol=1e-13 if distance == "cosine" else 0)  # fmt: skip


def test_the_same_bits_at_any_number_of_threads():
    before = torch.get_num_threads()
    try:
        graphs = []
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            graphs.append(neighbor_graph(CLOUD, k=20))
        assert all(np.array_equal(graphs[0].distances, graph.distances) for graph in graphs)
        assert all(np.array_equal(graphs[0].indices, graph.indices) for graph in graphs)
    finally:
        torch.set_num_threads(before)


def test_of_many_equal_rows_the_first_in_file_order_are_kept():
    graph = neighbor_graph(np.ones((900, 3), np.float32), k=5)
    assert graph.indices[0].tolist() == [1, 2, 3, 4, 5] and graph.indices[899].tolist() == [0, 1, 2, 3, 4]


def test_typed_texts_find_their_nearest_and_zero_ones_none():
    indices, distances = NeighborSearch(CLOUD).nearest(np.vstack([CLOUD[5], np.zeros(24)]), k=3)
    assert indices[0, 0] == 5 and distances[0, 0] == 0 and indices[1].tolist() == [-1, -1, -1]
    assert indices[0, 1:].tolist() == neighbor_graph(CLOUD, k=2).indices[5].tolist()


def test_progress_reaches_the_end_and_can_stop_the_search():
    heard = []
    neighbor_graph(CLOUD, k=5, progress=lambda stage, done=0, total=0: heard.append((stage, done, total)))
    assert heard[-1] == ("Finding the neighbors of 500 texts", 500, 500)

    def stop(stage, done=0, total=0):
        raise StopRequested

    with pytest.raises(StopRequested):
        neighbor_graph(CLOUD, k=5, progress=stop)


def test_row_by_row_as_on_a_gpu_it_is_the_same_graph_and_progress_reaches_the_end(monkeypatch):
    class Elsewhere(torch.Tensor):
        device = SimpleNamespace(type="cuda")

    class Search(NeighborSearch):
        chunk_rows = 200

        def __init__(self, *given, **how):
            super().__init__(*given, **how)
            self.quick = self.quick.as_subclass(Elsewhere)

    expected, heard = neighbor_graph(CLOUD, k=5), []
    monkeypatch.setattr("embedlab.neighbors.graph.NeighborSearch", Search)
    found = neighbor_graph(CLOUD, k=5, progress=lambda stage, done=0, total=0: heard.append((done, total)))
    assert np.array_equal(found.indices, expected.indices)
    assert heard[-3:] == [(200, 500), (400, 500), (500, 500)]


def test_a_saved_graph_is_the_same_when_loaded(tmp_path):
    graph = neighbor_graph(CLOUD, k=5, distance="cosine")
    graph.save(tmp_path / "cosine")
    loaded = NeighborGraph.load(tmp_path / "cosine")
    assert np.array_equal(graph.indices, loaded.indices) and np.array_equal(graph.distances, loaded.distances)
    assert loaded.distance == "cosine" and loaded.indices.shape[1] == 5


@pytest.mark.parametrize("offset", [0.0, 40.0])
def test_both_distances_from_one_matrix_of_products_find_what_each_search_finds(offset):
    rng = np.random.default_rng(3)
    base = (rng.normal(size=(700, 24)) * rng.uniform(0.2, 3, size=(700, 1)) + offset).astype(np.float32)
    queries = (rng.normal(size=(1100, 24)) + offset).astype(np.float32)
    base[5], base[6], queries[7] = 0, np.nan, 0
    found = nearest_by_both(queries=queries, base=base, k=10)
    for distance in ("euclidean", "cosine"):
        expected, _ = NeighborSearch(base, distance=distance).nearest(queries, k=10)
        assert (found[distance] == expected).mean() > 0.9999
        assert not np.isin(found[distance], [5, 6]).any() and (found[distance][7] == -1).all()
    assert (found["euclidean"] != found["cosine"]).any()


def test_of_vectors_of_length_one_both_distances_find_the_same():
    rows = np.random.default_rng(3).standard_normal((40, 6))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    found = nearest_by_both(queries=rows[:7], base=rows[7:], k=5)
    expected = np.argsort(-rows[:7] @ rows[7:].T, axis=1)[:, :5]
    assert (found["cosine"] == expected).all() and (found["euclidean"] == expected).all()


def test_both_distances_of_fewer_rows_than_neighbors_and_of_none():
    few = nearest_by_both(queries=np.ones((2, 3), np.float32), base=np.eye(3, dtype=np.float32), k=10)
    assert few["cosine"].shape == (2, 3) and few["cosine"].tolist() == [[0, 1, 2]] * 2
    none = nearest_by_both(queries=np.ones((2, 3), np.float32), base=np.zeros((4, 3), np.float32), k=2)
    assert none["euclidean"].tolist() == [[-1, -1]] * 2
