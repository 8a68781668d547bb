"""Linear probe, TF-IDF lines, and the contract that all metrics share."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from embedlab.distance import EUCLIDEAN
from embedlab.measurement import shown_by
from embedlab.metrics import METRICS
from embedlab.metrics.base import Labelled
from embedlab.metrics.linear_probe import _gradient_norm, probe
from embedlab.metrics.split import Split, paper_split
from embedlab.metrics.tfidf import reference_lines, svd_embeddings, tfidf_embeddings

WORDS = {
    "fruit": "apple pear plum cherry grape",
    "tool": "hammer saw drill wrench chisel",
    "sky": "sun moon star comet cloud",
}


def a_corpus(count: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    labels = rng.choice(sorted(WORDS), count).astype(object)
    noise = [f"word{i}" for i in range(60)]
    texts = [
        " ".join([*rng.choice(WORDS[label].split(), 2), *rng.choice(noise, 8), f"number{row}"])
        for row, label in enumerate(labels)
    ]
    return texts, labels


def a_labelled_cloud(count: int = 200, dim: int = 5, seed: int = 0):
    """Three overlapping classes on dimensions of very different width, and a split."""
    rng = np.random.default_rng(seed)
    embeddings = (rng.normal(size=(count, dim)) * np.logspace(-1, 2, dim)).astype(np.float32)
    centre = embeddings[:, 0] / 0.1 + rng.normal(size=count)
    labels = np.select([centre > 0.7, centre < -0.7], ["b", "a"], "c").astype(object)
    return embeddings, labels, paper_split([str(i) for i in range(count)], labels)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_probe_ends_where_another_solver_of_the_same_model_ends(classes):
    embeddings, labels, split = a_labelled_cloud()
    if classes == 2:
        labels = np.where(labels == "c", "b", labels).astype(object)
    scaled = StandardScaler().fit(embeddings[split.train])
    judge = LogisticRegression(C=100 / 5, solver="newton-cholesky", tol=1e-6)
    judge.fit(scaled.transform(embeddings[split.train]), labels[split.train].astype(str))
    found = probe(embeddings=embeddings, labels=labels, split=split)
    assert found.predictions.tolist() == judge.predict(scaled.transform(embeddings[split.test])).tolist()
    assert found.correct.tolist() == (found.predictions == labels[split.test]).tolist()
    assert 0 < found.gradient_norm < 1e-4


def test_the_gradient_norm_is_that_of_the_loss_by_finite_differences():
    embeddings, labels, split = a_labelled_cloud(dim=3)
    rows, own = StandardScaler().fit_transform(embeddings[split.train]), labels[split.train].astype(str)
    model = LogisticRegression(C=7.0, solver="lbfgs", tol=0.05).fit(rows, own)  # far from its end
    chosen = np.searchsorted(model.classes_, own)

    def loss(numbers: np.ndarray) -> float:
        weights, intercepts = numbers[:9].reshape(3, 3), numbers[9:]
        scores = rows @ weights.T + intercepts
        fit = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(rows)), chosen]
        return fit.mean() + (weights**2).sum() / (2 * 7.0 * len(rows))

    numbers = np.concatenate([model.coef_.ravel(), model.intercept_])
    slopes = [(loss(numbers + step) - loss(numbers - step)) / 2e-5 for step in 1e-5 * np.eye(12)]
    assert _gradient_norm(model, rows, own) == pytest.approx(np.linalg.norm(slopes), rel=1e-4)


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_the_probe_does_not_depend_on_the_order_of_the_rows(form):
    embeddings, labels, split = a_labelled_cloud(count=400, dim=20)
    embeddings[::7] = embeddings[1]  # copies, some with another label
    expected = probe(embeddings=form(embeddings), labels=labels, split=split)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(400)
        place = np.argsort(order)
        shuffled = Split(train=np.sort(place[split.train]), test=np.sort(place[split.test]))
        found = probe(embeddings=form(embeddings[order]), labels=labels[order], split=shuffled)
        by_row = dict(zip(order[shuffled.test], found.predictions, strict=True))
        assert [by_row[row] for row in split.test] == expected.predictions.tolist()
        assert found.gradient_norm == expected.gradient_norm, "to the last bit"


def test_the_probe_is_not_trained_on_copies_of_the_texts_it_tests():
    """Of two classes at 0 and 10, the test text is a "b" at 0; its copy in train alone could tell it."""
    embeddings = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [10.2], [0.05], [0.05]]) + 1
    embeddings = np.hstack([embeddings, np.array([[0], [0], [0], [0], [0], [0], [50], [50]])])
    labels = np.array(list("aaabbbbb"), object)
    known = probe(embeddings=embeddings, labels=labels, split=Split(np.arange(7), np.array([7])))
    copies = np.array([0, 1, 2, 3, 4, 5, 6, 6])
    unknown = probe(embeddings=embeddings, labels=labels, split=Split(np.arange(7), np.array([7]), copies=copies))
    assert known.correct.all() and not unknown.correct.any()


def test_ten_folds_of_the_probe_leave_copies_out_and_show_the_worst_gradient():
    rng = np.random.default_rng(0)
    embeddings, labels = np.repeat(rng.normal(size=(60, 80)), 2, axis=0), rng.choice(["a", "b"], 60).repeat(2)
    order = rng.permutation(120)
    embeddings, labels, copies = embeddings[order], labels[order].astype(object), np.arange(60).repeat(2)[order]
    by_chance, remembered = (
        METRICS["linear"].measure(Labelled(embeddings, labels, None, protocol="cv10", copies=known))
        for known in (copies, None)
    )
    assert remembered.value > 0.9 and by_chance.value < 0.65
    assert 0 < by_chance.facts["gradient_norm"] < 1e-4


def test_the_probe_counts_zero_vectors_as_wrong_and_survives_nothing_but_those():
    texts, labels = a_corpus(100)
    split = paper_split(texts, labels)
    assert not probe(embeddings=np.zeros((100, 3)), labels=labels, split=split).correct.any()


def test_tfidf_and_svd_lines_are_what_scikit_learn_gives():
    texts, labels = a_corpus()
    split = paper_split(texts, labels)
    lines = reference_lines(texts, labels, split)
    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    judge = KNeighborsClassifier(10).fit(vectors[split.train].toarray(), labels[split.train].astype(str))
    expected = judge.score(vectors[split.test].toarray(), labels[split.test].astype(str))
    assert lines["tfidf"].value == pytest.approx(expected, abs=1.01 / len(split.test))  # exact ties may fall otherwise
    twice = [f"{text} {text.split()[0]}" for text in texts]
    expected = TfidfVectorizer(sublinear_tf=True).fit_transform(twice).toarray()
    assert np.allclose(tfidf_embeddings(twice).toarray(), expected, atol=1e-6)
    norms = np.linalg.norm(svd_embeddings(tfidf_embeddings(texts)), axis=1)
    assert np.allclose(norms, 1, atol=1e-5)
    assert lines["svd"].test_texts == lines["tfidf"].test_texts == len(split.test)


def test_texts_without_words_have_zero_vectors_and_are_counted():
    texts, labels = a_corpus()
    split = paper_split(texts, labels)
    texts[split.test[0]] = "? !"
    texts[split.train[0]] = ""
    lines = reference_lines(texts, labels, split)
    assert lines["tfidf"].zero_vectors == lines["svd"].zero_vectors == 2
    assert not lines["tfidf"].correct[0] and lines["tfidf"].predictions[0] is None


def test_a_corpus_without_any_word_has_lines_at_zero():
    labels = np.array(list("ab") * 20, object)
    texts = ["?" * (i + 1) for i in range(40)]
    lines = reference_lines(texts, labels, paper_split(texts, labels))
    assert lines["tfidf"].value == lines["svd"].value == 0.0


def test_reference_lines_by_ten_folds_test_every_labelled_text():
    texts, labels = a_corpus(120)
    lines = reference_lines(texts, labels, paper_split(texts, labels), protocol="cv10")
    assert lines["tfidf"].test_texts == lines["svd"].test_texts == 120 and lines["svd"].protocol == "cv10"


@pytest.mark.parametrize("key", ["knn", "linear"])
@pytest.mark.parametrize("protocol", ["paper", "cv10"])
def test_an_accuracy_has_its_error_its_texts_and_its_protocol_beside_it(key, protocol):
    texts, labels = a_corpus(200)
    embeddings = svd_embeddings(tfidf_embeddings(texts))
    measured = METRICS[key].measure(Labelled(embeddings, labels, paper_split(texts, labels), protocol=protocol))
    found = shown_by(measured, EUCLIDEAN)
    tested = 200 if protocol == "cv10" else 20
    assert found.as_json()["value"] == found.value and found.facts["protocol"] == protocol
    assert found.n == tested == len(found.units["rows"])
    assert found.units["correct"].mean() == found.value
    assert found.error == pytest.approx((found.value * (1 - found.value) / tested) ** 0.5)
