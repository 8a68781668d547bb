"""What is known without torch becomes a torch module when it is made."""

import copy
import subprocess
import sys

import pytest
import torch
from torch import nn

from embedlab import later
from embedlab.later import F, LateModule, Later


class Half(LateModule):
    """Half of a linear layer."""

    rate = 0.5

    def __init__(self, dim: int):
        super().__init__()
        self.linear = later.nn.Linear(dim, 1, bias=False)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        self.seen += 1
        return self.rate * self.linear(x)


class Third(Half):
    """Another rate, and one layer more."""

    rate = 1 / 3

    def __init__(self, dim: int):
        super().__init__(dim)
        self.after = nn.Identity()


def test_an_instance_is_a_module_with_all_that_belongs_to_one():
    made = Half(2)
    assert isinstance(made, nn.Module) and isinstance(made, Half) and not issubclass(Half, nn.Module)
    assert list(made.state_dict()) == ["seen", "linear.weight"] and [*dict(made.named_modules())] == ["", "linear"]
    nn.init.ones_(made.linear.weight)
    assert made(torch.tensor([1.0, 3.0])).item() == 2.0  # half of the sum
    made(torch.zeros(2)).sum().backward()
    assert made.seen.item() == 2 and made.linear.weight.grad is not None and not made.eval().training


def test_a_class_below_it_is_one_too_and_a_copy_is_of_the_same_class():
    made = Third(3)
    other = copy.deepcopy(made)
    assert isinstance(other, Third) and type(other) is type(made) is type(Third(1)) and "after" in other._modules
    nn.init.zeros_(other.linear.weight)
    assert made.linear.weight.abs().sum() > 0


def test_a_class_that_is_a_module_anyhow_is_left_as_it_is():
    class Both(Half, nn.Module):
        """Of both kinds."""

    assert type(Both(1)) is Both


def test_a_library_is_imported_when_it_is_first_asked_for_something():
    code = "import sys; from embedlab.later import Later; json = Later('wave'); print('wave' in sys.modules); json.open"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print('wave' in sys.modules)"], capture_output=True, text=True
    )
    assert done.stdout.split() == ["False", "True"]
    assert F.relu is torch.nn.functional.relu
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        _ = Later("nowhere_to_be_found").anything
