"""kNN accuracy: hand-computed values, equality with scikit-learn, extremes, zero vectors."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from embedlab.errors import CorpusError
from embedlab.metrics.knn import cv10_knn, knn_accuracy, train_neighbors
from embedlab.metrics.split import Split, fold_splits
from embedlab.metrics.votes import majority
from embedlab.neighbors import neighbor_graph
from embedlab.vectors import exact


def a_corpus(count: int = 400, dim: int = 8, classes: str = "abcd", seed: int = 0):
    rng = np.random.default_rng(seed)
    labels = rng.choice(list(classes), count).astype(object)
    centres = rng.normal(size=(256, dim))
    embeddings = np.stack([centres[ord(label)] for label in labels]) + rng.normal(size=(count, dim))
    return embeddings.astype(np.float32), labels


def a_split(count: int, seed: int = 1) -> Split:
    rows = np.random.default_rng(seed).permutation(count)
    return Split(train=np.sort(rows[count // 5 :]), test=np.sort(rows[: count // 5]))


def by_sklearn(embeddings, labels, split, k, distance):
    judge = KNeighborsClassifier(k, algorithm="brute", metric=distance)
    judge.fit(embeddings[split.train].astype(float), labels[split.train].astype(str))
    return judge.predict(embeddings[split.test].astype(float))


def test_three_neighbors_on_a_line():
    # texts at 0 1 2 (a a b) and 10 11 12 (b b a); tested: 0.4 says a (right), 10.6 says b (labelled a, wrong)
    result = knn_accuracy(
        embeddings=np.array([[1.0], [2.0], [3.0], [11.0], [12.0], [13.0], [1.4], [11.6]]),
        labels=np.array(list("aabbbaaa"), object),
        split=Split(train=np.arange(6), test=np.array([6, 7])),
        k=3,
    )
    assert result.predictions.tolist() == ["a", "b"] and result.correct.tolist() == [True, False]
    assert result.value == 0.5 and result.standard_error == pytest.approx((0.5 * 0.5 / 2) ** 0.5)
    assert (result.test_texts, result.k, result.zero_vectors) == (2, 3, 0)


def test_ties_go_to_the_class_first_in_sorted_order():
    labels = np.array(["b", "a", "b", "a", "Z"], object)
    assert majority(np.array([[0, 1], [4, 1], [2, 3]]), labels).tolist() == ["a", "Z", "a"]  # capitals sort first
    assert majority(np.array([[0, -1, -1], [-1, -1, -1]]), labels).tolist() == ["b", None]


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("labelled_share", [1.0, 0.05, 0.02])
@pytest.mark.parametrize("k", [1, 10])
def test_a_graph_gives_what_scikit_learn_gives(distance, labelled_share, k):
    embeddings, labels = a_corpus(1200)
    labels[np.random.default_rng(2).random(1200) > labelled_share] = None
    labelled = np.flatnonzero([label is not None for label in labels])
    part = a_split(len(labelled))
    split = Split(train=labelled[part.train], test=labelled[part.test])
    graph = neighbor_graph(embeddings, k=30, distance=distance)
    near = train_neighbors(embeddings=embeddings, split=split, k=k, distance=distance, graph=graph)
    assert majority(near, labels).tolist() == by_sklearn(embeddings, labels, split, k, distance).tolist()


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_without_a_graph_it_is_the_same(distance):
    embeddings, labels = a_corpus(600)
    split = a_split(600)
    result = knn_accuracy(embeddings=embeddings, labels=labels, split=split, distance=distance)
    assert result.predictions.tolist() == by_sklearn(embeddings, labels, split, 10, distance).tolist()
    assert result.value == (result.predictions == labels[split.test]).mean()


def test_rotation_and_shift_change_nothing_and_scaling_a_text_nothing_by_cosine():
    embeddings, labels = a_corpus()
    split = a_split(400)
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(8, 8)))
    lengths = np.random.default_rng(4).uniform(0.1, 10, size=(400, 1))
    told = [
        knn_accuracy(embeddings=e, labels=labels, split=split, distance=d).predictions.tolist()
        for e, d in [
            (embeddings, "euclidean"),
            (embeddings @ turn + 7, "euclidean"),
            (embeddings, "cosine"),
            (embeddings * lengths, "cosine"),
        ]
    ]
    assert told[0] == told[1] and told[2] == told[3]


def test_perfect_chance_and_more_neighbors_than_texts():
    labels = np.array(list("ab") * 50, object)
    apart = np.where(labels == "a", 1.0, 5.0)[:, None] + np.arange(100)[:, None] * 1e-3
    split = a_split(100)
    assert knn_accuracy(embeddings=apart, labels=labels, split=split).value == 1.0
    noise = np.random.default_rng(0).normal(size=(3000, 5))
    many = np.random.default_rng(1).choice(list("ab"), 3000).astype(object)
    assert abs(knn_accuracy(embeddings=noise, labels=many, split=a_split(3000)).value - 0.5) < 0.07
    few = Split(train=np.arange(3), test=np.arange(3, 100))
    assert knn_accuracy(embeddings=apart, labels=labels, split=few).k == 3


def test_zero_and_non_finite_vectors_are_never_neighbors_wrong_when_tested_and_counted():
    embeddings = np.array([[0, 0], [1, 0.1], [1, 0], [0, 1], [np.nan, 1], [0, 1.1], [0.01, 0.01], [0, 0]], np.float32)
    labels = np.array(list("xaabxbbx"), object)
    split = Split(train=np.array([0, 1, 2, 3, 4, 5]), test=np.array([6, 7]))
    result = knn_accuracy(embeddings=embeddings, labels=labels, split=split, k=3)
    assert result.predictions[0] in ("a", "b")  # by Euclidean distance the zero vector at row 0 would be nearest
    assert result.predictions[1] is None and not result.correct[1]
    assert result.zero_vectors == 3
    given = {"embeddings": embeddings, "split": split, "k": 3, "distance": "euclidean"}
    by_search, by_graph = (train_neighbors(**given, graph=graph) for graph in (None, neighbor_graph(embeddings)))
    assert {*by_graph[0]} == {*by_search[0]} == {1, 2, 3} and {*by_graph[1]} == {*by_search[1]} == {-1}


def test_a_collapsed_encoder_is_all_wrong_not_an_error():
    labels = np.array(list("ab") * 10, object)
    result = knn_accuracy(embeddings=np.zeros((20, 4)), labels=labels, split=a_split(20))
    assert result.value == 0.0 and result.zero_vectors == 20


def test_no_test_texts_are_a_result_without_texts():
    split = Split(train=np.arange(3), test=np.empty(0, int))
    result = knn_accuracy(embeddings=np.ones((3, 2)), labels=np.array(list("aab"), object), split=split)
    assert result.test_texts == 0 and result.value == 0.0


def test_cv10_tests_every_labelled_text_once_as_scikit_learn_does():
    embeddings, labels = a_corpus(500, dim=2)
    labels[::7] = None
    result = cv10_knn(embeddings=embeddings, labels=labels)
    right = [
        by_sklearn(embeddings, labels, split, 10, "euclidean") == labels[split.test] for split in fold_splits(labels)
    ]
    assert result.value == np.concatenate(right).mean() and result.protocol == "cv10"
    assert result.test_rows.tolist() == np.flatnonzero([label is not None for label in labels]).tolist()
    graph = neighbor_graph(embeddings, k=40)
    for split, correct in zip(fold_splits(labels), right, strict=True):
        near = train_neighbors(embeddings=embeddings, split=split, k=10, distance="euclidean", graph=graph)
        assert (majority(near, labels) == labels[split.test]).tolist() == correct.tolist()


def test_cv10_of_one_class_is_refused_with_a_sentence():
    with pytest.raises(CorpusError, match="two classes"):
        cv10_knn(embeddings=np.ones((5, 2)), labels=np.array(["a"] * 5, object))


def test_in_the_plane_a_tree_finds_the_same_neighbors(monkeypatch):
    rng = np.random.default_rng(5)
    base, queries = rng.normal(size=(700, 2)), rng.normal(size=(90, 2))
    base[10:16] = base[9]  # equal distances in file order
    queries[0], queries[1] = base[9], np.nan
    by_tree = exact.nearest_rows(queries=queries, base=base, k=10, distance="euclidean")
    monkeypatch.setattr(exact, "PLANE", 0)
    by_product = exact.nearest_rows(queries=queries, base=base, k=10, distance="euclidean")
    np.testing.assert_array_equal(by_tree[0], by_product[0])
    np.testing.assert_array_equal(by_tree[1], by_product[1])
    assert by_tree[0][0, :7].tolist() == list(range(9, 16)) and (by_tree[0][1] == -1).all()


def twice(embeddings, labels):
    """Every text a second time, the copies after all originals, with their numbers."""
    numbers = np.arange(len(labels))
    return (
        np.concatenate([embeddings, embeddings]),
        np.concatenate([labels, labels]),
        np.concatenate([numbers, numbers]),
    )


def random_texts(count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Vectors that say nothing of their labels: whoever is right by more than chance has seen a copy."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(count, 8)), rng.choice(list("abcdefgh"), count).astype(object)


@pytest.mark.parametrize("shuffled", [False, True])
def test_with_every_text_twice_ten_folds_know_no_more_than_before(shuffled):
    embeddings, labels, copies = twice(*random_texts())
    leaking = cv10_knn(embeddings=embeddings, labels=labels, shuffled=shuffled, k=1).value
    kept = cv10_knn(embeddings=embeddings, labels=labels, shuffled=shuffled, k=1, copies=copies).value
    assert leaking > 0.8 and kept < 0.2  # chance is 1/8


def test_copies_are_left_out_of_the_graph_as_of_the_search():
    embeddings, labels, copies = twice(*random_texts())
    graph = neighbor_graph(embeddings.astype(np.float32), k=12)
    for split in fold_splits(labels, copies=copies):
        given = {"embeddings": embeddings.astype(np.float32), "split": split, "k": 3, "distance": "euclidean"}
        by_graph, by_search = train_neighbors(**given, graph=graph), train_neighbors(**given)
        assert by_graph.tolist() == by_search.tolist()


def test_without_copies_cv10_is_exactly_the_published_protocol():
    embeddings, labels = random_texts()
    numbers = np.arange(len(labels))
    found = [cv10_knn(embeddings=embeddings, labels=labels, copies=each) for each in (None, numbers)]
    assert found[0].predictions.tolist() == found[1].predictions.tolist()


def test_a_text_among_its_own_neighbors_is_left_out_and_a_lonely_one_has_nobody_to_ask():
    embeddings = np.array([[1.0], [1.1], [5.0], [5.1], [5.2]])
    labels = np.array(["a", "a", "b", "b", "b"], object)
    rows, copies = np.arange(5), np.array([0, 0, 1, 1, 1])
    split = Split(train=rows, test=rows, copies=rows)  # as development texts are measured
    assert knn_accuracy(embeddings=embeddings, labels=labels, split=split, k=1).value == 1
    split = Split(train=rows, test=rows, copies=copies)  # all of a class are copies: only the others are left to ask
    found = knn_accuracy(embeddings=embeddings, labels=labels, split=split, k=2)
    assert found.predictions.tolist() == ["b", "b", "a", "a", "a"]
    split = Split(train=rows[:2], test=rows[:2], copies=copies)
    assert knn_accuracy(embeddings=embeddings, labels=labels, split=split).predictions.tolist() == [None, None]


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("rows", [1, 7, 300, 1000])
def test_the_searched_rows_may_be_made_ready_in_blocks_of_any_size(monkeypatch, distance, rows):
    rng = np.random.default_rng(0)
    base = (rng.standard_normal((1000, 40)) + 5 * rng.standard_normal(40)).astype(np.float32)
    base[[400, 999]] = base[5]  # equal distances come in file order, also from different blocks
    base[7], base[9] = 0, np.nan
    queries = np.concatenate([base[:20], rng.standard_normal((30, 40)).astype(np.float32)])
    whole = exact.nearest_rows(queries=queries, base=base, k=12, distance=distance)
    monkeypatch.setattr(exact, "BLOCK_ROWS", rows)
    found = exact.nearest_rows(queries=queries, base=base, k=12, distance=distance)
    assert whole[0][5].tolist()[:3] == [5, 400, 999]
    for one, other in zip(found, whole, strict=True):
        assert np.array_equal(one, other), "the same to the bit"


@pytest.mark.parametrize("count", [1, 26, 299])
@pytest.mark.parametrize("kinds", [5, 10**6])
def test_the_smallest_values_of_each_row_are_those_that_sorting_finds(count, kinds):
    values = np.random.default_rng(0).integers(kinds, size=(40, 300)).astype(float)
    columns = exact._smallest(values, count)
    assert (np.diff(columns, axis=1) > 0).all(), "each once, in column order"
    chosen = np.sort(np.take_along_axis(values, columns, axis=1), axis=1)
    assert np.array_equal(chosen, np.sort(values, axis=1)[:, :count])
