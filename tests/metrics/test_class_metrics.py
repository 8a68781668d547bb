"""Clustering, same-class neighbors and near-duplicates: values on paper, extremes, what is refused."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import cosine_similarity

from embedlab.errors import CorpusError
from embedlab.metrics import METRICS
from embedlab.metrics.base import Labelled
from embedlab.metrics.clustering import adjusted_rand, v_measure
from embedlab.metrics.split import Split, fold_splits, near_duplicates
from embedlab.metrics.tfidf import tfidf_embeddings
from embedlab.vectors.exact import nearest_rows, unit_rows, usable

CLUSTERING, FIVE, KNN = METRICS["clustering"], METRICS["neighbors-5"], METRICS["knn"]


def blobs(sizes: dict[str, int], seed: int = 0, apart: float = 8.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([[label] * size for label, size in sizes.items()]).astype(object)
    centres = {label: apart * rng.normal(size=6) for label in sizes}
    return np.stack([centres[label] for label in labels]) + rng.normal(size=(len(labels), 6)), labels


def test_v_measure_and_rand_index_on_paper():
    # two classes of 2 and 2 in clusters of 3 and 1: I = H(K) - H(K|C) with H(K) = 2 - .75 log2 3, H(K|C) = 1/2 bit
    table = np.array([[2, 0], [1, 1]])
    entropy = 2 - 0.75 * np.log2(3)
    assert v_measure(table) == pytest.approx(2 * (entropy - 0.5) / (1 + entropy))
    # pairs together in both: 1; in classes: 2; in clusters: 3; of 6: (1 - 1) / (2.5 - 1) = 0
    assert adjusted_rand(table) == pytest.approx(0.0)
    assert v_measure(np.array([[2, 0], [0, 2]])) == 1 and v_measure(np.array([[2], [2]])) == pytest.approx(0)
    assert v_measure(np.stack([table, [[2, 0], [0, 2]]])).shape == (2,)


def test_only_labelled_texts_among_the_rows_are_clustered():
    embeddings, labels = blobs({"a": 40, "b": 40, "c": 40})
    labels[:5] = None
    found = CLUSTERING.measure(Labelled(embeddings, labels, None, rows=np.arange(3, 110)))
    assert found.units["rows"].tolist() == list(range(5, 110)) and found.n == 105
    assert found.facts["classes"] == 3 and found.units["clusters"].shape == (105, 10)
    again = CLUSTERING.measure(Labelled(embeddings, labels, None, rows=np.arange(3, 110)))
    assert (again.units["clusters"] == found.units["clusters"]).all()


def test_unrelated_classes_have_a_v_measure_near_zero():
    embeddings, labels = blobs({"a": 500, "b": 500}, apart=0.0)
    found = CLUSTERING.measure(Labelled(embeddings, labels, None))
    assert found.value < 0.02 and abs(found.facts["ari"]) < 0.02


def test_zero_vectors_of_one_class_do_not_make_a_cluster_of_their_own():
    embeddings, labels = blobs({"a": 60, "b": 50, "c": 40})
    whole = CLUSTERING.measure(Labelled(embeddings, labels, None)).value
    embeddings[labels == "c"] = 0
    found = CLUSTERING.measure(Labelled(embeddings, labels, None))
    assert found.facts["zero_vectors"] == 40 and found.value < whole - 0.1
    for clusters in found.units["clusters"].T:
        assert set(clusters[labels == "c"]) == {np.bincount(clusters[labels != "c"]).argmax()}


def test_one_class_cannot_be_clustered():
    with pytest.raises(CorpusError, match="all 9 labeled texts are 'a'") as found:
        CLUSTERING.measure(Labelled(np.ones((9, 2)), np.array(["a"] * 9, object), None))
    assert found.value.code == "W-ONE-CLASS"


def test_fewer_distinct_vectors_than_classes_are_a_low_value_not_an_error():
    labels = np.array(list("abcd") * 5, object)
    assert CLUSTERING.measure(Labelled(np.ones((20, 3)), labels, None)).value == pytest.approx(0)


def test_five_neighbors_each_count():
    # train at 0 1 2 3 4 (a a b b b), far away c; tested at 2.1: two of its five nearest are of class a
    embeddings = np.array([[0.0], [1], [2], [3], [4], [99], [2.1], [2.2]]) + 1
    labels = np.array(list("aabbbcaa"), object)
    found = FIVE.measure(Labelled(embeddings, labels, Split(np.arange(6), np.array([6])))).euclidean
    assert found.value == pytest.approx(2 / 5) and found.n == 1
    few = FIVE.measure(Labelled(embeddings, labels, Split(np.arange(3), np.array([6, 7])))).euclidean
    assert few.value == pytest.approx(2 / 3)


def test_by_ten_folds_every_labelled_text_is_asked_once():
    embeddings, labels = blobs({"a": 40, "b": 40})
    found = FIVE.measure(Labelled(embeddings, labels, None, protocol="cv10")).euclidean
    assert found.units["rows"].tolist() == list(range(80)) and found.value == 1.0


def test_near_duplicates_are_found_by_their_words_and_left_out_beside_the_score():
    words = [f"word{number}" for number in range(400)]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words, 30)) for _ in range(60)]
    texts[50] = f"{texts[3]} {texts[3].split()[0]}"  # nearly a copy of a train text
    texts[51] = texts[52]  # of another test text: that is none
    texts[53] = ""
    texts[54], texts[55] = (" ".join([*texts[row].split()[:kept], "anew"]) for row, kept in ((4, 28), (5, 22)))
    split = Split(np.arange(50), np.arange(50, 60))
    near = near_duplicates(tfidf_embeddings(texts), split)
    closest = cosine_similarity(tfidf_embeddings(texts)[50:], tfidf_embeddings(texts)[:50]).max(axis=1)
    assert closest[0] > 0.99 and 0.9 < closest[4] < 0.98 and 0.75 < closest[5] < 0.9
    assert np.flatnonzero(near).tolist() == [50, 54]
    embeddings, labels = blobs({"a": 30, "b": 30}, apart=0.2)
    found = KNN.measure(Labelled(embeddings, labels, split, near_duplicates=near)).euclidean
    assert found.facts["near_duplicates"] == 2
    assert found.facts["without_near_duplicates"] == pytest.approx(np.delete(found.units["correct"], [0, 4]).mean())
    assert "near_duplicates" not in KNN.measure(Labelled(embeddings, labels, split)).euclidean.facts


def test_near_duplicates_by_folds_are_those_of_another_fold():
    texts = [
        f"the same words here {row} unlike{row}" if row % 2 else f"other{row} only{row} row{row}" for row in range(40)
    ]
    texts[30] = texts[10]
    labels = np.array(list("aabb") * 10, object)
    vectors = tfidf_embeddings(texts)
    near = np.any([near_duplicates(vectors, split) for split in fold_splits(labels)], axis=0)
    assert set(np.flatnonzero(near)) == {10, 30}


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_nearest_rows_of_sparse_vectors_are_those_of_dense_ones(distance):
    rng = np.random.default_rng(3)
    points = rng.integers(1, 4, (300, 40)) * (rng.random((300, 40)) < 0.1).astype(float)  # ties, copies, zero rows
    points[7, 3] = np.nan
    dense = nearest_rows(queries=points[:50], base=points[50:], k=12, distance=distance)
    sparse = nearest_rows(queries=csr_matrix(points[:50]), base=csr_matrix(points[50:]), k=12, distance=distance)
    assert np.allclose(dense[1], sparse[1], atol=1e-9)
    strict = (
        np.diff(np.minimum(dense[1], 1e9), axis=1) > 1e-9
    )  # where neighbors differ in distance the rows are the same
    inner = strict[:, :-1] & strict[:, 1:]
    assert (dense[0][:, 1:-1] == sparse[0][:, 1:-1])[inner].all() and inner.sum() > 50
    assert usable(csr_matrix(points)).tolist() == usable(points).tolist() and not usable(points).all()
    assert np.allclose(unit_rows(csr_matrix(points)).toarray(), unit_rows(points))
