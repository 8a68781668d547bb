"""Ten folds over all labeled texts: scikit-learn's predictions, votes by hand, the interval by hand."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from embedlab.metrics.split import cv10_folds, fold_splits
from embedlab.metrics.ten_fold import FACTOR, few_difference, fold_difference, fold_predictions
from embedlab.metrics.tfidf import reference_lines
from embedlab.neighbors import neighbor_graph


def gaussian_classes(count: int = 500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.choice(list("abcd"), count).astype(object)
    return np.array([[ord(label) - 97.0, 0, 0] for label in labels]) + 0.6 * rng.normal(size=(count, 3)), labels


def changes(gained: int, lost: int, n: int) -> dict:
    before, after = np.zeros(n, bool), np.zeros(n, bool)
    after[:gained] = True
    before[gained : gained + lost] = True
    return {"before": before, "after": after}


def test_the_shuffled_folds_are_scikit_learns_with_seed_42_and_cv10_stays_in_file_order():
    labels = np.array(sorted("abbcccdddd" * 30), object)
    for shuffled, theirs in ((True, StratifiedKFold(10, shuffle=True, random_state=42)), (False, StratifiedKFold(10))):
        folds = cv10_folds(labels, shuffled=shuffled)
        for fold, (_, test) in enumerate(theirs.split(np.zeros(len(labels)), labels.astype(str))):
            assert np.flatnonzero(folds == fold).tolist() == test.tolist()
    assert {split.protocol for split in fold_splits(labels, shuffled=True)} == {"folds"}


@pytest.mark.parametrize("by_graph", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.8])
def test_predictions_are_scikit_learns_also_where_the_graph_does_not_reach(by_graph, missing):
    embeddings, labels = gaussian_classes()
    labels[np.random.default_rng(3).random(500) < missing] = None
    graph = neighbor_graph(embeddings.astype(np.float32), k=20 if by_graph else 1)
    found = fold_predictions(embeddings=embeddings.astype(np.float32), labels=labels, graph=graph)
    labelled = np.flatnonzero([label is not None for label in labels])
    assert found.rows.tolist() == labelled.tolist()
    for split in fold_splits(labels, shuffled=True):
        judge = KNeighborsClassifier(10, algorithm="brute").fit(
            embeddings[split.train], labels[split.train].astype(str)
        )
        at = np.searchsorted(labelled, split.test)
        assert found.predictions[at].tolist() == judge.predict(embeddings[split.test]).tolist()
        most = 10 * judge.predict_proba(embeddings[split.test]).max(axis=1)
        assert found.votes[at].tolist() == np.rint(most).astype(int).tolist()
    assert sorted(set(found.folds)) == list(range(10))


def test_votes_of_three_texts_by_hand():
    # two clusters of six; in each fold of six the others of the own cluster are the nearest, one of them mislabelled
    places = np.array([[0.0, n] for n in range(6)] + [[99.0, n] for n in range(6)])
    labels = np.array(list("aaaaab" + "bbbbbb"), object)
    found = fold_predictions(embeddings=places, labels=labels, graph=neighbor_graph(places), k=3)
    assert found.predictions[5] == "a" and found.votes[5] == 3  # its three nearest are all labeled a
    assert found.predictions[11] == "b" and found.votes[11] == 3


def test_a_text_without_a_vector_is_predicted_by_nobody():
    embeddings, labels = gaussian_classes(60)
    embeddings[7] = 0
    for k in (1, 59):
        graph = neighbor_graph(embeddings.astype(np.float32), k=k)
        found = fold_predictions(embeddings=embeddings, labels=labels, graph=graph)
        assert found.predictions[7] is None and found.votes[7] == 0 and found.predictions[8] is not None


def test_the_interval_by_hand():
    # n = 100, 20 gained, 10 lost: mean .1, sd √((.3 − .01)·100/99) = .541229; half = 1.96 · 1.45 · sd / 10 = .153817
    found = fold_difference(**changes(20, 10, 100))
    assert found.value == pytest.approx(0.1) and found.n == 100 and FACTOR == 1.45
    assert (found.low, found.high) == pytest.approx((0.1 - 0.153817, 0.1 + 0.153817), abs=1e-6)


def test_where_nothing_changed_the_interval_is_not_of_width_0():
    # Bonett–Price of n = 98, b = c = 0: 1.96 √((.01 + .01)/100) = .027719, times 1.45
    for found in (fold_difference(**changes(0, 0, 98)), few_difference(**changes(0, 0, 98))):
        assert (found.low, found.value, found.high) == pytest.approx((-0.040192, 0, 0.040192), abs=1e-6)


def test_for_many_texts_both_intervals_agree():
    one, other = fold_difference(**changes(900, 500, 9000)), few_difference(**changes(900, 500, 9000))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-4)


def test_references_by_shuffled_folds_test_every_text_that_chooses_nothing_and_ties_stay_in_file_order():
    from embedlab.copies import numbered_copies
    from embedlab.metrics.split import paper_split, untested_rows
    from embedlab.metrics.tfidf import tfidf_embeddings

    rng = np.random.default_rng(0)
    words = [f"word{n}" for n in range(12)]  # few words, so that many similarities are equal
    texts = [" ".join(rng.choice(words, 3)) + f" {'same' if n % 2 else ''}" for n in range(300)]
    labels = np.array([f"c{n % 3}" for n in range(300)], object)
    split = paper_split([f"{text} {n}" for n, text in enumerate(texts)], labels)
    found = reference_lines(texts, labels, split, protocol="folds")
    untested = untested_rows(split, numbered_copies(texts))
    tested = np.setdiff1d(np.arange(300), untested)
    assert found["tfidf"].test_rows.tolist() == tested.tolist() and found["svd"].protocol == "folds"
    said = np.full(300, None, object)
    said[tested] = found["tfidf"].predictions
    dense = tfidf_embeddings(texts).toarray()
    for part in fold_splits(labels, shuffled=True):
        near = np.argsort(-(dense[part.test] @ dense[part.train].T).round(5), axis=1, kind="stable")[:, :10]
        mine, is_tested = said[part.test], np.isin(part.test, tested)
        theirs = [max(sorted(set(labels[part.train[row]])), key=list(labels[part.train[row]]).count) for row in near]
        assert np.mean((mine == np.array(theirs))[is_tested]) > 0.9  # equal similarities differ in their last digit
