"""A tiny random BERT, a vocabulary of ten plain sentences, and a corpus stand-in; nothing is downloaded."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from transformers import BertConfig, BertModel

from embedlab.corpora.stored.columns import Column
from embedlab.encoders.from_corpus import SPECIAL_TOKENS, train_vocabulary
from embedlab.encoders.load import load_encoder, seeded_model
from embedlab.encoders.transformer import TransformerEncoder

SENTENCES = [
    "The map shows the texts of one corpus.",
    "A text is a point, and near points are alike.",
    "Crops of one text are pulled together while others are pushed away.",
    "Dropout makes two vectors of one text differ a little.",
    "The encoder reads words and gives one vector for a text.",
    "A vector has a length and a direction; only the direction counts here.",
    "Neighbors vote, and the most frequent label wins.",
    "Short.",
    "Texts can be long, and a long text is cut at a given number of tokens; the rest is never read by the encoder.",
    "The mean of all word vectors is a good start.",
]


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    return SENTENCES


@pytest.fixture(scope="session")
def small_corpus() -> SimpleNamespace:
    """As much of a Corpus as encoders look at."""
    return SimpleNamespace(
        texts=Column([pa.array([*SENTENCES, ""])]),
        kept=np.arange(len(SENTENCES)),
        info=SimpleNamespace(fingerprint="0123456789abcdef"),
    )


@pytest.fixture
def tiny_bert():
    """Builds a random BERT of 2 layers and 16 dimensions; ``tiny_bert(pooling="cls")``."""

    def build(*, seed: int = 0, after_pooling=None, **facts) -> TransformerEncoder:
        tokenizer = train_vocabulary(SENTENCES, 300)
        config = BertConfig(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
            initializer_range=0.5,  # larger than usual, so that texts differ visibly
        )
        model = seeded_model(BertModel, config, seed=seed)
        facts = {"reference": "tiny", "max_length": 32} | facts
        return TransformerEncoder(
            model, tokenizer, special_tokens=SPECIAL_TOKENS, after_pooling=after_pooling, **facts
        ).eval()

    return build


@pytest.fixture
def token_layer(store, small_corpus):
    """A token layer of 8 dimensions over the small corpus."""
    return load_encoder("token", corpus=small_corpus, dim=8)
