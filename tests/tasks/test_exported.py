"""What a run says of its export where sentence-transformers lacks its pooling: cosine and kNN accuracy as exported."""

import numpy as np
import pytest
from doing import do, result_of
from sklearn.neighbors import KNeighborsClassifier

from embedlab.corpora.base import open_corpus
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.metrics.split import paper_split
from embedlab.numbers import percent
from embedlab.runs.result import W_EXPORT
from embedlab.tasks.measure.embedded import load_embeddings


def remarks_of(run) -> list[str]:
    return [each["message"] for each in result_of(run)["warnings"] if each["code"] == W_EXPORT]


def test_a_pooling_that_the_format_lacks_is_said_with_cosine_and_accuracy(tiny):
    run = do("train", {**tiny, "recipe": "untouched", "pooling": "log-count"})
    corpus = open_corpus(tiny["corpus"])
    exported = load_encoder(str(run.encoder))
    assert exported.pooling == "log-count"
    exported.read_by("distinct")  # tests/encoders/test_export.py holds that SentenceTransformer gives these
    theirs = embed(exported, corpus.texts[:])
    ours = np.asarray(load_embeddings(run, "after"))
    cosine = np.mean([a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(ours, theirs, strict=True)])
    assert 0.5 < cosine < 0.9999
    split, labels = paper_split(corpus.texts, corpus.labels, corpus.kept), corpus.labels.astype(str)
    right = {}
    for metric in ("euclidean", "cosine"):
        judge = KNeighborsClassifier(10, algorithm="brute", metric=metric).fit(theirs[split.train], labels[split.train])
        right[metric] = percent(judge.score(theirs[split.test], labels[split.test]))
    (message,) = remarks_of(run)
    assert f"is {cosine:.3f}" in message and "uses distinct" in message
    knn = result_of(run)["knn"]
    assert f"{right['cosine']} instead of {percent(knn['cosine']['after'])} (cosine)" in message
    assert f"{right['euclidean']} instead of {percent(knn['after'])} (Euclidean distance)" in message
    assert message in (run.encoder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("pooling", ["mean", "distinct"])
def test_a_pooling_that_the_format_has_needs_no_remark(tiny, pooling):
    run = do("train", {**tiny, "recipe": "untouched", "pooling": pooling})
    assert remarks_of(run) == []
