"""BERT-flow's optimiser: Adam without the correction of its first steps."""

from collections.abc import Iterable
from typing import Any

import torch


class UncorrectedAdam(torch.optim.Optimizer):
    """m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − lr (m / (√v + ε) + decay·w); m and v start at zero.

    Without the correction the first steps are larger: the first one is lr·0.1/√0.001 ≈ 3.2 lr instead of lr.
    """

    def __init__(
        self,
        parameters: Iterable[Any],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ):
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # it evaluates nothing anew
        """One step on every parameter that has a gradient."""
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                if not state:
                    state["mean"], state["square"] = torch.zeros_like(weight), torch.zeros_like(weight)
                mean = state["mean"].lerp_(weight.grad, 1 - beta1)
                square = state["square"].mul_(beta2).addcmul_(weight.grad, weight.grad, value=1 - beta2)
                update = mean / square.sqrt().add_(group["eps"]) + group["weight_decay"] * weight
                weight.add_(update, alpha=-group["lr"])
