"""A preview of a large corpus: who is shown, how the full map grows out of it, and memory that stays small."""

import numpy as np
import pytest

from embedlab.config import NoSettings
from embedlab.maps import MAPS
from embedlab.maps.align import laid_over
from embedlab.maps.base import completed, principal_axes
from embedlab.maps.few_points import exact_gradient
from embedlab.maps.grid import GridGradient
from embedlab.maps.pca import PCA
from embedlab.maps.tsne import TSNE, TSNEConfig
from embedlab.metrics.shares import shown_first
from embedlab.neighbors import neighbor_graph
from embedlab.plane import radius


def clouds(texts: int = 400, dim: int = 12, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).normal(size=(8, dim)) * 5
    return (centres[np.arange(texts) % 8] + rng.normal(size=(texts, dim))).astype(np.float32)


def test_every_class_is_shown_by_its_share_and_once_at_least():
    classes = np.repeat([0, 1, 2, 3], [600, 300, 99, 1])  # 10 shown: one each, six by shares 3.6, 1.8, 0.6, 0
    shown = shown_first(classes, texts=1000, most=10)
    assert np.bincount(classes[shown]).tolist() == [5, 3, 1, 1] or np.bincount(classes[shown]).tolist() == [4, 3, 2, 1]
    assert len(shown) == 10 and (np.diff(shown) > 0).all() and 999 in shown


def test_more_classes_than_places_still_show_one_each():
    shown = shown_first(np.arange(50) // 2, texts=50, most=10)
    assert np.bincount(np.arange(50)[shown] // 2).tolist() == [1] * 25


def test_a_preview_obeys_its_seed_and_a_small_corpus_is_shown_whole():
    classes = np.arange(300) % 7
    one, again, other = (shown_first(classes, texts=300, most=70, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert np.bincount(classes[one]).tolist() == [10] * 7
    assert shown_first(None, texts=300, most=300).tolist() == list(range(300))
    assert len(np.unique(shown_first(None, texts=300, most=70))) == 70


def test_newcomers_start_amid_their_ten_nearest_that_are_shown():
    places = np.full((5, 2), np.nan)
    places[0], places[1] = (0, 0), (2, 4)
    indices = np.array([[1, 2], [0, 2], [0, 1], [2, 4], [4, 4]])
    found = completed(places, indices)  # 2 between 0 and 1; 3 in the next round beside 2; 4 knows nobody: the middle
    assert found.tolist() == [[0, 0], [2, 4], [1, 2], [1, 2], [1, 2]]
    assert np.isfinite(places).all(axis=1).tolist() == [True, True, False, False, False]


def test_laying_over_a_preview_turns_and_moves_but_never_resizes():
    places = np.random.default_rng(0).normal(size=(40, 2))
    preview = 5 * places[:, ::-1] * [1, -1] + [3, 4]
    preview[20:] = np.nan
    found = laid_over(places, preview)
    assert radius(found) == pytest.approx(radius(places))
    assert np.allclose(found[:20] - found[:20].mean(axis=0), (preview[:20] - preview[:20].mean(axis=0)) / 5)
    assert np.array_equal(laid_over(places, np.full((40, 2), np.nan)), places)


@pytest.mark.slow
@pytest.mark.parametrize("method", MAPS, ids=MAPS.keys())
def test_the_full_map_does_not_jump_away_from_its_preview(method):
    embeddings = clouds()
    config = method.config_class()
    shown = shown_first(np.arange(400) % 8, texts=400, most=80)
    few = method.lay_out(embeddings[shown], neighbor_graph(embeddings[shown]), config).coordinates
    preview = np.full((400, 2), np.nan)
    preview[shown] = few
    full = method.lay_out(embeddings, neighbor_graph(embeddings), config, preview=preview)
    own = method.lay_out(embeddings, neighbor_graph(embeddings), config)
    assert np.isfinite(full.coordinates).all() and full.used.texts == 400

    def away(coordinates):
        here = laid_over(coordinates.astype(float), preview)[shown]
        size = radius(here)
        return np.linalg.norm((here - here.mean(0)) / size - (few - few.mean(0)) / radius(few), axis=1).mean()

    assert away(full.coordinates) < 0.45
    if method is TSNE:
        assert away(full.coordinates) < away(own.coordinates)
        assert full.used.initialization == "the preview"
        assert full.used.kl_divergence <= 1.05 * own.used.kl_divergence


def test_principal_axes_are_those_of_scikit_learn_in_any_parts(monkeypatch):
    from sklearn.decomposition import PCA as SklearnPCA

    from embedlab.maps import base

    points = clouds(300) + 100
    whole, shares = principal_axes(points)
    judge = SklearnPCA(2, svd_solver="full").fit(points.astype(np.float64))
    assert np.allclose(np.abs(whole), np.abs(judge.transform(points.astype(np.float64))) / np.abs(points).max(), 1e-6)
    assert np.allclose(shares, judge.explained_variance_ratio_)
    monkeypatch.setattr(base, "ROWS_AT_ONCE", 37)
    assert np.allclose(principal_axes(points)[0], whole, atol=1e-12)


def test_a_map_of_float32_vectors_never_holds_them_all_in_float64(monkeypatch):
    import tracemalloc

    embeddings = np.random.default_rng(0).normal(size=(20_000, 200)).astype(np.float32)  # 16 MB
    PCA.lay_out(embeddings[:100], None, NoSettings())  # what is loaded once is not counted
    from embedlab.maps import base

    monkeypatch.setattr(base, "ROWS_AT_ONCE", 1024)
    tracemalloc.start()
    PCA.lay_out(embeddings, None, NoSettings())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12e6  # in float64 they are 32 MB


@pytest.mark.parametrize("gradient", [exact_gradient, GridGradient()])
def test_the_same_bits_on_one_and_two_threads_by_pairs_and_on_the_grid(monkeypatch, gradient):
    from embedlab.maps import align

    monkeypatch.setattr(align, "gradient_method", lambda points: gradient)
    embeddings = clouds(2_000)
    graph = neighbor_graph(embeddings)
    config = TSNEConfig(early_iterations=30, iterations=30)
    maps = [TSNE.lay_out(embeddings, graph, config, threads=threads).coordinates for threads in (1, 2, 1)]
    assert np.array_equal(maps[0], maps[1]) and np.array_equal(maps[0], maps[2])
