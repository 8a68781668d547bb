"""Learning rates by hand, each optimiser against torch's own, clipping by one joint length, tied weights once."""

import pytest
import torch
from torch import nn

from embedlab.training.optimiser import Optimiser, clip


class Weights(nn.Module):
    """Some dense and some sparse parameters, grouped as encoders group theirs."""

    def __init__(self, dense=(), sparse=()):
        super().__init__()
        self.groups = {"dense": list(dense), "sparse": list(sparse)}

    def parameter_groups(self):
        return self.groups


def made(dense=(), sparse=(), **asked) -> Optimiser:
    dense = list(dense) or [nn.Parameter(torch.ones(2, 2))]
    asked = {"learning_rate": 0.5, "warmup_steps": 0, "steps": 100, **asked}
    return Optimiser(Weights(dense, sparse), Weights(), **asked)


def test_the_rate_rises_from_zero_to_the_peak_and_falls_to_zero():
    optimiser = made(warmup_steps=10)
    assert [optimiser.rate(step) for step in (0, 5, 10, 55, 100)] == pytest.approx([0, 0.25, 0.5, 0.25, 0])


def test_a_constant_rate_stays_and_contrastive_tensions_goes_down_in_steps():
    assert [made(decay="constant").rate(step) for step in (0, 50, 99)] == [0.5] * 3
    steps = made(decay="steps", learning_rate=1e-5, steps=10_000)
    at = [steps.rate(step) for step in (0, 499, 500, 999, 1000, 1499, 1500, 1999, 2000, 9999)]
    assert at == pytest.approx([1e-5, 1e-5, 8e-6, 8e-6, 6e-6, 6e-6, 4e-6, 4e-6, 2e-6, 2e-6])


@pytest.mark.parametrize(("kind", "theirs"), [("adam", "Adam"), ("adamw", "AdamW"), ("rmsprop", "RMSprop")])
def test_three_steps_equal_torchs_own(kind, theirs):
    torch.manual_seed(0)
    start, gradients = torch.randn(3, 2), torch.randn(3, 3, 2)
    ours, reference = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    optimiser = made([ours], kind=kind, decay="constant", learning_rate=0.1, weight_decay=0.2)
    decay = {} if kind == "adam" else {"weight_decay": 0.2}
    torchs = getattr(torch.optim, theirs)([reference], lr=0.1, **decay)
    for step, gradient in enumerate(gradients):
        ours.grad, reference.grad = gradient.clone(), gradient.clone()
        optimiser.step(step)
        torchs.step()
    torch.testing.assert_close(ours, reference)


def test_weight_decay_leaves_biases_and_normalisations_alone():
    weight, bias = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2))
    optimiser = made([weight, bias], kind="adamw", weight_decay=0.1, decay="constant")
    weight.grad, bias.grad = torch.zeros(2, 2), torch.zeros(2)
    optimiser.step(0)
    assert torch.allclose(weight, torch.full((2, 2), 0.95)) and torch.equal(bias, torch.ones(2))


def test_clipping_shortens_all_gradients_together_sparse_ones_too():
    dense, table = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(4, 1))
    dense.grad = torch.tensor([3.0, 0.0])
    table.grad = torch.sparse_coo_tensor([[1, 1]], [[1.0], [3.0]], (4, 1))  # one row, met twice: 4 in all
    clip([dense, table], 2.5)
    assert dense.grad.tolist() == pytest.approx([1.5, 0.0], rel=1e-5)
    clip([dense, table], 1.0)
    assert dense.grad.tolist() == pytest.approx([0.6, 0.0], rel=1e-5)
    assert table.grad.to_dense().flatten().tolist() == pytest.approx([0, 0.8, 0, 0], rel=1e-5)
    clip([dense, table], 100.0)
    assert dense.grad.tolist() == pytest.approx([0.6, 0.0], rel=1e-5), "short enough already"


def test_a_tied_parameter_moves_once():
    shared = nn.Parameter(torch.ones(1, 1))
    optimiser = Optimiser(
        Weights([shared]), Weights([shared]), learning_rate=0.1, warmup_steps=0, steps=10, decay="constant"
    )
    shared.grad = torch.ones(1, 1)
    optimiser.step(0)
    assert shared.item() == pytest.approx(0.9)


def test_a_sparse_part_of_the_objective_is_moved_by_its_rows():
    table = nn.Parameter(torch.zeros(3, 1))
    optimiser = Optimiser(
        Weights(), Weights(sparse=[table]), learning_rate=0.1, warmup_steps=0, steps=10, decay="constant"
    )
    table.grad = torch.sparse_coo_tensor([[2]], [[1.0]], (3, 1))
    optimiser.step(0)
    assert table[:2].abs().sum() == 0 and table[2].item() == pytest.approx(-0.1, rel=1e-4)
