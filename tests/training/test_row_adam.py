"""RowAdam moves the rows as torch's SparseAdam does, and leaves the others alone."""

import pytest
import torch

from embedlab.training.optimiser import RowAdam


def layer() -> torch.nn.EmbeddingBag:
    torch.manual_seed(0)
    return torch.nn.EmbeddingBag(50, 8, mode="mean", sparse=True)


def test_ten_steps_equal_sparse_adam():
    ours, theirs = layer(), layer()
    mine = RowAdam(ours.parameters(), lr=0.05)
    reference = torch.optim.SparseAdam(theirs.parameters(), lr=0.05)
    generator = torch.Generator().manual_seed(1)
    for _ in range(10):
        tokens = torch.randint(0, 40, (4, 9), generator=generator)
        for module, optimiser in ((ours, mine), (theirs, reference)):
            (module(tokens) ** 3).sum().backward()
            optimiser.step()
            optimiser.zero_grad()
    torch.testing.assert_close(ours.weight, theirs.weight, rtol=1e-5, atol=1e-6)


def test_the_first_step_of_a_touched_row_is_the_learning_rate_in_the_sign_of_the_gradient():
    module = layer()
    before = module.weight.detach().clone()
    optimiser = RowAdam(module.parameters(), lr=0.01)
    module(torch.tensor([[3, 7]])).sum().backward()
    optimiser.step()
    moved = before - module.weight.detach()
    assert torch.allclose(moved[[3, 7]], torch.full((2, 8), 0.01), atol=1e-6)  # Adam's first step: lr * sign
    moved[[3, 7]] = 0
    assert moved.abs().max() == 0


def test_state_survives_a_round_trip():
    module = layer()
    optimiser = RowAdam(module.parameters(), lr=0.05)
    module(torch.tensor([[1, 2]])).sum().backward()
    optimiser.step()
    again = RowAdam(layer().parameters(), lr=0.05)
    again.load_state_dict(optimiser.state_dict())
    assert again.state_dict()["state"][0]["step"] == 1
    assert torch.equal(again.state_dict()["state"][0]["exp_avg"], optimiser.state_dict()["state"][0]["exp_avg"])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_repeated_tokens_add_up(dtype):
    from embedlab.training.optimiser import row_gradient

    gradient = torch.sparse_coo_tensor(torch.tensor([[2, 0, 2]]), torch.ones(3, 4, dtype=dtype), (5, 4))
    rows, values = row_gradient(gradient)
    assert rows.tolist() == [0, 2] and values.tolist() == [[1] * 4, [2] * 4]
