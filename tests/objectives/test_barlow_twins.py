"""Barlow Twins by hand, by explicit loop, and by its indifference to the scale of a dimension."""

import pytest
import torch
from torch import nn

from embedlab.objectives.barlow_twins import (
    BarlowTwins,
    BarlowTwinsConfig,
    cross_correlation,
    invariance_loss,
    redundancy_loss,
)


def objective(dim: int, **settings) -> BarlowTwins:
    encoder = nn.Linear(dim, dim)
    encoder.dim = dim
    return BarlowTwins(BarlowTwinsConfig(**settings), encoder).double().train()


def two_sides(texts: int, dim: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(seed)
    return tuple(torch.randn(texts, dim, dtype=torch.float64, requires_grad=True) for _ in range(2))


def test_the_terms_of_a_two_by_two_correlation():  # 0² + (−0.2)², and 0.5² + 0.25²
    correlation = torch.tensor([[1.0, 0.5], [0.25, 0.8]])
    assert invariance_loss(correlation).item() == pytest.approx(0.04)
    assert redundancy_loss(correlation).item() == pytest.approx(0.3125)


def test_the_correlation_is_a_mean_over_the_batch_with_the_online_side_in_rows():
    online = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
    target = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
    assert cross_correlation(online=online, target=target).tolist() == [[0.0, 1.0], [0.0, -1.0]]


def test_two_texts_seen_alike_on_both_sides_cost_their_redundancy_alone():  # C = [[1, −1], [−1, 1]]
    vectors = torch.tensor([[100.0, -300.0], [-100.0, 300.0]], dtype=torch.float64)
    terms = objective(2, wiring="projection").direction(online=vectors, target=vectors)
    assert terms["loss"].item() == pytest.approx(0.0051 * 2, rel=1e-6)
    assert terms["redundancy"].item() == pytest.approx(2, rel=1e-6)


def test_the_loss_equals_the_explicit_loop_in_value_and_gradient_with_one_scale_for_both_sides():
    texts, dim = 6, 4
    online, target = two_sides(texts, dim)
    part = objective(dim, wiring="projection", off_diagonal_weight=0.3)
    scale, shift = part.normalisation.weight, part.normalisation.bias
    with torch.no_grad():
        scale.copy_(torch.rand(dim) + 0.5)
        shift.copy_(torch.randn(dim))
    ours = part.direction(online=online, target=target)["loss"]

    def standardised(z, i, j):
        mean = sum(z[:, j]) / texts
        variance = sum((value - mean) ** 2 for value in z[:, j]) / texts
        return scale[j] * (z[i, j] - mean) / (variance + 1e-5) ** 0.5 + shift[j]

    slow = 0.0
    for j in range(dim):
        for k in range(dim):
            entry = sum(standardised(online, i, j) * standardised(target, i, k) for i in range(texts)) / texts
            slow = slow + ((entry - 1) ** 2 if j == k else 0.3 * entry**2)
    torch.testing.assert_close(ours, slow, rtol=1e-10, atol=0)
    learned = [online, target, scale, shift]
    for mine, theirs in zip(torch.autograd.grad(ours, learned), torch.autograd.grad(slow, learned), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-8, atol=1e-12)


def test_the_loss_does_not_feel_an_affine_map_of_a_dimension():
    online, target = (10 * side.detach() for side in two_sides(16, 5))
    part = objective(5, wiring="projection")
    loss = part.direction(online=online, target=target)["loss"]
    scale, shift = torch.linspace(0.5, 4, 5), torch.linspace(-7, 7, 5)
    torch.testing.assert_close(
        part.direction(online=online * scale + shift, target=target)["loss"], loss, rtol=1e-5, atol=0
    )
    torch.testing.assert_close(
        part.direction(online=online, target=target / scale - shift)["loss"], loss, rtol=1e-5, atol=0
    )


def test_the_original_has_no_learned_scale_and_the_default_starts_with_the_same_value():
    online, target = two_sides(8, 4)
    original, default = objective(4, wiring="projection", affine=False), objective(4, wiring="projection")
    assert not list(original.normalisation.parameters()) and len(list(default.normalisation.parameters())) == 2
    losses = [part.direction(online=online, target=target)["loss"] for part in (original, default)]
    torch.testing.assert_close(*losses, rtol=1e-12, atol=0)
