"""Adam without bias correction: one step by hand, many against the update written out, and against torch's AdamW."""

import pytest
import torch

from embedlab.postprocessing.uncorrected_adam import UncorrectedAdam


def weight_with_gradient(value, gradient) -> torch.nn.Parameter:
    weight = torch.nn.Parameter(torch.tensor(value, dtype=torch.float64))
    weight.grad = torch.tensor(gradient, dtype=torch.float64)
    return weight


def test_the_first_step_by_hand():
    # m = 0.1·2 = 0.2, v = 0.001·4 = 0.004, update = 0.2 / (√0.004 + 1e-6) + 0.01·1 = 3.1722276…
    weight = weight_with_gradient([1.0], [2.0])
    UncorrectedAdam([weight], lr=1e-3, eps=1e-6, weight_decay=0.01).step()
    assert weight.item() == pytest.approx(1 - 1e-3 * (0.2 / (0.004**0.5 + 1e-6) + 0.01), rel=1e-12)


def test_five_steps_equal_the_update_written_out():
    generator = torch.Generator().manual_seed(0)
    weight = torch.nn.Parameter(torch.randn(3, 4, dtype=torch.float64, generator=generator))
    slow, m, v = weight.detach().clone(), 0.0, 0.0
    optimiser = UncorrectedAdam([weight], lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)
    for _ in range(5):
        gradient = torch.randn(3, 4, dtype=torch.float64, generator=generator)
        weight.grad = gradient.clone()
        optimiser.step()
        m, v = 0.8 * m + 0.2 * gradient, 0.95 * v + 0.05 * gradient**2
        slow = slow - 0.02 * (m / (v**0.5 + 1e-6) + 0.1 * slow)
    torch.testing.assert_close(weight.detach(), slow, rtol=1e-12, atol=0)


def test_the_step_is_that_of_torch_adamw_with_its_correction_taken_out():
    # AdamW divides m by 1 - β₁ᵗ and v by 1 - β₂ᵗ: at t = 1 and eps → 0 its step is √(1-β₂)/(1-β₁) = 0.316 of ours
    ours, theirs = weight_with_gradient([1.0, -2.0], [0.3, 5.0]), weight_with_gradient([1.0, -2.0], [0.3, 5.0])
    UncorrectedAdam([ours], lr=1e-3, eps=1e-30).step()
    torch.optim.AdamW([theirs], lr=1e-3, eps=1e-30, weight_decay=0.0).step()
    start = torch.tensor([1.0, -2.0], dtype=torch.float64)
    torch.testing.assert_close((theirs - start) / (ours - start), torch.full((2,), 0.001**0.5 / 0.1).double())


def test_decay_is_beside_the_gradient_and_not_in_it():
    weight = weight_with_gradient([3.0], [0.0])
    UncorrectedAdam([weight], lr=0.5, weight_decay=0.1).step()
    assert weight.item() == pytest.approx(3.0 - 0.5 * 0.1 * 3.0)
    untouched = torch.nn.Parameter(torch.ones(1))
    UncorrectedAdam([untouched], lr=0.5, weight_decay=0.1).step()
    assert untouched.item() == 1.0
