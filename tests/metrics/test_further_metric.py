"""A metric of one's own is one class and one list entry: it is measured, kept and compared without another line."""

import json

import numpy as np
import pytest

from embedlab.cli import main
from embedlab.measurement import Difference
from embedlab.metrics import METRICS, metrics_like
from embedlab.metrics.base import Labelled, Metric, MetricResult, Queries, needs_of, paired, why_not_served
from embedlab.statistics.intervals import LEVEL, paired_means


class FirstNumberAboveNought(Metric):
    """How many test texts have a first number above nought: nothing anybody wants to know."""

    key = "first-number"
    title = "First number"
    sentence = "How many test texts have a vector that begins above nought."
    range = (0.0, 1.0)
    higher_is_better = True
    paper = ""
    reads = Labelled

    @staticmethod
    def measure(material: Labelled) -> MetricResult:
        rows = material.splits[0].test
        right = np.asarray(material.embeddings[rows])[:, 0] > 0
        return MetricResult(value=float(right.mean()), n=len(rows), units={"rows": rows, "right": right})

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        one, other = paired(before, after, "right")
        return paired_means(before=one.astype(float), after=other.astype(float), level=level)


@pytest.fixture
def further(monkeypatch):
    monkeypatch.setitem(METRICS._parts, FirstNumberAboveNought.key, FirstNumberAboveNought)


def test_it_is_measured_on_a_corpus_by_the_command_line(further, toy_corpus, tmp_path, capfd):
    vectors = np.ones((toy_corpus.info.rows, 3), np.float32)
    vectors[::2, 0] = -1
    np.save(tmp_path / "vectors.npy", vectors)
    asked = ["--embeddings", str(tmp_path / "vectors.npy"), "--corpus", toy_corpus.fingerprint]
    assert main(["evaluate", *asked, "--metrics", "first-number,knn", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["metrics"]["first-number"]
    assert 0 < found["value"] < 1 and found["test_texts"] == 12


def test_what_it_reads_says_what_it_needs_and_which_files_serve_it(further):
    assert needs_of(FirstNumberAboveNought) == {"labels"}
    said = {"name": "x", "has": set()}
    assert why_not_served(FirstNumberAboveNought, no_labels="No labels.", **said) == "No labels."
    assert why_not_served(FirstNumberAboveNought, no_labels=None, **said) is None
    assert METRICS["retrieval"].reads is Queries and metrics_like(["retrieval"]) == ["retrieval"]
    assert "first-number" in metrics_like(["knn"])
