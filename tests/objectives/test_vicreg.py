"""VICReg by hand, by explicit loop, and against pytorch-metric-learning in value and gradient."""

import pytest
import torch
from torch import nn

from embedlab.objectives.vicreg import VICReg, VICRegConfig, covariance_loss, variance_loss


def objective(dim: int, **settings) -> VICReg:
    encoder = nn.Linear(dim, dim)
    encoder.dim = dim
    return VICReg(VICRegConfig(wiring="projection", **settings), encoder)


def two_sides(texts: int, dim: int, dtype=torch.float64) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return tuple((0.8 * torch.randn(texts, dim, dtype=dtype)).requires_grad_() for _ in range(2))


def test_variance_loss_of_one_wide_and_one_dead_dimension():  # std √2 costs nothing, std 0.01 costs 0.99; mean
    assert variance_loss(torch.tensor([[0.0, 3.0], [2.0, 3.0]])).item() == pytest.approx(0.99 / 2)


def test_covariance_loss_of_two_equal_dimensions():  # covariance 1/2 with n − 1; (1/4 + 1/4) / 2 dimensions
    assert covariance_loss(torch.tensor([[0.0, 0.0], [1.0, 1.0]])).item() == pytest.approx(0.25)


def test_the_three_terms_are_weighed_as_in_the_paper():
    x, y = torch.tensor([[0.0, 0.0], [1.0, 1.0]]), torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    terms = objective(2).direction(online=x, target=y)
    short = 1 - (0.5 + 1e-4) ** 0.5
    assert terms["invariance"].item() == pytest.approx(0.5)  # squares 1, 0, 0, 1
    assert terms["variance"].item() == pytest.approx((short + 0.99) / 2)
    assert terms["covariance"].item() == pytest.approx(0.25)
    assert terms["loss"].item() == pytest.approx(25 * 0.5 + 25 * (short + 0.99) / 2 + 0.25)


def test_the_loss_equals_pytorch_metric_learning_in_value_and_gradient():
    losses = pytest.importorskip("pytorch_metric_learning.losses")
    x, y = two_sides(9, 6, torch.float32)
    ours = objective(6, invariance_weight=7, variance_weight=11, covariance_weight=3).direction(online=x, target=y)
    theirs = losses.VICRegLoss(invariance_lambda=7, variance_mu=11, covariance_v=3)(x, ref_emb=y)
    torch.testing.assert_close(ours["loss"], theirs, rtol=1e-5, atol=0)
    gradients = torch.autograd.grad(ours["loss"], [x, y])
    for mine, reference in zip(gradients, torch.autograd.grad(theirs, [x, y]), strict=True):
        torch.testing.assert_close(mine, reference, rtol=1e-5, atol=1e-6)


def test_the_loss_equals_the_explicit_loop_in_value_and_gradient():
    texts, dim = 5, 4
    x, y = two_sides(texts, dim)

    def covariance(z, j, k):
        means = [sum(z[:, column]) / texts for column in (j, k)]
        return sum((z[i, j] - means[0]) * (z[i, k] - means[1]) for i in range(texts)) / (texts - 1)

    slow = 0.0
    for i in range(texts):
        for j in range(dim):
            slow = slow + 25 * (x[i, j] - y[i, j]) ** 2 / (texts * dim)
    for z in (x, y):
        for j in range(dim):
            slow = slow + 25 / 2 * torch.clamp(1 - (covariance(z, j, j) + 1e-4) ** 0.5, min=0) / dim
            for k in range(dim):
                slow = slow + (covariance(z, j, k) ** 2 / dim if j != k else 0)
    ours = objective(dim).direction(online=x, target=y)["loss"]
    torch.testing.assert_close(ours, slow, rtol=1e-10, atol=0)
    for mine, theirs in zip(torch.autograd.grad(ours, [x, y]), torch.autograd.grad(slow, [x, y]), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-8, atol=1e-12)


def test_swapping_the_sides_or_moving_both_changes_nothing():
    x, y = two_sides(8, 5)
    part = objective(5)
    loss = part.direction(online=x, target=y)["loss"]
    torch.testing.assert_close(part.direction(online=y, target=x)["loss"], loss)
    torch.testing.assert_close(part.direction(online=x + 3, target=y + 3)["loss"], loss)
