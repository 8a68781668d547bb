"""Published numbers on real corpora; needs the folder named by EMBEDLAB_TEST_CORPORA."""

import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from embedlab.metrics import METRICS
from embedlab.metrics.base import Labelled
from embedlab.metrics.linear_probe import probe
from embedlab.metrics.split import Split, paper_split
from embedlab.metrics.tfidf import reference_lines, svd_embeddings, tfidf_embeddings

CORPORA = os.environ.get("EMBEDLAB_TEST_CORPORA")
pytestmark = pytest.mark.skipif(not CORPORA, reason="EMBEDLAB_TEST_CORPORA names no folder of real corpora")


def columns(file: str, *names: str) -> list[np.ndarray]:
    table = pq.read_table(Path(CORPORA) / file, columns=list(names)).to_pandas()
    return [table[name].to_numpy(object) for name in names]


def without_unlabeled(labels: np.ndarray) -> np.ndarray:
    return np.where(labels == "unlabeled", None, labels)


@pytest.mark.parametrize(("name", "published"), [("sbert", 56.8), ("openai", 57.1), ("cohere", 56.4), ("svd", 56.7)])
def test_the_official_iclr_maps_have_their_published_knn(name, published):
    labels, x, y = columns("iclr24v2_official_labels_tsne.parquet", "label", f"{name}_x", f"{name}_y")
    coordinates = np.stack([x, y], axis=1).astype(float)
    found = METRICS["knn"].measure(Labelled(coordinates, without_unlabeled(labels), None, protocol="cv10")).euclidean
    assert 100 * found.value == pytest.approx(published, abs=0.3)


def test_tfidf_and_svd_on_iclr_are_as_measured_elsewhere():
    texts, labels = columns("iclr_2017_2021.parquet", "text", "label")
    labels = without_unlabeled(labels)
    lines = reference_lines(list(texts), labels, paper_split(list(texts), labels))
    assert 100 * lines["tfidf"].value == pytest.approx(62.6, abs=0.5)
    assert 100 * lines["svd"].value == pytest.approx(63.1, abs=0.5)


def test_the_linear_probe_on_iclr_is_that_of_the_papers_code_whatever_the_order_of_the_rows():
    texts, labels = columns("iclr_2017_2021.parquet", "text", "label")
    labels = without_unlabeled(labels)
    embeddings = svd_embeddings(tfidf_embeddings(list(texts)))
    part = paper_split(list(texts), labels)
    ours = probe(embeddings=embeddings, labels=labels, split=part)
    assert 0 < ours.gradient_norm < 3e-4
    papers = make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, solver="saga", tol=0.01, max_iter=1000, random_state=42)
    ).fit(embeddings[part.train], labels[part.train].astype(str))
    theirs = papers.predict(embeddings[part.test]) == labels[part.test]
    assert 100 * ours.correct.mean() == pytest.approx(100 * theirs.mean(), abs=0.3)
    order = np.random.default_rng(0).permutation(len(labels))
    place = np.argsort(order)
    shuffled = Split(train=np.sort(place[part.train]), test=np.sort(place[part.test]))
    found = probe(embeddings=embeddings[order], labels=labels[order], split=shuffled)
    again = dict(zip(order[shuffled.test].tolist(), found.predictions, strict=True))
    assert [again[row] for row in part.test.tolist()] == ours.predictions.tolist()
    assert found.gradient_norm == ours.gradient_norm, "to the last bit"
