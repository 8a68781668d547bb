"""A tiny random BERT, a vocabulary of ten plain sentences, and a corpus stand-in; nothing is downloaded."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from tiny_models import tiny_encoder

from embedlab.corpora.stored.columns import Column
from embedlab.encoders.load import load_encoder

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

    return partial(tiny_encoder, SENTENCES)


@pytest.fixture
def token_layer(store, small_corpus):
    """A token layer of 8 dimensions over the small corpus."""
    return load_encoder("token", corpus=small_corpus, dim=8)
