"""mteb over our adapter gives our own metrics of our own embeddings, and no encoder gets another one's score."""

import numpy as np
import pytest
import torch
from local_tasks import PAIRS, QUESTIONS, SENTENCES
from scipy.stats import spearmanr

from embedlab.benchmarks.mteb import Adapter, score_task, vectors_hash
from embedlab.encoders.embed import embed
from embedlab.prompts import Prompts


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def ndcg_by_trec_eval(documents: np.ndarray, questions: np.ndarray) -> float:
    import pytrec_eval

    run = {
        key: {f"d{row}": float(score) for row, score in enumerate(documents @ question)}
        for key, question in zip(QUESTIONS, questions, strict=True)
    }
    relevant = {key: graded for key, (_, graded) in QUESTIONS.items()}
    ours = pytrec_eval.RelevanceEvaluator(relevant, {"ndcg_cut.10"}).evaluate(run)
    return np.mean([question["ndcg_cut_10"] for question in ours.values()])


def test_sts_is_spearman_of_the_cosine(tiny, sts_task):
    encoder = tiny()
    vectors = unit(embed(encoder, SENTENCES))
    ours = spearmanr([vectors[one] @ vectors[other] for one, other, _ in PAIRS], [g for *_, g in PAIRS]).statistic
    found = score_task(Adapter(encoder, name="run"), sts_task())
    assert found.score == pytest.approx(ours, abs=1e-5) and found.metric == "cosine_spearman"


def test_retrieval_is_ndcg_by_trec_eval(tiny, retrieval_task):
    encoder = tiny(seed=3)
    documents = unit(embed(encoder, SENTENCES))
    questions = unit(embed(encoder, [text for text, _ in QUESTIONS.values()]))
    found = score_task(Adapter(encoder, name="run"), retrieval_task())
    assert found.score == pytest.approx(ndcg_by_trec_eval(documents, questions), abs=1e-5)


def test_ndcg_by_hand(tiny, retrieval_task):
    """A constant ranking d0, d1, … for both: q1 is perfect, q2 has its text at rank 4: 1/log2(5)."""

    class Counting(Adapter):
        def encode(self, inputs, *, task_metadata, **options):
            texts = [text for batch in inputs for text in batch["text"]]
            place = [SENTENCES.index(text) if text in SENTENCES else 0 for text in texts]
            return np.array([[np.cos(n / 10), np.sin(n / 10)] for n in place], np.float32)

    found = score_task(Counting(tiny(), name="run"), retrieval_task())
    assert found.score == pytest.approx((1 + 1 / np.log2(5)) / 2, abs=1e-5)


def test_two_runs_never_share_a_score(tiny, sts_task):
    first, second = (score_task(Adapter(tiny(seed=s), name="same"), sts_task()).score for s in (0, 1))
    again = score_task(Adapter(tiny(seed=0), name="other"), sts_task()).score
    assert first != second and first == again


def test_mtebs_default_cache_would_share_it(tiny, sts_task, tmp_path):
    """The fault that the hash and ``cache=None`` keep out: one name, one revision, one cache."""
    import mteb
    from mteb.cache import ResultCache
    from mteb.models.model_meta import ModelMeta

    cache, scores = ResultCache(tmp_path), []
    for seed in (0, 1):
        adapter = Adapter(tiny(seed=seed), name="local")
        adapter.mteb_model_meta = ModelMeta.create_empty({"name": "embedlab/local", "revision": "constant"})
        found = mteb.evaluate(adapter, sts_task(), cache=cache, co2_tracker=False, show_progress_bar=False)
        scores.append(found.task_results[0].get_score())
    assert scores[1] == pytest.approx(scores[0], abs=1e-5)  # the first one's, as the cache rounds it
    right = score_task(Adapter(tiny(seed=1), name="local"), sts_task()).score
    assert abs(scores[1] - right) > 0.01


def test_the_hash_covers_all_that_changes_vectors(tiny):
    encoder = tiny()
    same = vectors_hash(encoder)
    embed(encoder, SENTENCES, max_length=8)  # leaves a limit in the tokenizer, which is not the encoder's
    assert vectors_hash(encoder) == same == vectors_hash(tiny())
    others = [tiny(seed=1), tiny(pooling="cls"), tiny(max_length=16)]
    assert len({same, *map(vectors_hash, others)}) == 4
    with torch.no_grad():
        next(encoder.parameters())[0, 0] += 1e-3
    assert vectors_hash(encoder) != same


def test_similarities_are_cosines_and_zero_rows_have_none(tiny):
    adapter = Adapter(tiny(), name="x")
    one, other = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[4.0, 3.0], [1.0, 0.0]])
    assert adapter.similarity(one, other).tolist() == pytest.approx(np.array([[0.96, 0.6], [0, 0]]))
    assert adapter.similarity_pairwise(one, other).tolist() == pytest.approx([0.96, 0.0])


def test_progress_names_the_task(tiny, sts_task):
    said = []
    score_task(Adapter(tiny(), name="x", progress=lambda stage, done=0, total=0: said.append(stage)), sts_task())
    assert any(stage.startswith("LocalSTS: embedding 9 texts") for stage in said)


def test_queries_and_documents_are_read_with_their_own_prompts(tiny, retrieval_task):
    encoder = tiny(seed=3)
    encoder.prompts = Prompts(by_name={"query": "a question of ", "passage": "the texts "})
    documents = unit(embed(encoder, SENTENCES))
    questions = unit(embed(encoder, [text for text, _ in QUESTIONS.values()], role="query"))
    found = score_task(Adapter(encoder, name="run"), retrieval_task())
    assert found.score == pytest.approx(ndcg_by_trec_eval(documents, questions), abs=1e-5)
    assert vectors_hash(encoder) != vectors_hash(tiny(seed=3))


@pytest.mark.parametrize(("name", "by_hand"), [("dot", 11.0), ("euclidean", -(8**0.5)), ("manhattan", -4.0)])
def test_vectors_are_compared_as_the_encoders_authors_do(tiny, name, by_hand):
    encoder = tiny()
    encoder.similarity = name
    one, other = np.array([[1.0, 2.0]], np.float32), np.array([[3.0, 4.0]], np.float32)
    adapter = Adapter(encoder, name="run")
    assert adapter.similarity(one, other).item() == pytest.approx(by_hand, abs=1e-5)
    assert adapter.similarity_pairwise(one, other).item() == pytest.approx(by_hand, abs=1e-5)
