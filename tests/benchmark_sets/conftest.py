"""Tiny random encoders, and mteb tasks over a few sentences of our own."""

import pytest
from local_tasks import PAIRS, QUESTIONS, SENTENCES, described
from transformers import BertConfig, BertModel

from embedlab.encoders.from_corpus import SPECIAL_TOKENS, train_vocabulary
from embedlab.encoders.load import seeded_model
from embedlab.encoders.transformer import TransformerEncoder


@pytest.fixture
def tiny():
    """``tiny(seed=1)``: a random BERT of 2 layers and 16 dimensions."""

    def built(*, seed: int = 0, pooling: str = "mean", max_length: int = 32) -> TransformerEncoder:
        tokenizer = train_vocabulary(SENTENCES, 200)
        config = BertConfig(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
            initializer_range=0.5,
        )
        model = seeded_model(BertModel, config, seed=seed)
        facts = {"special_tokens": SPECIAL_TOKENS, "reference": "tiny", "pooling": pooling, "max_length": max_length}
        return TransformerEncoder(model, tokenizer, **facts).eval()

    return built


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
