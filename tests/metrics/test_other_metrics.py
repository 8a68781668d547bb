"""Linear probe, TF-IDF lines, and the contract that all metrics share."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from embedlab.metrics import METRICS
from embedlab.metrics.base import Labelled
from embedlab.metrics.linear_probe import linear_accuracy
from embedlab.metrics.split import paper_split
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


def test_the_probe_is_scikit_learns_logistic_regression_on_standardised_embeddings():
    rng = np.random.default_rng(0)
    embeddings = rng.normal(size=(200, 5)) * [1, 10, 100, 1, 1]
    labels = np.where(embeddings[:, 0] + rng.normal(size=200) > 0, "a", "b").astype(object)
    split = paper_split([str(i) for i in range(200)], labels)
    judge = make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, solver="saga", tol=0.01, max_iter=1000, random_state=42)
    )
    judge.fit(embeddings[split.train], labels[split.train].astype(str))
    expected = judge.predict(embeddings[split.test]) == labels[split.test]
    assert linear_accuracy(embeddings=embeddings, labels=labels, split=split).tolist() == expected.tolist()


def test_the_probe_counts_zero_vectors_as_wrong_and_survives_nothing_but_those():
    texts, labels = a_corpus(100)
    split = paper_split(texts, labels)
    assert not linear_accuracy(embeddings=np.zeros((100, 3)), labels=labels, split=split).any()


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
    found = METRICS[key].measure(Labelled(embeddings, labels, paper_split(texts, labels), protocol=protocol))
    tested = 200 if protocol == "cv10" else 20
    assert found.as_json()["value"] == found.value and found.facts["protocol"] == protocol
    assert found.facts["test_texts"] == tested == len(found.units["rows"])
    assert found.units["correct"].mean() == found.value
    assert found.facts["standard_error"] == pytest.approx((found.value * (1 - found.value) / tested) ** 0.5)
