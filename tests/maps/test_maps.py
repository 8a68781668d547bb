"""Every map method: finite at any size, the same twice, aligned when asked, stoppable."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as SklearnPCA

from embedlab.errors import CorpusError, StopRequested
from embedlab.maps import MAPS
from embedlab.maps.tsne import TSNE
from embedlab.maps.umap import UMAPConfig, umap_coordinates
from embedlab.metrics.knn import cv10_knn
from embedlab.neighbors import neighbor_graph
from embedlab.plane import procrustes, radius
from embedlab.tasks.questions import _place

every_method = pytest.mark.parametrize("method", MAPS, ids=MAPS.keys())


def groups(count: int = 300, dim: int = 16, seed: int = 0):
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 6
    centres = np.random.default_rng(99).normal(size=(6, dim)) * 4
    return (centres[labels] + rng.normal(size=(count, dim))).astype(np.float32), labels.astype(str).astype(object)


def laid_out(method, embeddings, *, start=None, kept=None, distance="euclidean", threads=1, **settings):
    graph = neighbor_graph(embeddings, distance=distance)
    given = {"start": start, "neighbors_kept": kept, "threads": threads}
    return method.lay_out(embeddings, graph, method.config_class(**settings), **given)


@every_method
def test_two_to_twelve_texts_all_get_a_place_of_their_own(method):
    for count in range(2, 13):
        embeddings, _ = groups(count, dim=5)
        layout = laid_out(method, embeddings)
        assert layout.coordinates.shape == (count, 2) and layout.coordinates.dtype == np.float32
        assert np.isfinite(layout.coordinates).all()
        assert len(np.unique(layout.coordinates, axis=0)) == count
        assert layout.used.texts == count and layout.used.method == method.key
        if count in (2, 3, 12):
            after = laid_out(method, embeddings[::-1].copy(), start=layout.coordinates)
            assert np.isfinite(after.coordinates).all() and after.used.aligned


@every_method
def test_one_dimension_and_copies_are_no_trouble(method):
    embeddings = np.repeat(np.arange(1.0, 9.0), 3)[:, None].astype(np.float32)
    assert np.isfinite(laid_out(method, embeddings).coordinates).all()


@every_method
def test_texts_without_a_vector_have_no_place_and_harm_nobody(method):
    embeddings, _ = groups(60)
    embeddings[[4, 9]] = 0
    layout = laid_out(method, embeddings)
    without = np.isnan(layout.coordinates).all(axis=1)
    assert np.flatnonzero(without).tolist() == [4, 9] and layout.used.without_place == 2
    embeddings[4] = embeddings[5] * 1.1  # known after training: it starts amid its neighbors
    after = laid_out(method, embeddings, start=layout.coordinates)
    assert np.flatnonzero(np.isnan(after.coordinates).any(axis=1)).tolist() == [9]


@every_method
@pytest.mark.parametrize("embeddings", [np.ones((50, 4)), np.zeros((50, 4)), np.ones((1, 4)), np.empty((0, 4))])
def test_nothing_to_see_is_said_in_a_sentence(method, embeddings):
    with pytest.raises(CorpusError) as error:
        laid_out(method, embeddings.astype(np.float32))
    assert error.value.code in ("E-CONSTANT", "E-FEW-TEXTS") and error.value.message.endswith(".")


@every_method
def test_the_same_twice_and_on_any_number_of_threads(method):
    embeddings, _ = groups(120)
    quick = {"early_iterations": 50, "iterations": 100} if method is TSNE else {}
    maps = [laid_out(method, embeddings, threads=threads, **quick).coordinates for threads in (1, 1, 2)]
    assert np.array_equal(maps[0], maps[1]) and np.array_equal(maps[0], maps[2])


@every_method
@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_groups_stay_groups(method, distance):
    embeddings, labels = groups()
    layout = laid_out(method, embeddings, distance=distance)
    chance = 1 / 6
    assert cv10_knn(embeddings=layout.coordinates, labels=labels).value > (0.95 if method.key != "pca" else 2 * chance)
    assert layout.used.distance == distance


@every_method
def test_the_map_after_lies_on_the_map_before(method):
    embeddings, _ = groups()
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(16, 16)))
    moved = (embeddings + 0.3 * groups(seed=5)[0]) @ turn.astype(np.float32)
    before = laid_out(method, embeddings).coordinates
    after = laid_out(method, moved, start=before)
    displacement = np.linalg.norm(after.coordinates - before, axis=1).mean() / radius(before)
    assert displacement < (0.6 if method.key == "umap" else 0.35) and after.used.aligned


@every_method
def test_settings_survive_json_and_say_what_they_are(method):
    config = method.config_class()
    assert method.config_class.model_validate_json(config.model_dump_json()) == config
    assert all(field.description for field in method.config_class.model_fields.values())
    assert method.title and method.paper and method.neighbors_needed(config) >= 0


@every_method
def test_progress_is_heard_and_stop_passes_through(method):
    embeddings, _ = groups(80)
    graph, heard = neighbor_graph(embeddings), []
    method.lay_out(embeddings, graph, method.config_class(), progress=lambda *said: heard.append(said))
    stage, done, total = heard[-1]
    assert stage == f"Laying out 80 texts by {method.title}" and 0 < done <= total

    def stop(stage, done=0, total=0):
        if total:
            raise StopRequested

    with pytest.raises(StopRequested):
        method.lay_out(embeddings, graph, method.config_class(), progress=stop)


@every_method
def test_nothing_is_printed(method, capfd):
    embeddings, _ = groups(50)
    before = laid_out(method, embeddings).coordinates
    laid_out(method, embeddings, start=before)
    assert capfd.readouterr() == ("", "")


def test_pca_is_scikit_learns_with_its_signs_fixed():
    embeddings, _ = groups()
    found = laid_out(MAPS["pca"], embeddings)
    judge = SklearnPCA(2, svd_solver="full").fit(embeddings.astype(float))
    expected = judge.transform(embeddings.astype(float))
    size = found.coordinates[:, 0].std() / expected[:, 0].std()
    assert np.allclose(np.abs(found.coordinates), np.abs(expected) * size, atol=1e-4 * size)
    assert found.used.variance_shares == pytest.approx(judge.explained_variance_ratio_.tolist())
    largest = np.abs(found.coordinates).argmax(axis=0)
    assert (found.coordinates[largest, [0, 1]] > 0).all()


def test_tsne_from_the_graph_is_open_tsne_with_its_defaults():
    from openTSNE import TSNE as OpenTSNE
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    from embedlab.maps.base import jittered, principal_axes

    embeddings, _ = groups()
    graph = neighbor_graph(embeddings)
    start = jittered(principal_axes(embeddings.astype(float))[0], spread=1e-4, seed=42)
    index = PrecomputedNeighbors(graph.indices.astype(int), graph.distances.astype(float))
    affinities = PerplexityBasedNN(knn_index=index, perplexity=30)
    own = PerplexityBasedNN(embeddings.astype(float), perplexity=30, method="exact")
    assert np.allclose(affinities.P.toarray(), own.P.toarray(), rtol=1e-3, atol=1e-12)

    def formula(places, p, **_):
        apart = places[:, None] - places[None]
        near = 1 / (1 + (apart**2).sum(axis=-1)) - np.eye(len(places))
        return 0.0, (((p.toarray() - near / near.sum()) * near)[..., None] * apart).sum(axis=1)

    few = {"early_exaggeration_iter": 20, "n_iter": 5, "negative_gradient_method": formula}  # later, digits differ
    exact = OpenTSNE(random_state=42, **few).fit(affinities=affinities, initialization=start)
    found = laid_out(TSNE, embeddings, early_iterations=20, iterations=5).coordinates
    assert np.allclose(found, exact, atol=1e-3 * np.abs(exact).max())
    affinities = PerplexityBasedNN(knn_index=index, perplexity=30)  # the old ones were multiplied and divided
    theirs = OpenTSNE(random_state=42).fit(affinities=affinities, initialization=start).kl_divergence
    assert laid_out(TSNE, embeddings).used.kl_divergence <= 1.01 * theirs


def test_tsne_clamps_its_perplexity_and_says_so():
    embeddings, _ = groups(31)
    used = laid_out(TSNE, embeddings).used
    assert used.neighbors == 30 and used.perplexity == 10
    assert laid_out(TSNE, groups(200)[0], perplexity=20).used.neighbors == 60


def test_the_authors_repository_has_uniform_affinities_and_a_spectral_start():
    embeddings, labels = groups()
    layout = laid_out(TSNE, embeddings, affinity="uniform", initialization="spectral")
    assert layout.used.affinity == "uniform" and layout.used.neighbors == 10
    assert layout.used.initialization == "spectral"
    assert cv10_knn(embeddings=layout.coordinates, labels=labels).value > 0.95
    assert laid_out(TSNE, groups(3)[0], initialization="spectral").used.initialization == "pca"


def test_a_random_start_obeys_its_seed():
    embeddings, _ = groups(60)
    maps = [laid_out(TSNE, embeddings, initialization="random", seed=seed).coordinates for seed in (1, 1, 2)]
    assert np.array_equal(maps[0], maps[1]) and not np.allclose(maps[0], maps[2])


def test_umap_step_by_step_is_umap():
    import warnings

    from umap import UMAP

    embeddings, _ = groups(200)
    graph = neighbor_graph(embeddings, k=14)
    indices = np.hstack([np.arange(200)[:, None], graph.indices]).astype(np.int32)
    distances = np.hstack([np.zeros((200, 1)), graph.distances]).astype(np.float32)
    start = np.random.default_rng(0).normal(size=(200, 2)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that it will use one thread and cannot transform
        known = (indices.copy(), distances.copy())
        judge = UMAP(15, n_epochs=100, init=start.copy(), random_state=42, precomputed_knn=known)
        expected = judge.fit_transform(embeddings)
    found = umap_coordinates(indices, distances, start=start, min_dist=0.1, epochs=100, seed=42)
    assert np.array_equal(found.astype(np.float32), expected)


def test_umap_says_that_a_seed_means_one_thread():
    used = laid_out(MAPS["umap"], groups(40)[0]).used
    assert used.threads == 1 and "one thread" in used.note and used.neighbors == UMAPConfig().neighbors


def test_procrustes_undoes_turning_mirroring_moving_and_scaling():
    shape = np.random.default_rng(0).normal(size=(30, 2))
    mirrored = 3 * shape[:, ::-1] * [1, -1] + [5, 7]
    assert np.allclose(procrustes(mirrored, onto=shape), shape)


def test_procrustes_keeps_the_radius_of_a_map_that_has_nothing_in_common():
    one, other = np.random.default_rng(0).normal(size=(2, 500, 2))
    assert radius(procrustes(one, onto=other)) == pytest.approx(radius(other))


def test_a_typed_text_lies_at_the_median_of_its_ten_nearest():
    coordinates = np.array([[float(i), float(-i)] for i in range(20)])
    coordinates[0] = np.nan
    in_order, alone, unplaced = np.arange(20.0), np.full(20, np.inf), np.full(20, np.inf)
    alone[3], unplaced[0] = 0.1, 0.1
    assert _place(in_order, coordinates) == [5.5, -5.5]  # row 0 has no place: the median of 1..10
    assert _place(alone, coordinates) == [3, -3]
    assert _place(unplaced, coordinates) is None and _place(np.full(20, np.inf), coordinates) is None


def test_the_aligned_map_settles_and_says_how_long_it_took():
    embeddings, _ = groups(60)
    before = laid_out(TSNE, embeddings).coordinates
    used = laid_out(TSNE, embeddings + 0.3 * groups(60, seed=5)[0], start=before).used
    assert used.settled and used.iterations % 250 == 0 and used.initialization == "the map before"
    short = laid_out(TSNE, groups()[0], start=laid_out(TSNE, groups()[0]).coordinates, aligned_iterations=250).used
    assert short.iterations == 250 and not short.settled


@pytest.mark.parametrize(("kept", "raised"), [(1.0, 1.0), (0.0, 12.0)])
def test_attraction_is_raised_by_the_share_of_texts_whose_neighbors_changed(kept, raised):
    embeddings, _ = groups(60)
    before = laid_out(TSNE, embeddings).coordinates
    used = laid_out(TSNE, embeddings, start=before, kept=np.full(60, kept), aligned_iterations=250).used
    assert used.held == kept and used.raised == raised
