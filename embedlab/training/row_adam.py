"""Adam for a token layer: only the rows that a batch touched move, and their moments with them."""

import torch
from torch import Tensor

CACHED_NUMBERS = 2**18  # of a tensor: those of so many rows stay in a core's cache from the first line to the last


class RowAdam(torch.optim.Optimizer):
    """What ``torch.optim.SparseAdam`` computes; a training step with that takes 1.13 times as long.

    Rows are gathered and written once (tests/benchmarks/row_adam.py; dense Adam's step takes five times as long).
    For parameters (rows, dim) whose gradient is sparse in its rows. Rows without a gradient keep weight and moments.
    """

    def __init__(self, parameters, lr: float, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8):
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps})

    @torch.no_grad()
    def step(self, closure=None) -> None:
        """One step on every parameter that has a gradient."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, self._state_of(parameter), group)

    def _state_of(self, parameter: Tensor) -> dict:
        state = self.state[parameter]
        if not state:
            state["step"] = torch.zeros(())
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        return state

    @staticmethod
    def _move(parameter: Tensor, state: dict, group: dict) -> None:
        state["step"] += 1
        step, (beta1, beta2) = int(state["step"]), group["betas"]
        pace = group["lr"] * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        touched, summed = row_gradient(parameter.grad)  # (touched,), (touched, dim)
        few = max(1, CACHED_NUMBERS // summed.shape[1] if parameter.device.type == "cpu" else len(touched))
        for rows, gradient in zip(touched.split(few), summed.split(few), strict=True):
            mean = state["exp_avg"].index_select(0, rows).lerp_(gradient, 1 - beta1)
            square = state["exp_avg_sq"].index_select(0, rows).mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            state["exp_avg"].index_copy_(0, rows, mean)
            state["exp_avg_sq"].index_copy_(0, rows, square)
            parameter.index_add_(0, rows, mean.div_(square.sqrt_().add_(group["eps"])), alpha=-pace)


def sum_rows(parameter: Tensor) -> None:
    """Give a sparse gradient each of its rows once, for all who read it after."""
    gradient = parameter.grad
    if gradient is not None and gradient.is_sparse and not gradient.is_coalesced():
        rows, values = row_gradient(gradient)
        parameter.grad = torch.sparse_coo_tensor(
            rows.unsqueeze(0), values, gradient.shape, is_coalesced=True, check_invariants=False
        )


def row_gradient(gradient: Tensor) -> tuple[Tensor, Tensor]:
    """The rows that have a gradient, and the sum of what each got.  sparse (rows, dim) -> (touched,), (touched, dim)"""
    if gradient.is_coalesced():
        return gradient._indices()[0], gradient._values()
    rows, place = gradient._indices()[0].unique(return_inverse=True)
    values = gradient._values()
    return rows, torch.zeros(len(rows), values.shape[1], dtype=values.dtype, device=values.device).index_add_(
        0, place, values
    )
