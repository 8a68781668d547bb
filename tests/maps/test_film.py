"""The live map: a converged first frame, frames that stand still or glide, and t-SNE's gradient itself."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from embedlab.errors import CorpusError
from embedlab.maps.few_points import affinities, descended, exact_gradient, first_frame, next_frame
from embedlab.neighbors import neighbor_graph
from embedlab.plane import radius


def groups(*, texts: int = 240, spread: float = 0.3, seed: int = 0) -> np.ndarray:
    """Four groups in 16 dimensions."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(4, 16))[np.arange(texts) % 4] + spread * rng.normal(size=(texts, 16))).astype(np.float32)


def moved(frame: np.ndarray, last: np.ndarray) -> float:
    return float(np.linalg.norm(frame - last, axis=1).mean() / radius(last))


def test_the_gradient_of_two_points_by_hand():
    # p = 1/2 each way, q = 1/2 each way: no force; with p = (1/2) of three quarters of the weight, (p - q) / (1 + d²)
    places = np.array([[0.0, 0.0], [3.0, 4.0]])
    assert exact_gradient(places, csr_matrix([[0, 0.5], [0.5, 0]]))[1] == pytest.approx(np.zeros((2, 2)), abs=1e-7)
    expected = (0.75 - 0.5) / 26 * np.array([[-3.0, -4.0], [3.0, 4.0]])
    assert exact_gradient(places, csr_matrix([[0, 0.75], [0.75, 0]]))[1] == pytest.approx(expected, rel=1e-5)


def test_the_gradient_is_that_of_the_formula_written_out():
    rng = np.random.default_rng(1)
    places, p = rng.normal(size=(40, 2)), np.abs(rng.normal(size=(40, 40)))
    p = (p + p.T) * (1 - np.eye(40))
    p /= p.sum()
    apart = places[:, None] - places[None]
    near = (1 - np.eye(40)) / (1 + (apart**2).sum(axis=2))
    expected = ((p - near / near.sum()) * near)[:, :, None] * apart
    assert exact_gradient(places, csr_matrix(p))[1] == pytest.approx(expected.sum(axis=1), abs=1e-6)


def test_it_ends_as_low_as_open_tsne():
    from openTSNE import TSNE
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    graph = neighbor_graph(groups(), k=60)
    p = affinities(graph.indices, graph.distances.astype(float), 20)
    start = np.random.default_rng(0).normal(scale=1e-4, size=(240, 2))
    known = PrecomputedNeighbors(graph.indices.copy(), graph.distances.astype(float))
    theirs = TSNE(n_jobs=1, random_state=0, initialization=start).prepare_initial(
        affinities=PerplexityBasedNN(knn_index=known, perplexity=20)
    )
    theirs.optimize(250, exaggeration=12, momentum=0.8, inplace=True)
    theirs.optimize(500, exaggeration=1, momentum=0.8, inplace=True)
    early, _ = descended(p, start, iterations=250, exaggeration=12)
    ours, _ = descended(p, early, iterations=500)
    assert 0.9 < divergence(p, ours) / divergence(p, np.asarray(theirs)) < 1.02  # theirs approximates the repulsion


def divergence(p, places: np.ndarray) -> float:
    apart = places[:, None] - places[None]
    near = (1 - np.eye(len(places))) / (1 + (apart**2).sum(axis=2))
    entries = p.tocoo()
    return float((entries.data * np.log(entries.data / (near / near.sum())[entries.row, entries.col])).sum())


def test_frames_of_the_same_vectors_stand_still():
    embeddings = groups()
    last = first_frame(embeddings, seed=0)
    for _ in range(3):
        frame = next_frame(embeddings, last)
        assert moved(frame, last) < 0.02
        last = frame


def test_a_group_that_moves_is_seen_to_move_and_the_others_stay_longer():
    embeddings = groups()
    last = first_frame(embeddings, seed=0)
    changed = embeddings.copy()
    changed[::4] = changed[1::4] + 0.01  # the first group joins the second
    frame = next_frame(changed, last)
    own = np.linalg.norm(frame - last, axis=1)
    assert own[::4].mean() > 2 * own[2::4].mean() and moved(frame, last) > 0.05
    middles = [place[group::4].mean(axis=0) for place in (last, frame) for group in (0, 1)]
    assert np.linalg.norm(middles[2] - middles[3]) < np.linalg.norm(middles[0] - middles[1])


def test_the_same_seed_gives_the_same_frames_bit_for_bit():
    embeddings = groups()
    first, again = first_frame(embeddings, seed=3), first_frame(embeddings, seed=3)
    assert np.array_equal(first, again)
    assert np.array_equal(next_frame(embeddings, first), next_frame(embeddings, again))
    assert not np.array_equal(first, first_frame(embeddings, seed=4))


def test_a_text_with_a_zero_vector_has_no_place_and_comes_in_later():
    embeddings = groups()
    embeddings[7] = 0
    first = first_frame(embeddings, seed=0)
    assert np.isnan(first[7]).all() and np.isfinite(np.delete(first, 7, axis=0)).all()
    assert np.isfinite(next_frame(groups(), first)).all()


def test_equal_vectors_are_refused():
    with pytest.raises(CorpusError, match="same vector"):
        first_frame(np.ones((50, 4), np.float32), seed=0)
