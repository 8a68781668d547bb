"""SemCSE's matching ranks and its performance score: on paper, by explicit loops, and all of its Table 1."""

from types import SimpleNamespace

import numpy as np
import pytest

from embedlab.comparison.side_sheet import performance
from embedlab.errors import CorpusError, SettingsError
from embedlab.metrics import METRICS
from embedlab.metrics import matching as ranks_module
from embedlab.metrics.base import Partners
from embedlab.metrics.matching import halves, ranks_by

MATCH = METRICS["match-title"]
TABLE_1 = {  # SemCSE, Table 1: title, segments, query (mean ranks), clustering, performance
    "SciBERT": (807.74, 214.37, 213.45, 0.569, 0.000),
    "SciDeBERTa": (1479.09, 861.55, 2465.26, 0.460, 0.000),
    "SPECTER": (10.25, 12.23, 2.18, 0.692, 0.119),
    "SciNCL": (5.68, 7.35, 2.29, 0.702, 0.357),
    "SPECTER2 base": (4.52, 5.10, 1.17, 0.666, 0.553),
    "SPECTER2 proximity": (5.34, 5.80, 1.46, 0.666, 0.395),
    "all-MiniLM-L6-v2": (3.09, 8.19, 1.11, 0.730, 0.771),
    "Jina-v2": (3.29, 8.77, 1.29, 0.703, 0.600),
    "Jina-v3": (3.45, 6.96, 1.01, 0.719, 0.783),
    "RoBERTa SimCSE": (23.71, 44.24, 8.92, 0.696, 0.116),
    "NvEmbed-V2": (3.38, 3.84, 1.02, 0.721, 0.866),
    "SemCSE": (2.47, 2.68, 1.23, 0.739, 0.925),
}


def by_loops(one: np.ndarray, other: np.ndarray, distance: str) -> list[float]:
    ranks = []
    for i, query in enumerate(one):
        if distance == "euclidean":
            apart = [float(np.sum((query - p) ** 2)) for p in other]
        else:
            apart = [1 - float(query @ p / np.linalg.norm(query) / np.linalg.norm(p)) for p in other]
        nearer = sum(a < apart[i] - 1e-9 for a in apart)
        equal = sum(abs(a - apart[i]) <= 1e-9 for a in apart)
        ranks.append(1 + nearer + (equal - 1) / 2)
    return ranks


def test_ranks_on_a_line():
    # queries at 1 2 9; partners at 2.1 2 7: the first finds 2 before its own, the others their own
    one, other = np.array([[1.0], [2], [9]]), np.array([[2.1], [2], [7]])
    found = MATCH.measure(Partners(one, other))
    assert found.units["ranks"].tolist() == [2, 1, 1] and found.value == pytest.approx(4 / 3)
    assert found.facts["first_share"] == pytest.approx(2 / 3) and found.facts["mrr"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert found.facts["median_rank"] == 1 and found.n == 3


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_ranks_are_those_of_explicit_loops(distance, monkeypatch):
    rng = np.random.default_rng(0)
    one, other = rng.integers(1, 5, (2, 80, 3)).astype(float)  # many candidates are equally near
    monkeypatch.setattr(ranks_module, "CHUNK_NUMBERS", 500)
    assert ranks_by(queries=one, partners=other, distances=(distance,))[distance].tolist() == by_loops(
        one, other, distance
    )


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_what_float32_cannot_tell_apart_is_told_apart(distance):
    rng = np.random.default_rng(4)
    partners = rng.normal(size=(300, 64)) * rng.uniform(0.5, 2, (300, 1))
    partners[150:] = partners[:150] * (1 + 1e-9 * rng.normal(size=(150, 64)))  # twins
    queries = partners + 0.8 * rng.normal(size=(300, 64))
    both = {"queries": queries, "partners": partners}
    known = ranks_module._Rounded(partners).ranks(
        queries, np.arange(300), {distance: ranks_module._Exact(partners, distance)}
    )
    assert known[distance] is not None  # float32 and pairs in float64 decided all of it
    whole = ranks_module._Exact(partners, distance).ranks(queries, np.arange(300))
    assert ranks_by(**both, distances=(distance,))[distance].tolist() == known[distance].tolist() == whole.tolist()
    assert not np.array_equal(whole[:150], whole[150:])


@pytest.mark.parametrize("shape", [(7, 3), (101, 384)])
def test_constant_vectors_score_the_middle_rank(shape):
    vectors = np.tile(np.random.default_rng(1).normal(size=shape[1]).astype(np.float32), (shape[0], 1))
    found = MATCH.measure(Partners(vectors, vectors))
    assert found.value == found.facts["cosine"] == (shape[0] + 1) / 2


def test_copies_share_their_ranks_wherever_they_stand():
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(200, 768)).astype(np.float32) + 50  # far from the origin: products lose digits
    vectors[150] = vectors[3]
    ranks = ranks_by(queries=vectors, partners=vectors, distances=("euclidean",))["euclidean"]
    assert ranks[[3, 150]].tolist() == [1.5, 1.5] and np.delete(ranks, [3, 150]).max() == 1


def test_zero_and_non_finite_vectors_are_placed_last_and_stand_in_nobodys_way():
    one, other = np.arange(1.0, 6)[:, None], np.arange(1.0, 6)[:, None]
    one[0], other[1] = np.nan, 0
    assert ranks_by(queries=one, partners=other, distances=("euclidean",))["euclidean"].tolist() == [5, 5, 1, 1, 1]


def test_ranks_are_by_euclidean_distance_and_those_by_cosine_stand_beside():
    rng = np.random.default_rng(3)
    one, other = rng.normal(size=(2, 30, 4))
    found, by = MATCH.measure(Partners(one, other)), ("euclidean", "cosine")
    alone = [ranks_by(queries=one, partners=other, distances=(each,))[each].mean() for each in by]
    assert [found.value, found.facts["cosine"]] == alone and alone[0] != alone[1]
    assert found.facts["distance"] == "euclidean"
    lengths = rng.uniform(0.1, 9, (30, 1))
    assert MATCH.measure(Partners(lengths * one, other)).facts["cosine"] == pytest.approx(alone[1])


def test_ranks_among_other_numbers_of_texts_are_not_paired():
    rng = np.random.default_rng(5)
    one, other = rng.normal(size=(2, 40, 4))
    few, many = (MATCH.measure(Partners(one[:n], other[:n])).units for n in (30, 40))
    assert MATCH.difference(before=many, after=many).n == 40
    assert MATCH.difference(before=few, after=many).n == 0


def test_one_text_has_nothing_to_be_confused_with():
    with pytest.raises(CorpusError, match="at least two texts"):
        MATCH.measure(Partners(np.ones((1, 2)), np.ones((1, 2))))


def test_the_first_half_has_the_odd_sentence():
    assert halves("One is here. Two is there. Three is gone.") == ("One is here. Two is there.", "Three is gone.")
    assert halves("One is here. Two is there.") == ("One is here.", "Two is there.")
    assert halves("Only one sentence.") is None and halves(" ") is None


def test_the_performance_score_is_that_of_the_papers_table():
    values = np.array([row[:4] for row in TABLE_1.values()])
    found = performance(values, higher_is_better=[False, False, False, True])
    printed = np.array([row[4] for row in TABLE_1.values()])
    assert np.abs(found - printed).max() < 0.0015  # ranks and shares are printed with two and three digits


def test_the_best_scores_one_the_median_a_half_and_the_end_nothing():
    values = np.array([[1.0], [2], [3], [4], [9]])
    assert performance(values, higher_is_better=[False]) == pytest.approx([1, 0.75, 0.5, 0.25, 0])
    assert performance(-values, higher_is_better=[True]) == pytest.approx([1, 0.75, 0.5, 0.25, 0])


def test_where_the_median_is_the_best_only_the_best_score():
    assert performance(np.array([[1.0], [1], [1], [2]]), higher_is_better=[False]).tolist() == [1, 1, 1, 0]


def test_three_models_have_no_performance_score():
    with pytest.raises(SettingsError, match="at least 4 compared runs, but there are 3"):
        performance(np.ones((3, 2)), higher_is_better=[True, True])


def test_a_summary_looks_for_title_and_text_for_either_alone_and_for_nothing_where_one_is_missing():
    corpus = SimpleNamespace(texts=["body", "other"], titles=["Head", None], summaries=[["short"], ["brief"]])
    parts = {key: METRICS[key].parts for key in ("match-query", "match-query-title", "match-query-text")}
    assert [each(corpus, 0)[1] for each in parts.values()] == ["Head body", "Head", "body"]
    assert {each(corpus, 0)[0] for each in parts.values()} == {"short"}
    assert parts["match-query"](corpus, 1) == ("brief", "other") and parts["match-query-title"](corpus, 1)[1] is None
