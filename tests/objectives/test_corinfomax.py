"""CorInfoMax: its volume by hand and by explicit loop, and the running state that two directions share."""

import math
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from embedlab.objectives.corinfomax import CorInfoMax, CorInfoMaxConfig, RunningMoments, log_volume


def objective(dim: int, **settings) -> CorInfoMax:
    encoder = nn.Linear(dim, dim)
    encoder.dim = dim
    return CorInfoMax(CorInfoMaxConfig(wiring="projection", **settings), encoder).train()


def sides(texts: int, dim: int, number: int = 2, dtype=torch.float64) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return [torch.randn(texts, dim, dtype=dtype, requires_grad=True) for _ in range(number)]


def slow_moments(z, mean, covariance, kept):
    """One update, entry by entry: μ ← λμ + (1 − λ)·batch mean; R ← λR + (1 − λ)·(outer products about the new μ)."""
    texts, dim = z.shape
    mean = torch.stack([kept * mean[j] + (1 - kept) * sum(z[:, j]) / texts for j in range(dim)])
    rows = []
    for j in range(dim):
        row = [sum((z[i, j] - mean[j]) * (z[i, k] - mean[k]) for i in range(texts)) / texts for k in range(dim)]
        rows.append(torch.stack([kept * covariance[j, k] + (1 - kept) * row[k] for k in range(dim)]))
    return mean, torch.stack(rows)


def slow_loss(x, y, moments, kept=0.01, weights=(0.2, 2000.0)):
    """Of one direction; ``moments`` holds (mean, covariance) of both sides and is moved."""
    loss = 0.0
    for side, z in enumerate((x, y)):
        mean, covariance = slow_moments(z, *moments[side], kept)
        eigenvalues = torch.linalg.eigvalsh(covariance + 1e-6 * torch.eye(len(mean), dtype=mean.dtype))
        loss = loss - weights[0] * sum(value.log() for value in eigenvalues) / len(mean)
        moments[side] = (mean.detach(), covariance.detach())
    return loss + weights[1] * sum((a - b) ** 2 for a, b in zip(x.flatten(), y.flatten(), strict=True)) / x.numel()


def fresh_moments(dim: int) -> list:
    return [(torch.zeros(dim, dtype=torch.float64), torch.eye(dim, dtype=torch.float64)) for _ in range(2)]


def test_one_dimension_by_hand():  # mean 0.5·0 + 0.5·2 = 1; squares about it 0 and 4, mean 2; 0.5·1 + 0.5·2
    moments = RunningMoments(1, forgetting=0.5)
    covariance = moments(torch.tensor([[1.0], [3.0]]))
    assert covariance.item() == 1.5 and moments.mean.item() == 1.0 and moments.covariance.item() == 1.5
    assert log_volume(covariance, ridge=0.5).item() == pytest.approx(math.log(2))


def test_the_factor_multiplies_the_old_value_so_that_almost_all_is_the_current_batch():
    moments = RunningMoments(2, forgetting=0.01)
    moments(torch.tensor([[10.0, 0.0], [10.0, 0.0]]))
    assert moments.mean.tolist() == pytest.approx([9.9, 0.0])
    assert moments.covariance[1, 1].item() == pytest.approx(0.01) and moments.mean.dtype == torch.float64


def test_the_volume_is_a_mean_over_dimensions():  # (log 2 + log 8) / 2
    assert log_volume(torch.diag(torch.tensor([1.0, 7.0])), ridge=1.0).item() == pytest.approx(math.log(4))


@pytest.mark.parametrize("weights", [(0.2, 2000.0), (1.0, 500.0)], ids=["UNSEE", "original"])
def test_two_steps_equal_the_explicit_loop_in_value_gradient_and_state(weights):
    a, b, c, d = sides(5, 4, 4)
    part = objective(4, covariance_weight=weights[0], invariance_weight=weights[1])
    moments = fresh_moments(4)
    for x, y in ((a, b), (c, d)):
        ours = part.direction(online=x, target=y)["loss"]
        slow = slow_loss(x, y, moments, weights=weights)
        torch.testing.assert_close(ours, slow, rtol=1e-10, atol=0)
        for mine, theirs in zip(torch.autograd.grad(ours, [x, y]), torch.autograd.grad(slow, [x, y]), strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-7, atol=1e-10)
    for kept, (mean, covariance) in zip((part.online_moments, part.target_moments), moments, strict=True):
        torch.testing.assert_close(kept.mean, mean)
        torch.testing.assert_close(kept.covariance, covariance)


def test_a_batch_smaller_than_the_dimensions_keeps_a_finite_volume_and_its_float64_value():
    x, y = sides(4, 12, dtype=torch.float32)
    part, moments = objective(12), fresh_moments(12)
    for _ in range(6):  # what remains of the identity is far below the ridge by now
        found = part.direction(online=x, target=y)["covariance"]
        slow = slow_loss(x.double(), y.double(), moments, weights=(1.0, 0.0))
    torch.testing.assert_close(found, slow.float(), rtol=1e-6, atol=0)
    (gradient,) = torch.autograd.grad(found, [x])
    assert gradient.isfinite().all() and gradient.abs().max() > 0


def test_spread_out_vectors_cost_less_than_vectors_along_a_line():
    torch.manual_seed(3)
    spread, line = torch.randn(32, 4), torch.randn(32, 1) * torch.ones(4)
    losses = [objective(4).direction(online=vectors, target=vectors)["loss"] for vectors in (spread, line)]
    assert losses[0] < losses[1]


def test_normalized_sides_do_not_feel_the_length_of_a_vector():
    x, y = (side.detach() for side in sides(6, 4))
    losses = {
        (normalize, scale): objective(4, normalize=normalize).direction(online=scale * x, target=y)["loss"].item()
        for normalize in (True, False)
        for scale in (1, 3)
    }
    assert losses[True, 1] == pytest.approx(losses[True, 3]) and losses[False, 1] != pytest.approx(losses[False, 3])


def test_the_moments_move_in_training_only():
    (x,) = sides(6, 3, 1)
    moments = RunningMoments(3, forgetting=0.01).eval()
    moments(x)
    assert moments.mean.tolist() == [0, 0, 0]
    moments.train()(x)
    assert moments.mean.tolist() == pytest.approx((0.99 * x.mean(dim=0)).tolist())


def test_the_moments_stay_in_float64_where_the_device_has_none():
    moments = RunningMoments(2, forgetting=0.01)

    def to_mps(tensor):
        assert tensor.dtype != torch.float64, "MPS has no float64"
        return SimpleNamespace(device=torch.device("mps"))

    assert moments._apply(to_mps) is moments and moments.mean.dtype == torch.float64
    assert moments.to("meta").mean.device.type == "meta"
