"""Trust of a map, text by text: against brute force, at its ends, with ties, and at chance."""

import numpy as np
import pytest

from embedlab.maps.trust import map_neighbors, trust
from embedlab.neighbors import neighbor_graph
from embedlab.runs.map_readings import MeanTrust


def brute(coordinates: np.ndarray, k: int) -> np.ndarray:
    """The k nearest others, equal distances in file order, one by one."""
    found = []
    for row, point in enumerate(coordinates.astype(float)):
        apart = ((coordinates - point) ** 2).sum(axis=1)
        apart[row] = np.inf
        found.append(np.argsort(apart, kind="stable")[:k])
    return np.array(found)


def test_a_map_that_is_the_space_itself_is_true_and_keeps_everything():
    points = np.random.default_rng(0).normal(size=(400, 2)).astype(np.float32)
    found = trust(points, neighbor_graph(points).indices)
    assert (found.true == 1).all() and (found.retained == 1).all()
    assert found.means() == MeanTrust(true=1.0, kept=1.0, chance=pytest.approx(90 / 399), texts=400)


def test_true_and_kept_are_what_sets_say():
    rng = np.random.default_rng(1)
    embeddings, coordinates = rng.normal(size=(300, 5)).astype(np.float32), rng.normal(size=(300, 2))
    coordinates[:, 0] += embeddings[:, 0] * 2
    full, on_map = brute(embeddings, 90), brute(coordinates, 90)
    found = trust(coordinates, neighbor_graph(embeddings).indices)
    for row in (0, 7, 150, 299):
        assert found.true[row] == pytest.approx(len(set(on_map[row, :10]) & set(full[row])) / 10)
        assert found.retained[row] == pytest.approx(len(set(full[row, :10]) & set(on_map[row])) / 10)


def test_a_map_drawn_at_random_is_at_chance():
    rng = np.random.default_rng(2)
    graph = neighbor_graph(rng.normal(size=(1500, 8)).astype(np.float32))
    means = trust(rng.normal(size=(1500, 2)), graph.indices).means()
    assert means.chance == pytest.approx(90 / 1499)
    assert means.true == pytest.approx(means.chance, abs=0.01)
    assert means.kept == pytest.approx(means.chance, abs=0.01)


def test_equally_near_points_are_taken_in_file_order():
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=2).reshape(-1, 2)
    np.testing.assert_array_equal(map_neighbors(grid, 7), brute(grid, 7))
    piled = np.concatenate([np.zeros((150, 2)), np.ones((30, 2)), grid[:40]])
    np.testing.assert_array_equal(map_neighbors(piled, 90), brute(piled, 90))


def test_a_text_without_neighbors_has_no_trust_and_few_points_are_all_neighbors():
    points = np.array([[0.0, 0], [1, 0], [2, 0], [5, 5]])
    indices = np.array([[1, 2], [0, 2], [1, 0], [-1, -1]])
    found = trust(points, indices)
    assert np.isnan(found.true[3]) and found.means().texts == 3
    assert found.retained[:3].tolist() == pytest.approx([2 / 2] * 3) and found.chance == pytest.approx(2 / 3)
    assert trust(points[:1], indices[:1, :0]).means().true is None
