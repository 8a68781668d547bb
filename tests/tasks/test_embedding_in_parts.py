"""A corpus embedded part by part, or by several, has the vectors of one embedded at once."""

import dataclasses

import numpy as np
import pytest

from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.stored import columns
from embedlab.encoders.embed import BATCH_TOKENS, embed, embed_tokens, tokenize
from embedlab.encoders.load import load_encoder
from embedlab.limits import LIMITS
from embedlab.progress import silent
from embedlab.tasks.measure import embedded, sharing
from embedlab.tasks.measure.embedded import embed_aside, embed_corpus, texts_cut


@pytest.fixture
def gappy(store, toy_corpus):
    """The toy corpus with rows without a text, one at each end."""
    texts = ["", *toy_corpus.texts[:60], " ", *toy_corpus.texts[60:], ""]
    return store_corpus(Draft("gappy", "test", texts))


def test_the_texts_of_a_run_are_tokenized_once_and_again_at_another_length(gappy, tmp_path, monkeypatch):
    encoder = load_encoder("token", corpus=gappy, seed=0)
    read, tokenize = [], encoder.tokenize
    monkeypatch.setattr(
        encoder, "tokenize", lambda texts, *of, **role: read.extend(texts) or tokenize(texts, *of, **role)
    )
    asked = {"device": "cpu", "progress": silent, "name": "test"}
    for name in ("untouched", "tuned"):
        embed_corpus(encoder, gappy, **asked, into=tmp_path / f"{name}.npy")
    texts_cut(encoder, gappy)
    assert len(read) == len(gappy.kept)
    encoder.max_length = 3
    short = embed_corpus(encoder, gappy, **asked, into=tmp_path / "short.npy")
    assert np.array_equal(short[gappy.kept], embed(encoder, [gappy.texts[row] for row in gappy.kept]))


@pytest.mark.parametrize(("reference", "exactly"), [("token", True), ("scratch:bert-tiny", False)])
@pytest.mark.parametrize("rows", [1, 7, 61])
def test_parts_change_nothing(gappy, tmp_path, monkeypatch, reference, exactly, rows):
    encoder = load_encoder(reference, corpus=gappy, seed=0)
    at_once = np.zeros((gappy.info.rows, encoder.dim), np.float32)
    at_once[gappy.kept] = embed(encoder, [gappy.texts[row] for row in gappy.kept])
    asked = {"device": "cpu", "progress": silent, "name": "test"}
    whole = embed_corpus(encoder, gappy, **asked, into=tmp_path / "whole.npy")
    assert np.array_equal(whole, at_once), "one part is the same bits"
    monkeypatch.setattr(sharing, "ROWS_AT_ONCE", rows)
    parts = embed_corpus(encoder, gappy, **asked, into=tmp_path / "parts.npy")
    # a transformer's batches are padded to other lengths
    assert np.array_equal(parts, at_once) if exactly else np.allclose(parts, at_once, atol=1e-5)
    aside = embed_aside(encoder, gappy, **asked)
    assert np.array_equal(aside, parts) and not parts[gappy.excluded].any()


@pytest.mark.parametrize("count", [2, 3])
def test_shares_of_the_batches_are_together_the_whole(toy_corpus, count, monkeypatch):
    monkeypatch.setitem(BATCH_TOKENS, "cpu", 700)
    encoder = load_encoder("scratch:bert-tiny", corpus=toy_corpus, seed=0)
    tokens = tokenize(encoder, toy_corpus.texts)
    shares = [embed_tokens(encoder, tokens, share=(number, count)) for number in range(count)]
    assert (sum(share.any(axis=1).astype(int) for share in shares) == 1).all(), "each text is read once"
    assert min(share.any(axis=1).sum() for share in shares) > 10
    assert np.array_equal(sum(shares), embed(encoder, toy_corpus.texts))


def test_a_token_layer_is_read_by_the_first_alone(toy_corpus):
    encoder = load_encoder("token", corpus=toy_corpus, seed=0)
    tokens = tokenize(encoder, toy_corpus.texts)
    first, second = (embed_tokens(encoder, tokens, share=(number, 2)) for number in (0, 1))
    assert np.array_equal(first, embed(encoder, toy_corpus.texts)) and not second.any()


def test_progress_is_that_of_all_texts(gappy, tmp_path, monkeypatch):
    monkeypatch.setattr(sharing, "ROWS_AT_ONCE", 50)
    said = []
    encoder = load_encoder("scratch:bert-tiny", corpus=gappy, seed=0)
    embed_corpus(
        encoder, gappy, device="cpu", progress=lambda *told: said.append(told), name="test", into=tmp_path / "parts.npy"
    )
    assert {stage for stage, *_ in said} == {"Embedding 120 texts, test"} and {total for *_, total in said} == {120}
    done = [done for _, done, _ in said]
    assert done == sorted(done) and 49 in done and 98 in done


def test_texts_are_cut_alike_in_parts_and_mapped(gappy, monkeypatch):
    held = load_encoder("token", corpus=gappy, max_length=20)
    cut = texts_cut(held, gappy)
    monkeypatch.setattr(columns, "LIMITS", dataclasses.replace(LIMITS, mapped_rows=1))
    monkeypatch.setattr(embedded, "ROWS_AT_ONCE", 11)
    for name in ("texts", "titles"):
        gappy.__dict__.pop(name, None)
    assert texts_cut(held, gappy) == cut > 0
