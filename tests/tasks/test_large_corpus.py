"""A corpus beyond the limits: mapped, evaluated and drawn on samples, and every result says so."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from built_once import TOKEN, once
from doing import do, result_of
from toy_corpora import store_toy

from embedlab.corpora.base import open_corpus
from embedlab.limits import LIMITS
from embedlab.metrics.split import evaluated_rows
from embedlab.progress import silent
from embedlab.report.nearest_texts import nearest_of_row
from embedlab.runs.drawn_map import read_map, rows_to_draw
from embedlab.runs.result import read_result
from embedlab.runs.store import fingerprint_of
from embedlab.tasks.draw.drawing import graph_of
from embedlab.tasks.measure.corpus_cache import reference_lines_of
from embedlab.tasks.measure.embedded import development_of, fitted_rows, load_embeddings, measure, split_of
from embedlab.tasks.measure.line_texts import LineTexts
from embedlab.tasks.measure.sources import CorpusSource
from embedlab.tasks.measure.subjects import OfBaseline
from embedlab.ui.components.loaded_maps import map_caption

SMALL = {"mapped_rows": 1, "evaluated_texts": 80, "fold_texts": 80, "mapped_texts": 100, "preview_texts": 40}


@once
def sampled_run() -> str:
    """A run beyond the limits."""
    with pytest.MonkeyPatch.context() as patch:
        _make_small(patch)
        return do("train", {**TOKEN, "corpus": store_toy().fingerprint}).id


@pytest.fixture
def trained(sampled_run, monkeypatch):
    """That run, with the limits that it is beyond."""
    _make_small(monkeypatch)
    return sampled_run


def _make_small(patch: pytest.MonkeyPatch) -> None:
    """Limits that the toy corpus of 120 texts is beyond."""
    for name, value in SMALL.items():
        patch.setitem(vars(LIMITS), name, value)


def test_a_run_is_evaluated_on_the_sample_and_says_so(trained):
    result = result_of(trained)
    corpus = open_corpus(fingerprint_of(trained))
    rows = set(evaluated_rows(corpus.labels, corpus.kept).tolist())
    assert len(rows) == 80
    (said,) = (each["message"] for each in result["warnings"] if each["code"] == "I-SAMPLED")
    assert "80 of the 120 labeled texts" in said and "8 are tested among 72" in said
    assert result["knn"]["test_texts"] == 8 and result["folds"] is None
    assert any(each["code"] == "W-NO-FOLDS" for each in result["warnings"])
    predicted = pq.read_table(trained.predictions).to_pydict()
    assert set(predicted["row"]) <= rows and predicted["label"] == [corpus.labels[row] for row in predicted["row"]]
    live = json.loads(trained.live.read_text(encoding="utf-8"))
    assert (live["neighbors"], live["test_texts"], live["development_texts"]) == (72, 8, 8)
    assert result["usable_texts"] == 120, "all texts are trained on"
    lines = reference_lines_of(LineTexts.whole(corpus), silent)
    assert set(lines) == {"tfidf", "svd"}
    tested = set(split_of(corpus)[0].test.tolist())
    assert all(set(line.correct_rows) <= tested and line.correct_rows for line in lines.values())


def test_what_is_measured_on_vectors_on_the_disk_is_what_those_in_memory_give(trained):
    corpus = open_corpus(fingerprint_of(trained))
    vectors = load_embeddings(trained, "after")
    split, _ = split_of(corpus)
    splits = (split, development_of(corpus, split))
    few = [measure(vectors, corpus, each) for each in splits]
    for one, each in zip(few, splits, strict=True):
        all_of_them = measure(np.array(vectors), corpus, each)
        for a, b in ((one.euclidean, all_of_them.euclidean), (one.cosine, all_of_them.cosine)):
            assert (a.measurement, a.k, a.zero_vectors) == (b.measurement, b.k, b.zero_vectors)
            assert np.array_equal(a.test_rows, b.test_rows) and np.array_equal(a.predictions, b.predictions)


def test_baselines_are_fitted_on_the_sample(trained):
    corpus = open_corpus(fingerprint_of(trained))
    rows, source = fitted_rows(corpus), CorpusSource(corpus)
    assert np.array_equal(rows, split_of(corpus)[0].rows) and list(source.texts) == [corpus.texts[row] for row in rows]
    others = np.setdiff1d(np.arange(corpus.info.rows), rows)
    for key in ("tfidf", "svd"):
        found = OfBaseline(key, source.texts).rows(corpus)
        dense = found.toarray() if hasattr(found, "toarray") else found
        assert dense.shape[0] == 120 and not dense[others].any() and dense[rows].any(axis=1).all()
    assert source.near_duplicates.shape == (120,)


def test_maps_neighbors_and_movement_are_those_of_a_sample(trained):
    do("map", {"run": trained.id, "method": "tsne"})
    corpus = open_corpus(fingerprint_of(trained))
    rows = rows_to_draw(corpus)
    assert len(rows) == 40 and {corpus.labels[rows].tolist().count(each.label) for each in corpus.info.classes} == {10}
    for name in ("before", "after"):
        drawn = read_map(trained.map(name, "tsne"))
        assert np.array_equal(drawn.rows, rows) and drawn.facts.preview is None
        assert map_caption(drawn, corpus, "tsne").endswith("40 of 120 texts")
        graph = graph_of(trained, name, None, silent)
        assert graph.indices.shape == (40, 39) and graph.recall is None
        assert pq.read_table(trained.trust(trained.map(name, "tsne")))["id"].to_pylist() == rows.tolist()
    assert pq.read_table(trained.moves("before"))["id"].to_pylist() == rows.tolist()
    near = pq.read_table(trained.moves("before"))["nearest_after"].to_pylist()
    assert {row for each in near for row in each if row >= 0} <= set(rows.tolist())


def test_the_neighbors_of_a_text_are_sought_among_all_texts_not_in_the_sample_s_graph(trained):
    do("map", {"run": trained.id, "method": "tsne"})
    corpus = open_corpus(fingerprint_of(trained))
    row, vectors = int(rows_to_draw(corpus)[20]), np.array(load_embeddings(trained, "after"), np.float64)
    apart = np.linalg.norm(vectors - vectors[row], axis=1)
    found = nearest_of_row(trained, "after", corpus, row, k=7, distance="euclidean")
    assert found.rows.tolist() == [other for other in np.argsort(apart, kind="stable") if other != row][:7]


def test_up_to_the_limits_a_run_is_the_same_to_the_bit(tiny, token_run, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "evaluated_texts", 120)
    monkeypatch.setitem(vars(LIMITS), "mapped_rows", 1)  # mapped texts are the same texts
    other = do("train", tiny)
    assert read_result(token_run).knn == read_result(other).knn
    assert np.array_equal(load_embeddings(token_run, "after"), load_embeddings(other, "after"))
    assert not any(each["code"] == "I-SAMPLED" for each in result_of(other)["warnings"])
