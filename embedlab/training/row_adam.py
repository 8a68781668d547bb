"""Adam for a token layer: only the rows that a batch touched move, and their moments with them."""

from __future__ import annotations

from embedlab.later import Tensor, torch

CACHED_NUMBERS = 2**18  # of a tensor: those of so many rows stay in a core's cache from the first line to the last


class RowAdam:
    """What ``torch.optim.SparseAdam`` computes; a training step with that takes 1.13 times as long.

    Rows are gathered and written once (tests/benchmarks/row_adam.py; dense Adam's step takes five times as long).
    For parameters (rows, dim) whose gradient is sparse in its rows. Rows without a gradient keep weight and moments.
    Used as torch's optimisers are, but none of them: those load torch's compiler, which takes two seconds.
    """

    def __init__(self, parameters, lr: float, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8):
        self.param_groups = [{"params": list(parameters), "lr": lr, "betas": betas, "eps": eps}]
        self.state: dict[int, dict[str, Tensor]] = {}  # by the parameter's place

    def step(self) -> None:
        """One step on every parameter that has a gradient."""
        (group,) = self.param_groups
        for number, parameter in enumerate(group["params"]):
            if parameter.grad is not None:
                with torch.no_grad():
                    self._move(parameter, self._state_of(number, parameter), group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        for parameter in self.param_groups[0]["params"]:
            parameter.grad = None

    def state_dict(self) -> dict:
        """Steps and moments of each parameter under ``state``."""
        return {"state": {number: dict(moments) for number, moments in self.state.items()}}

    def load_state_dict(self, state: dict) -> None:
        """What ``state_dict`` gave; on the device of each parameter."""
        (group,) = self.param_groups
        self.state = {
            number: {
                name: value if name == "step" else value.to(group["params"][number].device, copy=True)
                for name, value in moments.items()
            }
            for number, moments in state["state"].items()
        }

    def _state_of(self, number: int, parameter: Tensor) -> dict:
        if number not in self.state:
            moments = {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
            self.state[number] = {"step": torch.zeros(()), **moments}
        return self.state[number]

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
    rows, position = gradient._indices()[0].unique(return_inverse=True)
    values = gradient._values()
    return rows, torch.zeros(len(rows), values.shape[1], dtype=values.dtype, device=values.device).index_add_(
        0, position, values
    )
