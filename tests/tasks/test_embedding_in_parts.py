"""A corpus embedded part by part has the vectors of one embedded at once, whoever embeds which part."""

import dataclasses

import numpy as np
import pytest

from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.stored import columns
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.limits import LIMITS
from embedlab.progress import silent
from embedlab.tasks.measure import embedded
from embedlab.tasks.measure.embedded import embed_aside, embed_corpus, embed_rows, texts_cut
from embedlab.vector_files import begin, opened


@pytest.fixture
def gappy(store, toy_corpus):
    """The toy corpus with rows without a text, one at each end."""
    texts = ["", *toy_corpus.texts[:60], " ", *toy_corpus.texts[60:], ""]
    return store_corpus(Draft("gappy", "test", texts))


@pytest.mark.parametrize(("reference", "exactly"), [("token", True), ("scratch:bert-tiny", False)])
@pytest.mark.parametrize("rows", [1, 7, 61])
def test_parts_change_nothing(gappy, tmp_path, monkeypatch, reference, exactly, rows):
    encoder = load_encoder(reference, corpus=gappy, seed=0)
    at_once = np.zeros((gappy.info.rows, encoder.dim), np.float32)
    at_once[gappy.kept] = embed(encoder, [gappy.texts[row] for row in gappy.kept])
    asked = {"device": "cpu", "progress": silent, "name": "test"}
    whole = embed_corpus(encoder, gappy, **asked, into=tmp_path / "whole.npy")
    assert np.array_equal(whole, at_once), "one part is the same bits"
    monkeypatch.setattr(embedded, "ROWS_AT_ONCE", rows)
    parts = embed_corpus(encoder, gappy, **asked, into=tmp_path / "parts.npy")
    # a transformer's batches are padded to other lengths
    assert np.array_equal(parts, at_once) if exactly else np.allclose(parts, at_once, atol=1e-5)
    aside = embed_aside(encoder, gappy, **asked)
    assert np.array_equal(aside, parts) and not parts[gappy.excluded].any()


def test_any_process_may_take_any_part(gappy, tmp_path):
    encoder, file = load_encoder("token", corpus=gappy, seed=0), tmp_path / "parts.npy"
    whole = embed_corpus(encoder, gappy, device="cpu", progress=silent, name="test", into=tmp_path / "whole.npy")
    begin(file, gappy.info.rows, encoder.dim)
    for start, stop in ((100, gappy.info.rows), (0, 40), (40, 100)):
        embed_rows(file, encoder, gappy, start, stop, device="cpu", progress=silent)
    assert np.array_equal(opened(file), whole)


def test_progress_is_that_of_all_texts(gappy, tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "ROWS_AT_ONCE", 50)
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
