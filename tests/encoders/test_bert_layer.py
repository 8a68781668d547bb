"""A layer computed whole in bfloat16 gives what its own modules give, for every kind of model that has such layers."""

import numpy as np
import pytest
import torch
from tiny_models import tiny_encoder
from torch import nn

from embedlab.encoders.embed import embed, embed_layers
from embedlab.encoders.packed import PackedWeights, bf16_layer, can_be_packed, packed_linears

WHOLE = ["bert", "roberta", "xlm-roberta", "camembert", "electra"]
pytestmark = pytest.mark.skipif(
    not can_be_packed([nn.Linear(1, 1)], torch.bfloat16), reason="this torch or processor has no bfloat16 products"
)


@pytest.fixture
def encoder_of(sentences):
    """Builds a tiny random encoder of a kind of model; ``encoder_of("roberta", hidden_act="relu")``."""

    return lambda kind, **values: tiny_encoder(sentences, kind, shape=values, reference=kind)


def least_cosine(some: np.ndarray, others: np.ndarray) -> float:
    norms = np.linalg.norm(some, axis=-1) * np.linalg.norm(others, axis=-1)
    return float(((some * others).sum(axis=-1) / norms).min())


@pytest.mark.parametrize("kind", [*WHOLE, "distilbert"])
def test_vectors_are_near_those_of_float32_after_every_layer(encoder_of, sentences, kind):
    encoder = encoder_of(kind)
    with packed_linears(encoder, torch.bfloat16):
        whole = [module for module in encoder.modules() if type(module).__name__.endswith("Layer")]
        assert any("forward" in vars(module) for module in whole) == (kind in WHOLE)
    # as many texts as are worth packing, of different lengths, so that most are padded
    exact = embed_layers(encoder, sentences * 4, poolings=("mean", "cls"))
    encoder.embedding_precision = "bf16"
    rough = embed_layers(encoder, sentences * 4, poolings=("mean", "cls"))
    for pooling in ("mean", "cls"):
        assert all(vectors.dtype == np.float32 for vectors in rough[pooling])
        assert 0.9995 < least_cosine(np.stack(exact[pooling]), np.stack(rough[pooling])) < 1
    np.testing.assert_array_equal(rough["mean"][-1], embed(encoder, sentences * 4, precision="bf16"))


def test_a_layer_by_its_formula(encoder_of):
    layer = encoder_of("bert").model.encoder.layer[0]
    hidden = torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(0))
    seen = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    seen[1, ..., 3:] = False
    with torch.no_grad():
        expected = layer(hidden, seen)
        last, inner = (bf16_layer(layer, is_last=is_last)(hidden, seen) for is_last in (True, False))
    assert last.dtype == torch.float32 and inner.dtype == torch.bfloat16
    for found in (last, inner.float()):
        torch.testing.assert_close(found[0], expected[0], atol=0.08, rtol=0)  # without the mask 2.9
        torch.testing.assert_close(found[1, :3], expected[1, :3], atol=0.08, rtol=0)  # without the mask 2.9


@pytest.mark.parametrize("values", [{"hidden_act": "relu"}, {"is_decoder": True}])
def test_another_activation_or_a_decoder_is_computed_as_it_is(encoder_of, values):
    assert bf16_layer(encoder_of("bert", **values).model.encoder.layer[0], is_last=False) is None


def test_attention_whose_weights_are_read_is_computed_as_it_is(encoder_of):
    encoder = encoder_of("bert")
    encoder.model.set_attn_implementation("eager")
    assert bf16_layer(encoder.model.encoder.layer[0], is_last=False) is None


def test_joined_layers_are_their_products_next_to_each_other():
    one, two, vectors = nn.Linear(4, 3), nn.Linear(4, 2), torch.randn(6, 4)
    joined = PackedWeights([one, two], torch.float32)
    with torch.no_grad():
        expected = torch.cat([one(vectors), two(vectors)], dim=1)
        torch.testing.assert_close(joined.product(vectors), expected)
        torch.testing.assert_close(joined.sum(vectors, torch.ones(6, 5)), expected + 1)
        torch.testing.assert_close(joined.product(vectors, "relu"), expected.relu())


def test_layers_of_which_one_has_no_bias_are_not_joined():
    assert not can_be_packed([nn.Linear(4, 3), nn.Linear(4, 3, bias=False)], torch.float32)


def test_a_batch_may_be_wider_than_its_longest_text_but_not_than_the_positions(encoder_of, sentences):
    encoder = encoder_of("bert")  # 64 positions
    lists = [[2, 7, 8, 3], [2, 3]]
    plain, wide = encoder.collate(lists), encoder.collate(lists, widths=16)
    assert plain["input_ids"].shape == (2, 4) and wide["input_ids"].shape == (2, 16)
    assert wide["attention_mask"].sum(dim=1).tolist() == [4, 2]
    assert encoder.collate([[5] * 50], widths=48)["input_ids"].shape == (1, 64)
    with torch.no_grad():
        torch.testing.assert_close(encoder(wide), encoder(plain), atol=1e-5, rtol=0)
