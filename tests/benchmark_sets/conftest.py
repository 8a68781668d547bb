"""Tiny random encoders, and mteb tasks over a few sentences of our own."""

from functools import partial

import pytest
from local_tasks import PAIRS, QUESTIONS, SENTENCES, described
from tiny_models import tiny_encoder


@pytest.fixture
def tiny():
    """``tiny(seed=1)``: a random BERT of 2 layers and 16 dimensions."""

    return partial(tiny_encoder, SENTENCES, words=200)


@pytest.fixture(scope="session")
def sts_task():
    """Nine graded pairs."""
    from datasets import Dataset, DatasetDict
    from mteb.abstasks.sts import AbsTaskSTS

    class LocalSTS(AbsTaskSTS):
        metadata = described("LocalSTS", "STS", "cosine_spearman")

        def load_data(self, **options):
            columns = {
                "sentence1": [SENTENCES[one] for one, _, _ in PAIRS],
                "sentence2": [SENTENCES[other] for _, other, _ in PAIRS],
                "score": [grade for _, _, grade in PAIRS],
            }
            self.dataset = DatasetDict(test=Dataset.from_dict(columns))
            self.data_loaded = True

    return LocalSTS


@pytest.fixture(scope="session")
def retrieval_task():
    """Two questions, ten documents."""
    from datasets import Dataset
    from mteb.abstasks.retrieval import AbsTaskRetrieval

    class LocalRetrieval(AbsTaskRetrieval):
        metadata = described("LocalRetrieval", "Retrieval", "ndcg_at_10")

        def load_data(self, **options):
            documents = [{"id": f"d{row}", "text": text, "title": ""} for row, text in enumerate(SENTENCES)]
            questions = [{"id": key, "text": text} for key, (text, _) in QUESTIONS.items()]
            part = {
                "corpus": Dataset.from_list(documents),
                "queries": Dataset.from_list(questions),
                "relevant_docs": {key: dict(graded) for key, (_, graded) in QUESTIONS.items()},
                "top_ranked": None,
            }
            self.dataset = {"default": {"test": part}}
            self.data_loaded = True

    return LocalRetrieval
