"""Embedding in batches equals embedding one by one, whatever the budget; the encoder comes back as it was."""

from array import array

import numpy as np
import pytest
import torch

from embedlab.encoders.embed import BATCH_TOKENS, embed, embed_layers
from embedlab.encoders.encoder import joined


@pytest.fixture(params=["token", "tiny"])
def encoder(request, token_layer, tiny_bert):
    return token_layer if request.param == "token" else tiny_bert()


@pytest.mark.parametrize("batch_tokens", [1, 40, 10_000])
def test_batches_do_not_change_the_vectors(encoder, sentences, batch_tokens, monkeypatch):
    monkeypatch.setitem(BATCH_TOKENS, "cpu", batch_tokens)
    with torch.no_grad():
        one_by_one = np.concatenate([encoder(encoder.collate([ids])).numpy() for ids in encoder.tokenize(sentences)])
    embeddings = embed(encoder, sentences)
    assert embeddings.dtype == np.float32 and embeddings.shape == (len(sentences), encoder.dim)
    np.testing.assert_allclose(embeddings, one_by_one, atol=1e-6)


def test_the_order_of_texts_is_kept(encoder, sentences):
    np.testing.assert_allclose(embed(encoder, sentences[::-1]), embed(encoder, sentences)[::-1], atol=1e-6)


def test_the_mode_comes_back_and_dropout_is_off_meanwhile(encoder, sentences):
    for mode in (True, False):
        encoder.train(mode)
        np.testing.assert_array_equal(embed(encoder, sentences), embed(encoder, sentences))
        assert encoder.training is mode


def test_training_goes_on_after_embedding(encoder, sentences):
    embed(encoder, sentences)
    encoder(encoder.collate(encoder.tokenize(sentences))).sum().backward()


def test_texts_without_tokens_are_zero_vectors(token_layer):
    embeddings = embed(token_layer, ["", "a text", "   "])
    assert not embeddings[[0, 2]].any() and embeddings[1].any()


def test_no_texts_give_no_rows(encoder):
    assert embed(encoder, []).shape == (0, encoder.dim)


def test_layers_end_with_the_embedding_and_begin_with_the_embedding_block(tiny_bert, sentences, monkeypatch):
    monkeypatch.setitem(BATCH_TOKENS, "cpu", 30)
    encoder = tiny_bert()
    found = embed_layers(encoder, sentences, poolings=("mean", "cls", "last", "token-3"))
    assert {pooling: np.shape(layers) for pooling, layers in found.items()} == {
        pooling: (3, len(sentences), 16) for pooling in ("mean", "cls", "last", "token-3")
    }
    np.testing.assert_allclose(found["mean"][-1], embed(encoder, sentences), atol=1e-6)
    wide = np.stack(embed_layers(encoder, sentences, poolings=("mean+max",))["mean+max"])
    np.testing.assert_allclose(wide[..., :16], found["mean"], atol=1e-6)
    assert wide.shape == (3, len(sentences), 32)
    # before the first layer [CLS] has seen no other token: it is the same for every text
    np.testing.assert_allclose(found["cls"][0], found["cls"][0][:1].repeat(len(sentences), axis=0), atol=1e-6)


def test_a_token_layer_has_one_layer_and_the_mean(token_layer, sentences):
    found = embed_layers(token_layer, sentences, poolings=("mean", "cls", "last"))
    assert list(found) == ["mean"]
    np.testing.assert_allclose(found["mean"][0], embed(token_layer, sentences), atol=1e-6)


def test_bf16_is_close_to_float32(tiny_bert, sentences):
    exact, rough = (embed(tiny_bert(), sentences, precision=precision) for precision in ("fp32", "bf16"))
    assert rough.dtype == np.float32 and 0 < abs(exact - rough).max() < 0.1


def test_an_encoder_embeds_in_its_own_numbers_everywhere(tiny_bert, sentences):
    encoder = tiny_bert()
    exact = embed(encoder, sentences)
    encoder.embedding_precision = "bf16"
    rough = embed(encoder, sentences)
    assert (rough != exact).any() and np.array_equal(embed(encoder, sentences, precision="fp32"), exact)
    np.testing.assert_array_equal(rough, embed(tiny_bert(), sentences, precision="bf16"))
    np.testing.assert_allclose(embed_layers(encoder, sentences, poolings=("mean",))["mean"][-1], rough, atol=1e-6)


def test_progress_counts_up_to_the_work(tiny_bert, sentences, monkeypatch):
    monkeypatch.setitem(BATCH_TOKENS, "cpu", 40)
    said = []
    embed(tiny_bert(), sentences, progress=lambda *words: said.append(words))
    stages = {stage for stage, _, _ in said}
    assert stages == {"Tokenizing 10 texts", "Embedding 10 texts"} and all(done < total for _, done, total in said)


def test_progress_counts_texts_not_tokens_and_only_grows(encoder, sentences, monkeypatch):
    monkeypatch.setitem(BATCH_TOKENS, "cpu", 40)
    rows = []
    embed(encoder, sentences, progress=lambda *row: rows.append(row))
    embedded = [(done, total) for stage, done, total in rows if stage.startswith("Embedding")]
    assert embedded and {total for _, total in embedded} == {len(sentences)}
    assert embedded == sorted(embedded) and embedded[0][0] == 0
    if encoder.layers:
        assert max(done for done, _ in embedded) < len(sentences) and len({done for done, _ in embedded}) > 2


def test_ids_are_joined_alike_from_arrays_and_lists():
    lists = [[3, 1], [], [2**31 - 1, 0]]
    arrays = [array("i", ids) for ids in lists]
    for token_lists in (lists, arrays, [arrays[0], *lists[1:]]):
        whole = joined(token_lists)
        assert whole.dtype == np.int64 and whole.tolist() == [3, 1, 2**31 - 1, 0]
    assert joined([]).shape == joined([array("i")]).shape == (0,)
