"""The token layer's gradient, made of the touched rows alone, against PyTorch's own EmbeddingBag and by hand."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F


def gradients(layer, tokens):
    """Of a fixed sum of the vectors: ours, and that of a dense bag over the whole table."""
    torch.manual_seed(0)
    weight = layer.embedding.weight
    mask = tokens["attention_mask"]
    lengths = mask.sum(dim=1)
    found = layer(tokens)
    weighed = torch.randn_like(found)
    weight.grad = None
    (found * weighed).sum().backward()
    own = weight.grad
    table = weight.detach().clone().requires_grad_()
    flat, starts = tokens["input_ids"][mask.bool()], lengths.cumsum(0) - lengths
    (F.embedding_bag(flat, table, starts, mode="mean") * weighed).sum().backward()
    return found.detach(), own, table.grad


def test_it_is_that_of_the_whole_table_with_repeated_tokens_and_an_empty_text(token_layer):
    tokens = token_layer.collate([[5, 6, 5, 5], [7], [], [6, 9, 9, 8, 5]])
    found, own, dense = gradients(token_layer, tokens)
    assert own.is_sparse and own._indices().numel() == 5  # each touched row once
    torch.testing.assert_close(own.to_dense(), dense)
    with torch.no_grad():
        assert torch.equal(found, token_layer(tokens))  # the same bits with and without a gradient
    assert not found[2].any()


def test_by_hand(token_layer):
    tokens = token_layer.collate([[5, 5, 6]])
    token_layer.embedding.weight.grad = None
    token_layer(tokens)[0, 0].backward()
    gradient = token_layer.embedding.weight.grad.to_dense()[:, 0]
    assert gradient[5] == pytest.approx(2 / 3) and gradient[6] == pytest.approx(1 / 3) and gradient.count_nonzero() == 2


@pytest.mark.parametrize(
    ("pooling", "shares"),
    [("mean", [3 / 4, 1 / 4]), ("distinct", [1 / 2, 1 / 2]), ("log-count", [2.0986 / 3.0986, 1 / 3.0986])],
)
def test_tokens_are_counted_as_the_pooling_says(token_layer, pooling, shares):
    """Three times one token and once another: 3 : 1, 1 : 1, or 1 + log 3 : 1."""
    token_layer.read_by(pooling)
    tokens = token_layer.collate([[5, 6, 5, 5], [], [7]])
    five, six, seven = token_layer.embedding.weight.detach()[[5, 6, 7]]
    with torch.no_grad():
        found = token_layer(tokens)
        layered = token_layer.pool(token_layer.hidden_states(tokens)[0], tokens)
    torch.testing.assert_close(found[0], shares[0] * five + shares[1] * six, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(found[2], seven)
    torch.testing.assert_close(layered, found)  # Layers shows what the encoder gives
    assert not found[1].any()
    token_layer.has_unit_length = True
    with torch.no_grad():
        torch.testing.assert_close(token_layer(tokens), F.normalize(found, dim=1))
        torch.testing.assert_close(token_layer.pool(token_layer.hidden_states(tokens)[0], tokens), token_layer(tokens))


@pytest.mark.parametrize("pooling", ["mean", "distinct", "log-count"])
def test_repeating_a_text_moves_it_only_where_repetitions_count(token_layer, pooling):
    token_layer.read_by(pooling)
    with torch.no_grad():
        once, often = token_layer(token_layer.collate([[5, 6, 5, 7], [5, 6, 5, 7] * 20]))
    same = torch.allclose(F.normalize(once, dim=0), F.normalize(often, dim=0), atol=1e-5)
    assert same == (pooling != "log-count")  # its logarithms grow alike only for tokens that are as frequent


@pytest.mark.parametrize("pooling", ["distinct", "log-count"])
def test_gradients_by_count_are_those_of_the_whole_table(token_layer, pooling):
    token_layer.read_by(pooling)
    tokens = token_layer.collate([[5, 6, 5, 5], [7], [6, 9, 9, 8, 5]])
    grown = []
    for sparse in (True, False):
        token_layer.embedding.sparse = sparse
        token_layer.embedding.weight.grad = None
        (token_layer(tokens) * torch.arange(3.0).unsqueeze(1)).sum().backward()
        gradient = token_layer.embedding.weight.grad
        grown.append(gradient.to_dense() if gradient.is_sparse else gradient)
    torch.testing.assert_close(*grown)


def test_without_sparse_gradients_it_is_dense(token_layer):
    token_layer.embedding.sparse = False
    _, own, dense = gradients(token_layer, token_layer.collate([[5, 6, 5], [7]]))
    assert not own.is_sparse
    torch.testing.assert_close(own, dense)


def test_a_worker_that_trains_it_does_not_import_transformers():
    """Which takes seconds at each start."""
    code = "import embedlab.tasks.fine_tune.train, embedlab.tasks.draw.maps, sys"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print('transformers' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
