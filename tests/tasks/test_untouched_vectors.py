"""The untouched encoder's vectors of a corpus are embedded once, and only those of an equal encoder are taken."""

import numpy as np
import pytest
from doing import do

from embedlab.corpora.base import open_corpus
from embedlab.encoders.load import load_encoder
from embedlab.limits import LIMITS
from embedlab.tasks.measure import corpus_cache
from embedlab.tasks.measure.corpus_cache import untouched_embeddings
from embedlab.tasks.measure.embedded import embed_corpus

READING = {"device": "cpu"}


@pytest.fixture
def into(tmp_path):
    """Where a run would have its vectors."""
    return tmp_path / "before.npy"


@pytest.fixture
def computed(monkeypatch) -> list:
    """What was embedded, and not read."""
    seen = []
    monkeypatch.setattr(
        corpus_cache, "embed_corpus", lambda *of, **how: (seen.append(how), embed_corpus(*of, **how))[1]
    )
    return seen


def quiet(*said) -> None:
    """No progress."""


def test_a_second_run_reads_what_the_first_one_embedded_and_ends_with_the_same_bits(tiny, computed, monkeypatch):
    asked = {**tiny, "encoder": "scratch:bert-tiny", "epochs": 1, "max_steps": 2, "max_length": 32}
    first, second = do("train", asked), do("train", asked)
    assert len(computed) == 1
    before = np.load(first.embeddings("before"))
    assert np.array_equal(before, np.load(second.embeddings("before"))) and before.any()
    assert np.array_equal(np.load(first.embeddings("after")), np.load(second.embeddings("after")))
    do("train", {**asked, "recipe": "dropout"})  # another recipe, another pooling perhaps, the same encoder
    do("train", {**asked, "seed": 8})  # other random weights
    assert len(computed) in (2, 3)


def test_what_changes_the_vectors_changes_the_name(toy_corpus, computed, into):
    encoder = load_encoder("scratch:bert-tiny", corpus=toy_corpus)
    found = np.array(untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into))
    encoder.tokenize(["cut short"], 7)  # as training on shorter texts does
    assert np.array_equal(untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into), found)
    assert len(computed) == 1
    encoder.read_by("cls")
    assert not np.array_equal(untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into), found)
    encoder.embedding_precision = "bf16"
    untouched_embeddings(encoder, toy_corpus, device="cpu", progress=quiet, into=into)
    short = load_encoder("scratch:bert-tiny", corpus=toy_corpus, max_length=16)
    untouched_embeddings(short, toy_corpus, **READING, progress=quiet, into=into)
    next(encoder.parameters()).data += 1
    untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into)
    assert len(computed) == 5


def test_a_damaged_file_is_embedded_again_and_the_oldest_go_when_there_is_too_much(
    toy_corpus, computed, monkeypatch, into
):
    encoder = load_encoder("scratch:bert-tiny", corpus=toy_corpus)
    found = np.array(untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into))
    folder = open_corpus(toy_corpus.fingerprint).folder / "vectors"
    (file,) = folder.glob("*.npy")
    file.write_bytes(file.read_bytes()[:-8])
    assert np.array_equal(untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into), found)
    assert len(computed) == 2 and np.array_equal(np.load(file), found)
    monkeypatch.setattr(corpus_cache, "LIMITS", type(LIMITS)(kept_vectors_bytes=2 * file.stat().st_size - 1))
    encoder.read_by("cls")
    untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into)
    (left,) = folder.glob("*.npy")
    assert left != file
    monkeypatch.setattr(corpus_cache, "LIMITS", type(LIMITS)(kept_vectors_bytes=10))
    encoder.read_by("last")
    untouched_embeddings(encoder, toy_corpus, **READING, progress=quiet, into=into)  # too large to be kept at all
    assert list(folder.glob("*.npy")) == [left]
