"""The same embeddings, the same numbers: scikit-learn, pytrec_eval, mteb's and sentence-transformers' evaluators."""

from unittest.mock import Mock

import numpy as np
import pytest
import pytrec_eval
import torch
from datasets import Dataset
from mteb._evaluators import AnySTSEvaluator, ClusteringEvaluator, PairClassificationEvaluator, RetrievalEvaluator
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.models import ModelMeta, SearchEncoderWrapper
from mteb.timing import TimingStack
from scipy.sparse import csr_matrix
from scipy.stats import pearsonr, spearmanr
from sentence_transformers.sentence_transformer.evaluation import (
    BinaryClassificationEvaluator,
    EmbeddingSimilarityEvaluator,
    InformationRetrievalEvaluator,
    RerankingEvaluator,
)
from sentence_transformers.util import cos_sim, pairwise_cos_sim
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import adjusted_rand_score, average_precision_score, roc_auc_score, v_measure_score
from sklearn.neighbors import KNeighborsClassifier

from embedlab.metrics import METRICS
from embedlab.metrics.base import Candidates, JudgedPairs, Labelled, Queries, ScoredPairs
from embedlab.metrics.clustering import adjusted_rand, v_measure
from embedlab.metrics.pair_metrics import AveragePrecision, Spearman
from embedlab.metrics.split import Split

DOCUMENTS, QUERIES, PAIRS, DIM = 300, 40, 200, 8


class LookedUp:
    """An encoder for both packages: the vector of "t7" is row 7."""

    mteb_model_meta = ModelMeta.create_empty({"name": "embedlab/looked-up", "revision": "1"})
    similarity_fn_name = "cosine"
    model_card_data = Mock()  # sentence-transformers writes its results there
    similarity = staticmethod(cos_sim)
    similarity_pairwise = staticmethod(pairwise_cos_sim)

    def __init__(self, vectors: np.ndarray):
        self.vectors = vectors.astype(np.float32)

    def encode(self, inputs, convert_to_tensor: bool = False, **_):
        names = inputs if isinstance(inputs, list) else [text for batch in inputs for text in batch["text"]]
        found = self.vectors[[int(name[1:]) for name in names]]
        return torch.from_numpy(found) if convert_to_tensor else found

    encode_query = encode_document = encode


def names(first: int, count: int, letter: str = "t") -> list[str]:
    return [f"{letter}{row}" for row in range(first, first + count)]


def told_to_mteb() -> dict:
    unknown = "reference date domains task_subtypes license annotations_creators dialect sample_creation"
    absent = dict.fromkeys([*unknown.split(), "bibtex_citation"])
    metadata = TaskMetadata(
        name="Local",
        description="vectors made here",
        dataset={"path": "local/local", "revision": "1"},
        type="STS",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="cosine_spearman",
        **absent,
    )
    return {"task_metadata": metadata, "hf_split": "test", "hf_subset": "default", "timer": TimingStack()}


@pytest.fixture(scope="module")
def search() -> tuple[np.ndarray, Queries]:
    return a_search(copies=True)


def a_search(*, copies: bool) -> tuple[np.ndarray, Queries]:
    """Vectors, and queries of one to six relevant documents, of which some are found late and some are copies."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(DOCUMENTS + QUERIES, DIM))
    if copies:  # equal similarities, so ids decide
        vectors[10:20] = vectors[20:30]
    vectors = vectors.astype(np.float32)
    gains = []
    for query in range(QUERIES):
        near = np.argsort(-(vectors[:DOCUMENTS] @ vectors[DOCUMENTS + query]))[:60]
        chosen = [*rng.choice(near, rng.integers(1, 5), replace=False), *rng.choice(DOCUMENTS, 2)]
        gains.append({int(document): 1.0 for document in chosen})
    return vectors, Queries(vectors[DOCUMENTS:], vectors[:DOCUMENTS], names(0, DOCUMENTS, "d"), gains)


def judgements(material: Queries) -> dict[str, dict[str, int]]:
    return {f"q{q}": {f"d{row}": int(gain) for row, gain in gains.items()} for q, gains in enumerate(material.gains)}


def similarities(material: Queries) -> np.ndarray:
    q, d = (v.astype(np.float64) for v in (material.queries, material.documents))
    q, d = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (q, d))
    return (q @ d.T).astype(np.float32)


def by_trec_eval(found: np.ndarray, material: Queries) -> dict[str, dict[str, float]]:
    wanted = {"ndcg_cut.10", "recall.10,100", "map_cut.100", "recip_rank"}
    told = {
        f"q{q}": {f"d{row}": float(score) for row, score in enumerate(line) if np.isfinite(score)}
        for q, line in enumerate(found)
    }
    return pytrec_eval.RelevanceEvaluator(judgements(material), wanted).evaluate(told)


TREC_NAMES = {
    "ndcg@10": "ndcg_cut_10",
    "recall@10": "recall_10",
    "recall@100": "recall_100",
    "map@100": "map_cut_100",
    "mrr": "recip_rank",
}


def assert_equal_per_query(units: dict[str, np.ndarray], judge: dict[str, dict[str, float]]) -> None:
    for ours, theirs in TREC_NAMES.items():
        expected = [judge[f"q{q}"][theirs] for q in units["queries"]]
        assert units[ours] == pytest.approx(expected, abs=1e-6), ours


def test_retrieval_is_trec_evals_for_every_query(search):
    _, material = search
    found = METRICS["retrieval"].measure(material)
    assert_equal_per_query(found.units, by_trec_eval(similarities(material), material))


def test_graded_gains_and_many_ties_are_trec_evals_too(search):
    _, material = search
    rng = np.random.default_rng(1)
    graded = [{row: float(rng.integers(0, 4)) for row in gains} | {5: 2.0} for gains in material.gains]
    scores = rng.integers(0, 12, (QUERIES, DOCUMENTS)).astype(float)  # about 25 documents share each score
    material = Queries(None, None, material.ids, graded, scores=scores)
    found = METRICS["retrieval"].measure(material)
    assert_equal_per_query(found.units, by_trec_eval(scores, material))


def test_sparse_scores_leave_out_what_they_do_not_hold(search):
    _, material = search
    rng = np.random.default_rng(2)
    scores = rng.integers(1, 9, (QUERIES, DOCUMENTS)) * (rng.random((QUERIES, DOCUMENTS)) < 0.2)
    found = METRICS["retrieval"].measure(Queries(None, None, material.ids, material.gains, scores=csr_matrix(scores)))
    assert_equal_per_query(found.units, by_trec_eval(np.where(scores > 0, scores, -np.inf), material))


def test_retrieval_is_mtebs(search):
    vectors, material = search
    corpus = Dataset.from_dict({"id": material.ids, "text": names(0, DOCUMENTS), "title": [""] * DOCUMENTS})
    asked = Dataset.from_dict({"id": names(0, QUERIES, "q"), "text": names(DOCUMENTS, QUERIES)})
    judge = RetrievalEvaluator(corpus, asked, top_k=DOCUMENTS, **told_to_mteb())
    ranked = judge(SearchEncoderWrapper(LookedUp(vectors)), encode_kwargs={"batch_size": 64})
    theirs = judge.evaluate(judgements(material), ranked, [10, 100])
    found = METRICS["retrieval"].measure(material).as_json()
    assert found["value"] == pytest.approx(theirs.ndcg["NDCG@10"], abs=1e-5)
    assert found["map@100"] == pytest.approx(theirs.map["MAP@100"], abs=1e-5)
    assert found["recall@10"] == pytest.approx(theirs.recall["Recall@10"], abs=1e-5)
    assert found["recall@100"] == pytest.approx(theirs.recall["Recall@100"], abs=1e-5)
    assert found["mrr@10"] == pytest.approx(theirs.mrr["MRR@10"], abs=1e-5)


def by_sentence_transformers(vectors: np.ndarray, asked: Queries) -> dict:
    judge = InformationRetrievalEvaluator(
        {f"q{q}": f"t{DOCUMENTS + q}" for q in range(len(asked.gains))},
        {name: f"t{row}" for row, name in enumerate(asked.ids)},
        {f"q{q}": {f"d{row}" for row in gains} for q, gains in enumerate(asked.gains)},
        precision_recall_at_k=[10, 100],
        score_functions={"cosine": cos_sim},
        write_csv=False,
    )
    return judge.compute_all_metrics(LookedUp(vectors))["cosine"]


def test_retrieval_is_sentence_transformers():
    vectors, material = a_search(copies=False)  # of equal ones it takes the ascending id first
    theirs = by_sentence_transformers(vectors, material)
    found = METRICS["retrieval"].measure(material).as_json()
    assert found["value"] == pytest.approx(theirs["ndcg@k"][10], abs=1e-5)
    assert found["recall@10"] == pytest.approx(theirs["recall@k"][10], abs=1e-5)
    assert found["recall@100"] == pytest.approx(theirs["recall@k"][100], abs=1e-5)
    assert found["mrr@10"] == pytest.approx(theirs["mrr@k"][10], abs=1e-5)
    assert found["map@100"] == pytest.approx(theirs["map@k"][100], abs=1e-5)


def test_map_divides_by_all_relevant_documents_where_sentence_transformers_takes_at_most_a_hundred():
    vectors, material = a_search(copies=False)
    asked = Queries(material.queries[:1], material.documents, material.ids, [dict.fromkeys(range(150), 1.0)])
    theirs = by_sentence_transformers(vectors, asked)["map@k"][100]
    assert METRICS["retrieval"].measure(asked).facts["map@100"] == pytest.approx(theirs * 100 / 150, abs=1e-5)


def a_reranking(seed: int = 3):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.integers(1, 5, QUERIES), rng.integers(1, 15, QUERIES)
    owner = np.repeat(np.arange(QUERIES), positives + negatives)
    relevant = np.concatenate([np.arange(p + n) < p for p, n in zip(positives, negatives, strict=True)])
    vectors = rng.normal(size=(QUERIES + len(owner), DIM)).astype(np.float32)
    vectors[QUERIES:][relevant] += vectors[owner[relevant]] / 2
    return vectors, Candidates(vectors[:QUERIES], vectors[QUERIES:], owner, relevant)


def test_reranking_is_scikit_learns_and_sentence_transformers():
    vectors, material = a_reranking()
    samples = []
    for query in range(QUERIES):
        mine = material.owner == query
        texts = {kind: np.flatnonzero(mine & (material.relevant == kind)) + QUERIES for kind in (True, False)}
        positive, negative = ([f"t{row}" for row in texts[kind]] for kind in (True, False))
        samples.append({"query": f"t{query}", "positive": positive, "negative": negative})
    theirs = RerankingEvaluator(samples, write_csv=False).compute_metrics(LookedUp(vectors))
    found = METRICS["reranking"].measure(material)
    assert found.value == pytest.approx(theirs["map"], abs=1e-6)
    assert found.facts["mrr@10"] == pytest.approx(theirs["mrr"], abs=1e-6)
    cosines = cos_sim(material.queries, material.candidates).numpy()[material.owner, np.arange(len(material.owner))]
    for query, ours in zip(found.units["queries"], found.units["ap"], strict=True):
        mine = material.owner == query
        assert ours == pytest.approx(average_precision_score(material.relevant[mine], cosines[mine]), abs=1e-6)


def test_reranking_is_mtebs():
    vectors, material = a_reranking(4)
    count = len(material.owner)
    corpus = Dataset.from_dict({"id": names(0, count, "d"), "text": names(QUERIES, count), "title": [""] * count})
    asked = Dataset.from_dict({"id": names(0, QUERIES, "q"), "text": names(0, QUERIES)})
    mine = {f"q{q}": [f"d{row}" for row in np.flatnonzero(material.owner == q)] for q in range(QUERIES)}
    judge = RetrievalEvaluator(corpus, asked, top_k=100, top_ranked=mine, **told_to_mteb())
    ranked = judge(SearchEncoderWrapper(LookedUp(vectors)), encode_kwargs={"batch_size": 64})
    told = {q: {name: int(material.relevant[int(name[1:])]) for name in rows} for q, rows in mine.items()}
    theirs = judge.evaluate(told, ranked, [10, 100])
    found = METRICS["reranking"].measure(material)
    assert found.value == pytest.approx(theirs.map["MAP@100"], abs=1e-5)
    assert found.facts["mrr@10"] == pytest.approx(theirs.mrr["MRR@10"], abs=1e-5)


@pytest.fixture(scope="module")
def pairs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors of both sides, and scores with many ties that have something to do with their cosine."""
    rng = np.random.default_rng(5)
    one, noise = rng.normal(size=(2, PAIRS, DIM))
    closeness = rng.random(PAIRS)[:, None]
    other = closeness * one + (1 - closeness) * noise
    scores = np.round(4 * closeness[:, 0] + rng.normal(size=PAIRS)).clip(0, 5)
    return one.astype(np.float32), other.astype(np.float32), scores


def test_sts_is_scipys_mtebs_and_sentence_transformers(pairs):
    one, other, scores = pairs
    encoder = LookedUp(np.concatenate([one, other]))
    sides = {"sentence1": names(0, PAIRS), "sentence2": names(PAIRS, PAIRS)}
    found = METRICS["sts"].measure(ScoredPairs(one, other, scores))
    judge = AnySTSEvaluator(
        Dataset.from_dict(sides), tuple(sides), input1_prompt_type=None, input2_prompt_type=None, **told_to_mteb()
    )
    cosines = judge(encoder, encode_kwargs={"batch_size": 64})["cosine_scores"]
    assert found.value == pytest.approx(spearmanr(scores, cosines).statistic, abs=1e-5)
    assert found.facts["pearson"] == pytest.approx(pearsonr(scores, cosines).statistic, abs=1e-5)
    theirs = EmbeddingSimilarityEvaluator(*sides.values(), scores.tolist(), write_csv=False)(encoder)
    assert found.value == pytest.approx(theirs["spearman_cosine"], abs=1e-5)
    assert found.facts["pearson"] == pytest.approx(theirs["pearson_cosine"], abs=1e-5)


def test_paraphrase_is_scikit_learns_mtebs_and_sentence_transformers(pairs):
    one, other, scores = pairs
    encoder, same = LookedUp(np.concatenate([one, other])), scores > 2
    sides = {"sentence1": names(0, PAIRS), "sentence2": names(PAIRS, PAIRS)}
    found = METRICS["paraphrase"].measure(JudgedPairs(one, other, same))
    judge = PairClassificationEvaluator(
        Dataset.from_dict(sides),
        input1_column_name="sentence1",
        input2_column_name="sentence2",
        input1_prompt_type=None,
        input2_prompt_type=None,
        **told_to_mteb(),
    )
    cosines = judge(encoder, encode_kwargs={"batch_size": 64})["cosine_scores"]
    assert found.value == pytest.approx(average_precision_score(same, cosines), abs=1e-5)
    assert found.facts["roc_auc"] == pytest.approx(roc_auc_score(same, cosines), abs=1e-5)
    theirs = BinaryClassificationEvaluator(*sides.values(), same.astype(int).tolist(), write_csv=False)(encoder)
    assert found.value == pytest.approx(theirs["cosine_ap"], abs=1e-5)


def test_weights_are_repetitions(pairs):
    _, _, scores = pairs
    rng = np.random.default_rng(6)
    cosines = np.round(rng.random(PAIRS), 2)  # ties on both sides
    weights = rng.integers(0, 4, PAIRS)
    repeated = [np.repeat(values, weights) for values in (cosines, scores)]
    assert Spearman(cosines, scores).of(weights) == pytest.approx(spearmanr(*repeated).statistic)
    ours = AveragePrecision(similarities=cosines, positive=scores > 2).of(weights)
    assert ours == pytest.approx(average_precision_score(repeated[1] > 2, repeated[0]))


def a_labelled(count: int = 700) -> Labelled:
    rng = np.random.default_rng(7)
    labels = rng.choice(list("abcdef"), count).astype(object)
    embeddings = rng.normal(size=(256, DIM))[[ord(label) for label in labels]] + 1.5 * rng.normal(size=(count, DIM))
    rows = rng.permutation(count)
    return Labelled(embeddings.astype(np.float32), labels, Split(np.sort(rows[100:]), np.sort(rows[:100])))


def test_clustering_is_scikit_learns_and_mtebs():
    material = a_labelled()
    found = METRICS["clustering"].measure(material)
    told = material.labels.astype(str)
    clusters = [
        MiniBatchKMeans(6, batch_size=500, n_init="auto", random_state=seed).fit_predict(material.embeddings)
        for seed in range(10)
    ]
    v, ari = ([judge(told, each) for each in clusters] for judge in (v_measure_score, adjusted_rand_score))
    assert found.value == pytest.approx(np.mean(v)) and found.error == pytest.approx(np.std(v, ddof=1))
    assert found.facts["ari"] == pytest.approx(np.mean(ari)) and found.facts["ari_sd"] == pytest.approx(
        np.std(ari, ddof=1)
    )
    data = Dataset.from_dict({"text": names(0, len(told)), "label": told.tolist()})
    judge = ClusteringEvaluator(data, input_column_name="text", label_column_name="label", **told_to_mteb(), seed=3)
    theirs = judge(LookedUp(material.embeddings), encode_kwargs={"batch_size": 64})
    assert found.units["clusters"][:, 3].tolist() == theirs


@pytest.mark.parametrize("classes", [1, 2, 7])
@pytest.mark.parametrize("clusters", [1, 3, 20])
def test_contingency_tables_give_scikit_learns_scores(classes, clusters):
    rng = np.random.default_rng(8)
    told, found = rng.integers(0, classes, 50), rng.integers(0, clusters, 50)
    table = np.zeros((classes, clusters))
    np.add.at(table, (told, found), 1)
    assert v_measure(table) == pytest.approx(v_measure_score(told, found), abs=1e-9)
    assert adjusted_rand(table) == pytest.approx(adjusted_rand_score(told, found), abs=1e-9)


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_knn_is_scikit_learns_dense_and_sparse(form):
    material = a_labelled()
    split, told = material.split, material.labels.astype(str)
    material = Labelled(form(material.embeddings), material.labels, split)
    found = METRICS["knn"].measure(material)
    points = np.asarray(a_labelled().embeddings, float)
    for metric, ours in (("euclidean", found.euclidean.value), ("cosine", found.cosine.value)):
        judge = KNeighborsClassifier(10, algorithm="brute", metric=metric).fit(points[split.train], told[split.train])
        assert ours == judge.score(points[split.test], told[split.test])
        if metric == "euclidean":
            assert found.euclidean.units["predicted"].tolist() == judge.predict(points[split.test]).tolist()
            five = judge.kneighbors(points[split.test], 5, return_distance=False)
            same = told[split.train][five] == told[split.test][:, None]
            assert METRICS["neighbors-5"].measure(material).euclidean.value == pytest.approx(same.mean())
