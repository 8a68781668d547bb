"""InfoNCE by hand, against pytorch-metric-learning's cross-entropy over pairs, and by its properties."""

import math

import pytest
import torch
from torch import nn

from embedlab.objectives.infonce import InfoNCE, InfoNCEConfig, cosine_matrix, found_positive, info_nce


def test_info_nce_of_an_orthonormal_pair_is_log_of_one_plus_e_to_minus_one_over_t():
    similarity = cosine_matrix(anchors=torch.eye(2), positives=torch.eye(2))
    assert info_nce(similarity, temperature=0.5).item() == pytest.approx(math.log(1 + math.exp(-2)), rel=1e-6)


def test_info_nce_equals_the_explicit_loop_in_value_and_gradient():
    torch.manual_seed(0)
    anchors = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    positives = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    loss = info_nce(cosine_matrix(anchors=anchors, positives=positives), temperature=0.05)
    gradients = torch.autograd.grad(loss, [anchors, positives])

    def cosine(a, b):
        return (a @ b) / (a.norm() * b.norm())

    slow = 0.0
    for i in range(7):
        scores = [torch.exp(cosine(anchors[i], positives[j]) / 0.05) for j in range(7)]
        slow = slow - torch.log(scores[i] / sum(scores)) / 7
    torch.testing.assert_close(loss, slow, rtol=1e-9, atol=0)
    for ours, theirs in zip(gradients, torch.autograd.grad(slow, [anchors, positives]), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-12)


def test_info_nce_equals_multiple_negatives_ranking_loss_of_sentence_transformers():
    util = pytest.importorskip("sentence_transformers.util")
    torch.manual_seed(1)
    anchors, positives = torch.randn(9, 6), torch.randn(9, 6)
    theirs = nn.CrossEntropyLoss()(util.cos_sim(anchors, positives) * 20.0, torch.arange(9))
    ours = info_nce(cosine_matrix(anchors=anchors, positives=positives), temperature=0.05)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=0)


def test_the_loss_does_not_feel_the_length_of_a_vector():
    torch.manual_seed(2)
    anchors, positives = torch.randn(6, 4), torch.randn(6, 4)
    one = cosine_matrix(anchors=anchors, positives=positives)
    other = cosine_matrix(anchors=anchors * 7, positives=positives * torch.rand(6, 1).add(0.1))
    torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_found_positive_counts_the_rows_whose_own_positive_is_nearest():
    similarity = torch.tensor([[0.9, 0.1, 0.0], [0.8, 0.7, 0.0], [0.0, 0.1, 0.2]])
    assert found_positive(similarity).item() == pytest.approx(2 / 3)


class _Doubling(nn.Module):
    dim = 4

    def forward(self, tokens):
        return 2 * tokens["vectors"]


def test_the_head_is_trained_and_is_not_the_encoder():
    objective = InfoNCE(InfoNCEConfig(projection_head=True), _Doubling())
    views = [{"vectors": torch.randn(5, 4)}, {"vectors": torch.randn(5, 4)}]
    terms = objective(_Doubling(), views)
    terms["loss"].backward()
    shapes = [tuple(p.shape) for p in objective.parameters()]
    assert shapes == [(512, 4), (512,), (128, 512), (128,)]
    assert all(p.grad is not None for p in objective.parameters())
    assert not list(InfoNCE(InfoNCEConfig(), _Doubling()).parameters())
