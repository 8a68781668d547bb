"""Approximate neighbors: a recall that is true, refined until it is enough, the same for one seed, nobody's zero."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from embedlab.limits import LIMITS
from embedlab.neighbors import NeighborGraph, approximate, graph, neighbor_graph

RNG = np.random.default_rng(0)
CLOUD = (RNG.normal(size=(60, 24))[RNG.integers(0, 60, 1500)] * 2 + RNG.normal(size=(1500, 24))).astype(np.float32)


@pytest.fixture
def few(monkeypatch):
    """Limits under which 1,500 texts are many."""
    from dataclasses import replace

    small = replace(LIMITS, exact_neighbors=1000, recall_queries=200)
    monkeypatch.setattr(graph, "LIMITS", small)
    monkeypatch.setattr(approximate, "LIMITS", small)


def everything(points, k, effort, seed):
    """A stand-in for the descent that finds the true neighbors, itself among them."""
    apart = cdist(points, points, "sqeuclidean")
    return np.argsort(apart, axis=1, kind="stable")[:, : k + 1]


def test_recall_counts_what_is_no_farther_than_the_true_last_one():
    exact = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
    found = np.array([[1.0, 3.0, 4.0, 9.0], [1.0, 1.0, 1.0, 9.0]])  # two of three, then three of three
    assert approximate.recall_of(found, exact) == pytest.approx(5 / 6)


def test_candidates_are_measured_without_themselves_and_in_file_order():
    points = np.array([[0.0], [1.0], [-1.0], [3.0]], np.float32)
    candidates = np.array([[0, 2, 1, 3], [3, 0, 0, 1], [-1, -1, -1, 0], [3, 2, 1, 0]])
    indices, distances = approximate.measured(points, candidates, 3)
    assert indices.tolist() == [[1, 2, 3], [0, 3, -1], [0, -1, -1], [1, 0, 2]]
    assert distances[0].tolist() == [1, 1, 3] and np.isinf(distances[2, 1])


@pytest.mark.slow
def test_the_descent_finds_what_it_promises_and_the_same_for_one_seed(few):
    found, again = (neighbor_graph(CLOUD, k=20, seed=3) for _ in range(2))
    exact = everything(CLOUD, 20, 1, 0)[:, 1:]
    share = np.mean([np.isin(a, b).mean() for a, b in zip(found.indices[:, :15], exact[:, :15], strict=True)])
    assert found.recall >= 0.95 and found.queries == 200 and share == pytest.approx(found.recall, abs=0.03)
    assert np.array_equal(found.indices, again.indices) and np.array_equal(found.distances, again.distances)
    assert found.indices.shape == (1500, 20) and not (found.indices == np.arange(1500)[:, None]).any()
    true = np.linalg.norm(CLOUD[found.indices[7]].astype(float) - CLOUD[7], axis=1)
    assert np.allclose(found.distances[7], true, rtol=1e-6) and (np.diff(found.distances, axis=1) >= 0).all()


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
def test_with_perfect_candidates_it_is_the_exact_graph(few, monkeypatch, distance, scale):
    monkeypatch.setattr(approximate, "_descended", everything)
    embeddings = CLOUD[:1100] * np.float32(scale)
    embeddings[[4, 9]], embeddings[20, 3] = 0, np.nan
    found = neighbor_graph(embeddings, k=20, distance=distance)
    assert found.recall == 1
    monkeypatch.undo()
    exact = neighbor_graph(embeddings, k=20, distance=distance)
    assert exact.recall is None and np.allclose(found.distances, exact.distances, rtol=1e-5)
    assert (found.indices == exact.indices).mean() > 0.999
    assert (found.indices[[4, 9, 20]] == -1).all() and not np.isin(found.indices, [4, 9, 20]).any()


def test_too_low_a_recall_is_refined_and_in_the_end_everything_is_compared(few, monkeypatch):
    efforts = []

    def poor(points, k, effort, seed):
        efforts.append(effort)
        found = everything(points, k, effort, seed)
        return found if effort >= worth else np.tile(np.arange(k + 1), (len(points), 1))

    monkeypatch.setattr(approximate, "_descended", poor)
    worth = 2
    assert neighbor_graph(CLOUD, k=20).recall == 1 and efforts == [1, 2]
    efforts.clear()
    worth = 99
    whole = neighbor_graph(CLOUD, k=20)
    assert whole.recall is None and efforts == [1, 2, 4]
    assert np.isin(whole.indices[:, :15], everything(CLOUD, 20, 1, 0)).all()


def test_up_to_the_limit_neighbors_are_exact_and_above_they_are_not(few, monkeypatch):
    monkeypatch.setattr(approximate, "_descended", everything)
    assert neighbor_graph(CLOUD[:1000], k=5).how == {}
    assert neighbor_graph(CLOUD[:1001], k=5).how == {"approximate": True, "recall_15": 1.0, "queries": 200}


def test_a_saved_graph_keeps_how_well_it_was_found(tmp_path):
    made = NeighborGraph(np.zeros((2, 1), np.int32), np.ones((2, 1), np.float32), "euclidean", 0.96312, 1000)
    made.save(tmp_path / "graph")
    assert (tmp_path / "graph" / "graph.json").read_text() == (
        '{"distance": "euclidean", "approximate": true, "recall_15": 0.9631, "queries": 1000}\n'
    )
    assert NeighborGraph.load(tmp_path / "graph").how == made.how
