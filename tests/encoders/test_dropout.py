"""The dropout drops the share it is asked for, keeps the mean, and its attention is that of torch without dropout."""

import copy
import json

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from embedlab.encoders import transformer
from embedlab.encoders.load import load_encoder
from embedlab.encoders.transformer import Dropout, attention, dropped


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_share_that_is_dropped_and_the_mean_that_stays(p):
    torch.manual_seed(0)
    values = dropped(torch.ones(1000, 999), p)
    share = float((values == 0).float().mean())
    assert abs(share - p) < 4 * (p * (1 - p) / values.numel()) ** 0.5 + 1e-5
    kept = values[values != 0]
    assert torch.allclose(kept, torch.tensor(1 / (1 - p)), rtol=1e-4)
    # every place alike, also those that share one random number
    by_place = (values.flatten()[: 4 * (values.numel() // 4)].view(-1, 4) == 0).float().mean(dim=0)
    assert torch.allclose(by_place, torch.tensor(p), atol=0.006)
    neighbors = (values[:, 1:] == 0) & (values[:, :-1] == 0)
    assert abs(float(neighbors.float().mean()) - p * p) < 0.003  # independent


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_gradient_is_dropped_where_the_value_is(dtype):
    values = torch.randn(50, 7).to(dtype).requires_grad_()
    found = dropped(values, 0.3)
    found.sum().backward()
    assert found.dtype == dtype and (values.grad == 0).any()
    assert torch.allclose(values.grad * values, found, rtol=1e-2 if dtype == torch.bfloat16 else 1e-5)


def test_bfloat16_drops_what_float32_drops():
    values = torch.randn(3, 50, 7).transpose(1, 2)  # not in one piece, as a gradient may be
    torch.manual_seed(4)
    exact = dropped(values.bfloat16().float(), 0.3)
    torch.manual_seed(4)
    torch.testing.assert_close(dropped(values.bfloat16(), 0.3), exact.bfloat16(), atol=0, rtol=0)


def test_one_seed_gives_one_mask_and_evaluation_none():
    layer, values = Dropout(0.25), torch.randn(33, 5)
    both = []
    for _ in range(2):
        torch.manual_seed(3)
        both.append(layer(values))
    assert torch.equal(*both) and not torch.equal(layer(values), both[0])
    assert torch.equal(layer.eval()(values), values) and torch.equal(dropped(values, 0.0), values)
    assert not dropped(values, 1.0).any()


@pytest.mark.parametrize("mask", [None, "bool", "added"])
@pytest.mark.parametrize(("dtype", "atol"), [(torch.float32, 1e-5), (torch.bfloat16, 0.05)])
def test_the_attention_is_torchs_but_for_what_is_dropped(monkeypatch, mask, dtype, atol):
    monkeypatch.setattr(transformer, "dropped", lambda values, p: values)
    query, key, value = (torch.randn(3, 2, 5, 4).to(dtype).requires_grad_() for _ in range(3))
    seen = torch.ones(3, 1, 5, 5, dtype=torch.bool)
    seen[1, :, :, 3:] = False
    masks = {None: None, "bool": seen, "added": torch.zeros(3, 1, 5, 5, dtype=dtype).masked_fill(~seen, float("-inf"))}
    module = nn.Module()
    found, _ = attention(module, query, key, value, masks[mask], dropout=0.1, scaling=0.4)
    told = scaled_dot_product_attention(query, key, value, masks[mask], scale=0.4)
    assert found.dtype == dtype and torch.allclose(found, told.transpose(1, 2), atol=atol)
    weights = torch.randn_like(found)
    mine, theirs = (
        torch.autograd.grad((each * weights).sum(), (query, key, value)) for each in (found, told.transpose(1, 2))
    )
    assert all(torch.allclose(*pair, atol=atol) for pair in zip(mine, theirs, strict=True))
    with torch.no_grad():
        value[1, :, 3:] += 100  # of tokens that are not seen
    again, _ = attention(module, query, key, value, masks[mask], dropout=0.1, scaling=0.4)
    assert torch.equal(again, found) == (mask is not None)


def test_what_it_does_not_know_is_left_to_torch(monkeypatch):
    asked = []
    monkeypatch.setattr(transformer, "sdpa_attention_forward", lambda *args, **more: asked.append(more) or (None, None))
    module, vectors = nn.Module(), torch.randn(1, 2, 3, 4)
    attention(module, vectors, vectors, vectors, None, dropout=0.0)
    attention(module, vectors, vectors, vectors, None, dropout=0.1, is_causal=True)
    attention(module, vectors, vectors, vectors, None, dropout=0.1, position_bias=vectors)
    attention(module, vectors, vectors[:, :1], vectors[:, :1], None, dropout=0.1)
    module.is_causal = True
    attention(module, vectors, vectors, vectors, None, dropout=0.1)
    assert len(asked) == 5


def test_an_encoder_has_it_everywhere_and_its_folder_says_nothing_of_it(tiny_bert, tmp_path):
    encoder = tiny_bert()
    kinds = {type(module) for module in encoder.modules() if isinstance(module, nn.Dropout)}
    assert kinds == {Dropout} and encoder.model.config._attn_implementation == transformer.ATTENTION
    encoder.save(tmp_path / "encoder")
    assert transformer.ATTENTION not in json.dumps(json.loads((tmp_path / "encoder" / "config.json").read_text()))
    assert load_encoder(str(tmp_path / "encoder")).weights_hash() == encoder.weights_hash()


def test_hidden_states_are_rounded_once_for_query_key_and_value(tiny_bert, sentences):
    encoder = copy.deepcopy(tiny_bert()).train()  # as a target network is copied
    attention, read = encoder.model.encoder.layer[0].attention.self, []
    for layer in (attention.query, attention.key, attention.value):
        layer.register_forward_pre_hook(lambda module, arguments: read.append(arguments[0]))
    tokens = encoder.collate(encoder.tokenize(sentences))
    encoder(tokens)
    assert {each.dtype for each in read} == {torch.float32}
    read.clear()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        encoder(tokens)
    assert read[0].dtype == torch.bfloat16 and read[0] is read[1] is read[2]
