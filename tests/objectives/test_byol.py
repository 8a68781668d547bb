"""BYOL's loss by hand, by explicit loop, and by its properties."""

import pytest
import torch

from embedlab.objectives.byol import byol_loss


def test_byol_loss_of_equal_orthogonal_and_opposite_directions():  # 2 − 2·1, 2 − 2·0, 2 − 2·(−1), mean 2
    online = torch.tensor([[3.0, 0.0], [1.0, 0.0], [2.0, 2.0]])
    target = torch.tensor([[1.0, 0.0], [0.0, 5.0], [-1.0, -1.0]])
    each = [byol_loss(online=online[i : i + 1], target=target[i : i + 1]).item() for i in range(3)]
    assert each == pytest.approx([0, 2, 4], abs=1e-6)
    assert byol_loss(online=online, target=target).item() == pytest.approx(2)


def test_byol_loss_equals_the_explicit_loop_in_value_and_gradient():
    torch.manual_seed(0)
    online = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    target = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    loss = byol_loss(online=online, target=target)
    slow = 0.0
    for i in range(7):  # BYOL, equation 2: the squared distance of the vectors at length 1
        x_length = sum(value**2 for value in online[i]) ** 0.5
        y_length = sum(value**2 for value in target[i]) ** 0.5
        slow = slow + sum((x / x_length - y / y_length) ** 2 for x, y in zip(online[i], target[i], strict=True)) / 7
    torch.testing.assert_close(loss, slow, rtol=1e-12, atol=0)
    ours = torch.autograd.grad(loss, [online, target])
    for mine, theirs in zip(ours, torch.autograd.grad(slow, [online, target]), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-9, atol=1e-14)


def test_byol_loss_feels_directions_only_and_does_not_know_which_side_is_which():
    torch.manual_seed(1)
    x, y = torch.randn(6, 4, dtype=torch.float64), torch.randn(6, 4, dtype=torch.float64)
    loss = byol_loss(online=x, target=y)
    torch.testing.assert_close(byol_loss(online=5 * x, target=y * torch.rand(6, 1).add(0.1)), loss)
    torch.testing.assert_close(byol_loss(online=y, target=x), loss)
    rotation = torch.linalg.qr(torch.randn(4, 4, dtype=torch.float64)).Q
    torch.testing.assert_close(byol_loss(online=x @ rotation, target=y @ rotation), loss)
