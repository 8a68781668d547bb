"""Retrieval and reranking: values on paper, ties, what is dropped, what is refused."""

import numpy as np
import pytest

from embedlab.errors import CorpusError
from embedlab.metrics import METRICS
from embedlab.metrics import retrieval as ranking_module
from embedlab.metrics.base import Candidates, Queries
from embedlab.metrics.retrieval import best_places, first_rank, rank

RETRIEVAL, RERANKING = METRICS["retrieval"], METRICS["reranking"]


def scored(scores: list[list[float]], gains: list[dict[int, float]], ids: list[str] | None = None) -> Queries:
    scores = np.array(scores, float)
    return Queries(None, None, ids or [f"d{row}" for row in range(scores.shape[1])], gains, scores=scores)


def test_a_ranking_on_paper():
    # ranks: d0 1, d1 2, d2 3, d3 4; relevant are d1 (rank 2), d3 (rank 4) and one of three not found at all
    found = RETRIEVAL.measure(scored([[4, 3, 2, 1, -np.inf]], [{1: 1.0, 3: 1.0, 4: 1.0}]))
    gained, ideal = 1 / np.log2(3) + 1 / np.log2(5), 1 + 1 / np.log2(3) + 1 / np.log2(4)
    assert found.value == pytest.approx(gained / ideal)
    assert found.facts["recall@10"] == found.facts["recall@100"] == pytest.approx(2 / 3)
    assert found.facts["map@100"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert found.facts["map@100_found"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert found.facts["mrr"] == found.facts["mrr@10"] == 1 / 2


def test_gains_are_linear():
    # the document of gain 3 stands second, that of gain 1 first
    found = RETRIEVAL.measure(scored([[2, 1]], [{0: 1.0, 1: 3.0}]))
    assert found.value == pytest.approx((1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3)))


def test_what_lies_beyond_the_hundredth_counts_for_mrr_only():
    scores = -np.arange(150.0)[None]
    found = RETRIEVAL.measure(scored(scores, [{119: 1.0}]))
    assert found.facts["mrr"] == pytest.approx(1 / 120)
    assert found.value == found.facts["mrr@10"] == found.facts["recall@100"] == found.facts["map@100_found"] == 0


def test_equal_documents_stand_in_descending_order_of_their_ids():
    ids = ["d1", "d10", "d9", "d2"]
    ranking = rank(scored([[1, 1, 1, 2]], [{1: 1.0}], ids))
    assert [ids[row] for row in ranking.documents[0]] == ["d2", "d9", "d10", "d1"]
    assert ranking.first.tolist() == [3]
    copies = Queries(np.ones((1, 3)), np.tile([1.0, 2.0, 0.5], (4, 1)), ids, [{1: 1.0}])
    assert [ids[row] for row in rank(copies).documents[0]] == ["d9", "d2", "d10", "d1"]


def test_queries_without_relevant_texts_are_dropped_and_counted():
    found = RETRIEVAL.measure(scored([[2, 1], [1, 2], [1, 2]], [{}, {1: 1.0}, {0: 0.0}]))
    assert found.value == 1.0 and found.n == 1 and found.facts["dropped"] == 2
    assert found.units["queries"].tolist() == [1]
    with pytest.raises(CorpusError, match="none of the 2 queries") as error:
        RETRIEVAL.measure(scored([[2, 1], [1, 2]], [{}, {}]))
    assert error.value.code == "E-NO-RELEVANT"


def test_a_zero_or_non_finite_vector_is_found_by_nobody_and_finds_nothing():
    documents = np.array([[1.0, 0], [0, 0], [np.nan, 1], [0, 1]])
    asked = np.array([[1.0, 0.1], [0, 0], [np.inf, 1]])
    ranking = rank(Queries(asked, documents, list("abcd"), [{1: 1.0}, {0: 1.0}, {0: 1.0}]))
    assert ranking.documents.tolist() == [[0, 3, -1, -1]] + [[-1] * 4] * 2
    assert ranking.first.tolist() == [0, 0, 0]


def test_chunks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    ids, gains = [str(row) for row in range(50)], [{row: 1.0} for row in range(30)]
    material = Queries(rng.normal(size=(30, 4)), rng.normal(size=(50, 4)), ids, gains)
    whole = RETRIEVAL.measure(material)
    monkeypatch.setattr(ranking_module, "CHUNK_NUMBERS", 100)
    assert RETRIEVAL.measure(material).as_json() == whole.as_json()


def test_the_best_places_are_those_of_a_stable_sort():
    scores = np.random.default_rng(1).integers(0, 5, (20, 40)).astype(float)
    expected = np.argsort(-scores, axis=1, kind="stable")
    for count in (1, 7, 40, 90):
        assert best_places(scores, count).tolist() == expected[:, :count].tolist()
    assert [first_rank(line, np.array([30, 3])) for line in scores] == [
        1 + min(order.tolist().index(3), order.tolist().index(30)) for order in expected
    ]


def reranked(scores: list[float], relevant: list[int], owner: list[int]) -> Candidates:
    return Candidates(None, None, np.array(owner), np.array(relevant, bool), scores=np.array(scores, float))


def test_a_reranking_on_paper():
    # query 0: relevant at ranks 1 and 3: (1 + 2/3)/2; query 1: relevant at rank 2: 1/2
    found = RERANKING.measure(reranked([9, 8, 7, 1, 5, 4], [1, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 1]))
    assert found.units["ap"] == pytest.approx([5 / 6, 1 / 2]) and found.value == pytest.approx(2 / 3)
    assert found.facts["mrr@10"] == pytest.approx(3 / 4)


def test_queries_lacking_positives_or_negatives_are_skipped_and_counted():
    found = RERANKING.measure(reranked([2, 1, 2, 1, 2, 1], [1, 0, 1, 1, 0, 0], [7, 7, 2, 2, 3, 3]))
    assert found.value == 1.0 and found.n == 1 and found.facts["skipped"] == 2
    assert found.units["queries"].tolist() == [7]
    with pytest.raises(CorpusError, match="none of the 1 queries has both"):
        RERANKING.measure(reranked([2, 1], [1, 1], [0, 0]))


def test_a_constant_encoder_gains_nothing_from_the_order_in_the_file():
    candidates = np.ones((10, 3))
    found = RERANKING.measure(Candidates(np.ones((1, 3)), candidates, np.zeros(10, int), np.arange(10) < 1))
    assert found.value == pytest.approx(0.1) and found.facts["mrr@10"] == pytest.approx(0.1)


def test_the_order_of_candidates_in_the_file_changes_nothing():
    rng = np.random.default_rng(2)
    owner, relevant, scores = rng.integers(0, 9, 100), rng.random(100) < 0.3, rng.integers(0, 6, 100)
    order = rng.permutation(100)
    one = RERANKING.measure(reranked(scores, relevant, owner))
    other = RERANKING.measure(reranked(scores[order], relevant[order], owner[order]))
    assert one.as_json() == pytest.approx(other.as_json())
