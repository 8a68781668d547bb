"""Centring and whitening: by hand, against scikit-learn, and what they leave as it is."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import Split
from embedlab.postprocessing.centre_whiten import Centre, NormaliseConfig, Whiten


def centred(vectors, **settings) -> np.ndarray:
    vectors = np.asarray(vectors, np.float32)
    return Centre.fit_transform(vectors, np.arange(len(vectors)), NormaliseConfig(**settings)).embeddings


def whitened(vectors, **settings):
    vectors = np.asarray(vectors, np.float32)
    return Whiten.fit_transform(vectors, np.arange(len(vectors)), NormaliseConfig(**settings))


def anisotropic(texts: int, dim: int, seed: int = 0) -> np.ndarray:
    """Correlated dimensions around a mean far from the origin."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(texts, dim)) @ rng.normal(size=(dim, dim)) + 5).astype(np.float32)


def distances(vectors: np.ndarray) -> np.ndarray:
    vectors = vectors.astype(np.float64)
    return np.linalg.norm(vectors[:, None] - vectors[None], axis=2)


def test_centring_three_texts_by_hand():
    np.testing.assert_array_equal(centred([[1, 4], [3, 0], [5, 2]]), [[-2, 2], [0, -2], [2, 0]])


def test_centring_unit_vectors_by_hand():  # (3, 4) -> (.6, .8), (0, 2) -> (0, 1), mean (.3, .9)
    np.testing.assert_allclose(centred([[3, 4], [0, 2]], normalise_first=True), [[0.3, -0.1], [-0.3, 0.1]], atol=1e-7)


def test_centred_embeddings_have_mean_zero_and_the_same_distances():
    vectors = anisotropic(50, 6)
    found = centred(vectors)
    np.testing.assert_allclose(found.mean(axis=0, dtype=np.float64), 0, atol=1e-6)
    np.testing.assert_allclose(distances(found), distances(vectors), rtol=1e-5, atol=1e-5)


def test_euclidean_knn_accuracy_of_centred_embeddings_is_the_raw_one():  # Table S2: raw = centred, 37.4 and 58.9 %
    rng = np.random.default_rng(0)
    labels = np.array(["a", "b", "c"] * 100, dtype=object)
    vectors = (rng.normal(size=(300, 5)) + 4 + (labels == "a")[:, None]).astype(np.float32)
    split = Split(train=np.arange(200), test=np.arange(200, 300))

    def share(embeddings, distance):
        return knn_accuracy(embeddings=embeddings, labels=labels, split=split, distance=distance).value

    assert share(centred(vectors), "euclidean") == share(vectors, "euclidean")
    assert share(centred(vectors), "cosine") != share(vectors, "cosine")


def test_whitening_a_rectangle_by_hand():
    # corners (±3, ±1) around (10, 20): variances 4·9/3 = 12 and 4/3, so every coordinate becomes ±√3/2
    corners = [[13, 21], [13, 19], [7, 21], [7, 19]]
    half = np.sqrt(3) / 2
    expected = np.array([[half, half], [half, -half], [-half, half], [-half, -half]])
    np.testing.assert_allclose(whitened(corners).embeddings, expected, rtol=1e-6)


@pytest.mark.parametrize("texts", [400, 40])
def test_whitening_equals_that_of_scikit_learn_up_to_signs(texts):
    vectors = anisotropic(texts, 12)
    theirs = PCA(whiten=True, svd_solver="full").fit_transform(vectors.astype(np.float64))
    ours = whitened(vectors).embeddings
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours, theirs * signs, rtol=1e-5, atol=1e-5)


def test_whitened_embeddings_have_the_identity_as_covariance():
    found = whitened(anisotropic(300, 8)).embeddings.astype(np.float64)
    np.testing.assert_allclose(np.cov(found.T), np.eye(8), atol=1e-5)


def test_whitening_does_not_feel_an_invertible_linear_map():
    vectors = anisotropic(200, 4)
    mixing = np.array([[2.0, 1, 0, 0], [0, 1, 0, 3], [0, 0, -4, 0], [1, 0, 0, 1]])
    mixed = vectors.astype(np.float64) @ mixing + 7
    np.testing.assert_allclose(
        distances(whitened(vectors).embeddings), distances(whitened(mixed).embeddings), rtol=1e-4, atol=1e-4
    )


def test_components_without_variance_are_dropped_and_said():
    vectors = anisotropic(100, 5)
    constant, copied, tenth = np.full((100, 1), 3.3, np.float32), vectors[:, :1], np.float32(0.1) * vectors[:, 1:2]
    processed = whitened(np.hstack([constant, vectors, copied, tenth]))
    assert processed.used["components"] == 5
    assert processed.used["remarks"] == ["3 of 8 components have no variance and are dropped."]
    assert (processed.embeddings[:, 5:] == 0).all()
    np.testing.assert_allclose(
        distances(processed.embeddings), distances(whitened(vectors).embeddings), rtol=1e-4, atol=1e-4
    )


def test_fewer_texts_than_dimensions_leave_one_component_less_than_texts_and_a_warning():
    processed = whitened(anisotropic(6, 20))
    assert processed.used["components"] == 5 and "same distance from each other" in processed.used["remarks"][1]
    apart = distances(processed.embeddings)[~np.eye(6, dtype=bool)]
    np.testing.assert_allclose(apart, np.sqrt(2 * 5), rtol=1e-4)  # Z Zᵀ = (n-1)(1 - 11ᵀ/n): |z_i - z_j|² = 2(n-1)


@pytest.mark.parametrize(
    ("texts", "components", "said"),
    [(100, 8, []), (10, 8, []), (9, 8, ["9 texts"]), (100, 7, ["1 of 8"]), (8, 7, ["1 of 8", "8 texts"])],
)
def test_what_whitening_loses_is_remarked_and_nothing_else(texts, components, said):
    constant = np.full((texts, 8 - components), 3.3, np.float32)
    used = whitened(np.hstack([anisotropic(texts, components), constant])).used
    found = used["remarks"]
    assert (
        used["components"] == components
        and len(found) == len(said)
        and all(each in remark for each, remark in zip(said, found, strict=True))
    )
