"""Vectors of length 1: what has none stays zeros and takes no gradient, in the encoder and in every objective."""

import pytest
import torch
import torch.nn.functional as F

from embedlab.encoders.pooling import unit_length
from embedlab.encoders.token_layer import TokenLayer
from embedlab.objectives.byol import byol_loss
from embedlab.objectives.infonce import cosine_matrix, info_nce, nt_xent
from embedlab.training.optimiser import joint_length


def test_by_hand_and_as_normalize_in_value_and_gradient():
    torch.testing.assert_close(unit_length(torch.tensor([[3.0, -4.0]])), torch.tensor([[0.6, -0.8]]))
    torch.manual_seed(0)
    vectors, weights = torch.randn(5, 7, dtype=torch.float64, requires_grad=True), torch.randn(5, 7).double()
    ours, theirs = unit_length(vectors), F.normalize(vectors, dim=1)
    torch.testing.assert_close(ours, theirs)
    gradients = [torch.autograd.grad((found * weights).sum(), vectors)[0] for found in (ours, theirs)]
    torch.testing.assert_close(*gradients)


LOSSES = {
    "info-nce": lambda one, other: info_nce(cosine_matrix(anchors=one, positives=other), temperature=0.05),
    "nt-xent": lambda one, other: nt_xent(anchors=one, positives=other, temperature=0.05),
    "byol": lambda one, other: byol_loss(online=one, target=other),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_no_gradient_reaches_a_vector_of_no_length_and_the_others_have_theirs(loss):
    torch.manual_seed(0)
    one, other = torch.randn(4, 6), torch.randn(4, 6)
    one[2] = 0
    gradient = torch.autograd.grad(loss(one.requires_grad_(), other), one)[0]
    assert not gradient[2].any()
    assert 0 < gradient[0].norm() < 100


def test_a_text_whose_only_word_is_unknown_does_not_drown_its_batch(token_layer):
    torch.manual_seed(0)
    weight = torch.randn_like(token_layer.embedding.weight)
    weight[7] = 0  # a word of which the statistics say nothing
    layer = TokenLayer.of_words(token_layer.tokenizer, weight)
    one = layer(layer.collate([[5, 6], [7], [8, 9]]))
    other = layer(layer.collate([[6, 9], [5, 8], [9]]))
    info_nce(cosine_matrix(anchors=one, positives=other), temperature=0.02).backward()
    assert joint_length([layer.embedding.weight]) < 1e3  # 1e18 were it divided by an eps
    assert not layer.embedding.weight.grad.to_dense()[7].any()
