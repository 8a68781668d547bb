"""Packed weights give the vectors that the layers themselves give, and leave nothing behind."""

import numpy as np
import pytest
import torch
from torch import nn
from transformers.activations import ACT2FN

from embedlab.encoders import packed
from embedlab.encoders.embed import embed
from embedlab.encoders.packed import packed_linears

THERE = hasattr(torch.ops.mkldnn, "_linear_pointwise")


def vectors_of(encoder, sentences) -> np.ndarray:
    with torch.no_grad():
        return encoder(encoder.collate(encoder.tokenize(sentences))).numpy()


@pytest.mark.skipif(not THERE, reason="this build of torch has no such operators")
@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_the_vectors_are_the_same_and_so_is_the_encoder_afterwards(tiny_bert, sentences, activation):
    encoder = tiny_bert()
    for layer in encoder.model.encoder.layer:
        layer.intermediate.intermediate_act_fn = ACT2FN[activation]
    plain, modules = vectors_of(encoder, sentences), list(encoder.modules())
    with packed_linears(encoder, torch.float32):
        dense = encoder.model.encoder.layer[0].intermediate
        assert (type(dense.intermediate_act_fn) is nn.Identity) == (activation == "gelu")
        assert "forward" in vars(dense.dense)
        np.testing.assert_allclose(vectors_of(encoder, sentences), plain, atol=1e-5)
    assert list(encoder.modules()) == modules and not any("forward" in vars(module) for module in modules)
    np.testing.assert_array_equal(vectors_of(encoder, sentences), plain)


@pytest.mark.parametrize(("precision", "atol"), [("fp32", 1e-5), ("bf16", 0.05)])
def test_many_texts_are_embedded_from_packed_weights_and_training_goes_on(
    tiny_bert, sentences, precision, atol, monkeypatch
):
    packings = []
    monkeypatch.setattr(packed, "packed_linears", lambda *of: packings.append(of) or packed_linears(*of))
    encoder = tiny_bert()
    few = embed(encoder, sentences, precision=precision)
    assert not packings
    np.testing.assert_allclose(embed(encoder, sentences * 4, precision=precision), np.tile(few, (4, 1)), atol=atol)
    assert packings == [(encoder, {"fp32": torch.float32, "bf16": torch.bfloat16}[precision])]
    encoder.train()
    encoder(encoder.collate(encoder.tokenize(sentences))).sum().backward()
    assert encoder.model.encoder.layer[0].intermediate.dense.weight.grad.abs().sum() > 0


def test_an_error_within_leaves_the_layers_as_they_were(tiny_bert):
    encoder = tiny_bert()
    with pytest.raises(KeyError), packed_linears(encoder, torch.float32):
        raise KeyError
    assert not any("forward" in vars(module) for module in encoder.modules())


def test_without_the_operators_everything_is_computed_as_before(tiny_bert, sentences, monkeypatch):
    monkeypatch.setattr(packed, "_are_there", lambda dtype: False)
    encoder = tiny_bert()
    with packed_linears(encoder, torch.float32):
        assert not any("forward" in vars(module) for module in encoder.modules())
        assert vectors_of(encoder, sentences).any()
