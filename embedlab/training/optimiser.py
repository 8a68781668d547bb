"""The optimisers of the papers: Adam, AdamW or RMSprop, with warm-up and linear, constant or stepwise decay.

The rate is a function of the step, so that a resumed run has no scheduler to restore; gradients are clipped here
because torch's ``clip_grad_norm_`` refuses sparse ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from embedlab.later import Tensor, nn, torch
from embedlab.registry import Registry

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder
    from embedlab.objectives.base import Objective

Kind = Literal["adam", "adamw", "rmsprop"]
Decay = Literal["linear", "constant", "steps"]
_STEPS = (500, 1000, 1500, 2000)  # Contrastive Tension's: 1e-5, 8e-6, 6e-6, 4e-6, then 2e-6
_LEVELS = (1.0, 0.8, 0.6, 0.4, 0.2)


@dataclass(frozen=True)
class OptimiserKind:
    """The name of an optimiser, and the works it is based on (keys of report/works.bib)."""

    key: Kind
    title: str
    cites: tuple[str, ...] = ()


OPTIMISERS = Registry(
    "optimiser",
    [
        OptimiserKind("adam", "Adam", ("kingma2014adam",)),
        OptimiserKind("adamw", "AdamW"),
        OptimiserKind("rmsprop", "RMSprop"),
    ],
)


class Optimiser:
    """One optimiser over everything that trains; sparse gradients of a token layer are handled by RowAdam."""

    def __init__(
        self,
        encoder: Encoder,
        objective: Objective,
        *,
        learning_rate: float,
        warmup_steps: int,
        steps: int,
        kind: Kind = "adam",
        decay: Decay = "linear",
        weight_decay: float = 0.0,
        clipping: float | None = None,
    ):
        both = encoder.parameter_groups(), objective.parameter_groups()
        dense, sparse = (  # each parameter once; tied ones are listed twice
            list({id(parameter): parameter for groups in both for parameter in groups[kind]}.values())
            for kind in ("dense", "sparse")
        )
        self.parts: list[torch.optim.Optimizer | RowAdam] = []
        if dense:
            self.parts.append(_made(kind, dense, learning_rate, weight_decay))
        if sparse:
            self.parts.append(RowAdam(sparse, lr=learning_rate))
        self.parameters = [*dense, *sparse]
        self.learning_rate, self.warmup_steps, self.steps = learning_rate, warmup_steps, steps
        self.decay, self.clipping = decay, clipping

    def rate(self, step: int) -> float:
        """The learning rate of a step: 0 at the first, rising linearly to the peak, then as ``decay`` says."""
        if step < self.warmup_steps:
            return self.learning_rate * step / self.warmup_steps
        if self.decay == "constant":
            return self.learning_rate
        if self.decay == "steps":
            return self.learning_rate * _LEVELS[sum(step >= bound for bound in _STEPS)]
        return self.learning_rate * max(0.0, (self.steps - step) / max(1, self.steps - self.warmup_steps))

    def fall_to(self, steps: int, *, since: int) -> None:
        """From step ``since`` on, after the warm-up, the rate falls linearly to 0 at step ``steps``."""
        self.decay, self.warmup_steps, self.steps = "linear", since, steps

    def forget_gradients(self) -> None:
        """Clear all gradients."""
        for part in self.parts:
            part.zero_grad(set_to_none=True)

    def step(self, step: int) -> None:
        """Update the weights, then clear the gradients."""
        if self.clipping is not None:
            clip(self.parameters, self.clipping)
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = self.rate(step)
            part.step()
        self.forget_gradients()

    def gradients_are_finite(self) -> bool:
        """Whether all gradients are finite, checked with a single sum."""
        for parameter in self.parameters:
            gradient = parameter.grad
            if gradient is not None and gradient.is_sparse and not gradient.is_coalesced():
                rows, values = row_gradient(gradient)  # duplicate rows are summed once, for all later readers
                parameter.grad = torch.sparse_coo_tensor(
                    rows.unsqueeze(0), values, gradient.shape, is_coalesced=True, check_invariants=False
                )
        return bool(torch.isfinite(joint_length(self.parameters)))

    def state_tensors(self) -> dict[str, torch.Tensor]:
        """All moments and counts, by name, for a checkpoint."""
        tensors = {}
        for number, part in enumerate(self.parts):
            for parameter, moments in part.state_dict()["state"].items():
                for name, value in moments.items():
                    tensors[f"{number}.{parameter}.{name}"] = torch.as_tensor(value).contiguous()
        return tensors

    def load_state_tensors(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore the result of ``state_tensors``."""
        for number, part in enumerate(self.parts):
            state = part.state_dict()
            for name, value in tensors.items():
                which, parameter, moment = name.split(".", 2)
                if int(which) == number:
                    state["state"].setdefault(int(parameter), {})[moment] = value
            part.load_state_dict(state)


def clip(parameters: list[nn.Parameter], most: float) -> None:
    """Scale all gradients together so that their joint norm is at most ``most``."""
    scale = (most / (joint_length(parameters) + 1e-6)).clamp(max=1.0)
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad = parameter.grad * scale


def joint_length(parameters: list[nn.Parameter]) -> torch.Tensor:
    """The norm of all gradients as one vector, on a GPU in a few calls; sparse rows are summed first. -> ()"""
    gradients = [p.grad for p in parameters if p.grad is not None]
    return nn.utils.get_total_norm([row_gradient(each)[1] if each.is_sparse else each for each in gradients])


def _made(kind: Kind, parameters: list, learning_rate: float, weight_decay: float) -> torch.optim.Optimizer:
    if kind == "adam":
        return torch.optim.Adam(parameters, lr=learning_rate, fused=True)
    # biases and normalisations, which have one axis, are not decayed (BERT's rule)
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    if kind == "adamw":
        return torch.optim.AdamW(groups, lr=learning_rate, fused=True)
    return torch.optim.RMSprop(groups, lr=learning_rate)


CACHED_NUMBERS = 2**18  # of a tensor: those of so many rows stay in a core's cache from the first line to the last


class RowAdam:
    """Computes what ``torch.optim.SparseAdam`` does; a training step with that takes 1.13 times as long.

    Rows are gathered and written once (tests/benchmarks/row_adam.py; dense Adam's step takes five times as long).
    For parameters (rows, dim) whose gradient is sparse in its rows. Rows without a gradient keep weight and moments.
    Used as torch's optimisers are, but none of them: those load torch's compiler, which takes two seconds.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ):
        self.parameters = list(parameters)
        self.param_groups: list[dict[str, Any]] = [{"params": self.parameters, "lr": lr, "betas": betas, "eps": eps}]
        self.state: dict[int, dict[str, Tensor]] = {}  # by the parameter's place

    def step(self) -> None:
        """One step on every parameter that has a gradient."""
        for number, parameter in enumerate(self.parameters):
            if parameter.grad is None:
                continue
            if number not in self.state:
                moments = {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
                self.state[number] = {"step": torch.zeros(()), **moments}
            with torch.no_grad():
                self._move(parameter, parameter.grad, self.state[number], self.param_groups[0])

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients."""
        for parameter in self.parameters:
            parameter.grad = None

    def state_dict(self) -> dict[str, dict[int, dict[str, Tensor]]]:
        """Steps and moments of each parameter under ``state``."""
        return {"state": {number: dict(moments) for number, moments in self.state.items()}}

    def load_state_dict(self, state: dict) -> None:
        """Restore the result of ``state_dict`` on the device of each parameter."""
        self.state = {
            number: {
                name: value if name == "step" else value.to(self.parameters[number].device, copy=True)
                for name, value in moments.items()
            }
            for number, moments in state["state"].items()
        }

    @staticmethod
    def _move(parameter: Tensor, sparse_gradient: Tensor, state: dict, group: dict) -> None:
        state["step"] += 1
        step, (beta1, beta2) = int(state["step"]), group["betas"]
        pace = group["lr"] * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        touched, summed = row_gradient(sparse_gradient)  # (touched,), (touched, dim)
        few = max(1, CACHED_NUMBERS // summed.shape[1] if parameter.device.type == "cpu" else len(touched))
        for rows, gradient in zip(touched.split(few), summed.split(few), strict=True):
            mean = state["exp_avg"].index_select(0, rows).lerp_(gradient, 1 - beta1)
            square = state["exp_avg_sq"].index_select(0, rows).mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            state["exp_avg"].index_copy_(0, rows, mean)
            state["exp_avg_sq"].index_copy_(0, rows, square)
            parameter.index_add_(0, rows, mean.div_(square.sqrt_().add_(group["eps"])), alpha=-pace)


def row_gradient(gradient: Tensor) -> tuple[Tensor, Tensor]:
    """The rows that have a gradient, and the gradient of each. sparse (rows, dim) -> (touched,), (touched, dim)"""
    if gradient.is_coalesced():
        return gradient._indices()[0], gradient._values()
    rows, position = gradient._indices()[0].unique(return_inverse=True)
    values = gradient._values()
    return rows, torch.zeros(len(rows), values.shape[1], dtype=values.dtype, device=values.device).index_add_(
        0, position, values
    )
