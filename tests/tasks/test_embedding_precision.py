"""A run decides once in which numbers it embeds, says so, and whoever embeds for it later does the same."""

import numpy as np
import pytest
from doing import do

from embedlab.config import validated
from embedlab.corpora.base import open_corpus
from embedlab.encoders.embed import EmbeddingPrecision, embed
from embedlab.report.methods import methods_of
from embedlab.runs.state import read_state, write_state
from embedlab.runs.store import embedding_precision_of
from embedlab.store_root import read_json
from embedlab.tasks.measure.diagnose import encoder_loaders, looked_at
from embedlab.tasks.measure.subjects import RunState
from embedlab.training.settings import RunSettings


@pytest.fixture
def short(toy_corpus) -> dict:
    """Settings of one step of a small transformer."""
    return {
        "corpus": toy_corpus.info.fingerprint,
        "encoder": "scratch:bert-tiny",
        "batch_size": 8,
        "max_steps": 1,
        "vocabulary_size": 300,
        "max_length": 16,
        "live_texts": 0,
        "maps": False,
        "inside": False,
    }


def test_what_was_decided_is_said_and_read_by_everyone(short, monkeypatch):
    asked = []

    def decided(wish, encoder, texts, device):
        asked.append(wish)
        return EmbeddingPrecision("bf16", 0.99995)

    monkeypatch.setattr("embedlab.tasks.fine_tune.opening.precision_of_embedding", decided)
    folder = do("train", short)
    assert asked == ["auto"] and read_json(folder.result)["embedding_precision"] == "bf16"
    assert read_state(folder).embedding_cosine == 0.99995 and embedding_precision_of(folder) == "bf16"
    assert RunState(folder, "after", lambda *said: None).precision == "bf16"
    corpus = open_corpus(short["corpus"])
    looked = looked_at({"after": encoder_loaders(folder)["after"]}, corpus, lambda *said: None)["after"]
    texts, stored = [corpus.texts[row] for row in corpus.kept], looked.vectors[corpus.kept]
    assert (embed(looked.encoder, texts, precision="fp32") != stored).any()
    np.testing.assert_array_equal(looked.embed(texts), stored)  # whoever looks at a run embeds as it did
    said = methods_of(folder).text
    assert "embeddings in bf16 (cosine to fp32 at least 0.99995 for the texts tried)" in said


def test_one_switch_sets_both_back(short):
    folder = do("train", {**short, "precision": "fp32"})
    assert read_json(folder.result)["embedding_precision"] == "fp32" and read_state(folder).precision == "fp32"
    both = {"corpus": "x", "precision": "fp32", "embedding_precision": "bf16"}
    assert validated(RunSettings, both).asked_embedding_precision == "bf16"  # unless that is asked for itself


def test_runs_of_before_embedded_in_fp32(short):
    folder = do("train", {**short, "precision": "fp32"})
    settings = read_state(folder).settings
    assert settings.pop("embedding_precision") == "auto"  # as it was asked for, so that a study finds it again
    write_state(folder, read_state(folder).state, settings=settings, embedding_precision=None)
    assert embedding_precision_of(folder) == "fp32"
