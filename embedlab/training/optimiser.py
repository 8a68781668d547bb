"""Adam with warm-up and linear decay (crops paper, section 3.2)."""

import torch
from torch import nn

from embedlab.training.row_adam import RowAdam


class Optimiser:
    """Adam over everything that learns; gradients of a token layer are sparse, so its rows are updated sparsely."""

    def __init__(
        self, encoder: nn.Module, objective: nn.Module, *, learning_rate: float, warmup_steps: int, steps: int
    ):
        groups = encoder.parameter_groups()
        dense, sparse = [*groups["dense"], *objective.parameters()], groups["sparse"]
        self.parts: list[torch.optim.Optimizer] = []
        if dense:
            self.parts.append(torch.optim.Adam(dense, lr=learning_rate))
        if sparse:
            self.parts.append(RowAdam(sparse, lr=learning_rate))
        self.learning_rate, self.warmup_steps, self.steps = learning_rate, warmup_steps, steps

    def rate(self, step: int) -> float:
        """The learning rate of a step: 0 at the first, rising linearly, then falling linearly to 0."""
        if step < self.warmup_steps:
            return self.learning_rate * step / self.warmup_steps
        return self.learning_rate * max(0.0, (self.steps - step) / max(1, self.steps - self.warmup_steps))

    def step(self, step: int) -> None:
        """Move the weights by their gradients, then forget the gradients."""
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = self.rate(step)
            part.step()
            part.zero_grad(set_to_none=True)

    def state_tensors(self) -> dict[str, torch.Tensor]:
        """All moments and counts, by name, for a checkpoint."""
        found = {}
        for number, part in enumerate(self.parts):
            for place, moments in part.state_dict()["state"].items():
                for name, value in moments.items():
                    found[f"{number}.{place}.{name}"] = torch.as_tensor(value).contiguous()
        return found

    def load_state_tensors(self, tensors: dict[str, torch.Tensor]) -> None:
        """What ``state_tensors`` gave."""
        for number, part in enumerate(self.parts):
            kept = part.state_dict()
            for name, value in tensors.items():
                which, place, moment = name.split(".", 2)
                if int(which) == number:
                    kept["state"].setdefault(int(place), {})[moment] = value
            part.load_state_dict(kept)
