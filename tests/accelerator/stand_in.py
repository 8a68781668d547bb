"""An accelerator made of nothing: numbers are computed on the CPU but lie on a device of their own, which never mixes.

What forgets to move a tensor fails here as it would on a GPU: an operation over tensors of both devices raises, and so
does ``.numpy()`` without ``.cpu()``. With ``lacks`` it is Apple's MPS, which has neither float64 nor sparse tensors.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
import torch.utils.backend_registration as backends
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from embedlab import later

NAME = "standin"
COPIES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)
BY_PLACE = ("index.Tensor", "index_put_.default", "index_put.default")  # whose places may lie on the CPU, as on a GPU
LACKS: set[str] = set()  # "float64", "sparse": what the device has not, while somebody says so


class Backend(backends._DummyBackendModule):
    """What ``torch.standin`` says of itself: one device, bf16 under autocast, the CPU's random numbers."""

    def device_count(self):
        return 1

    def is_available(self):
        return True

    def current_device(self):
        return 0

    def get_amp_supported_dtype(self):
        return [torch.bfloat16]

    def get_rng_state(self, device=0):
        return torch.get_rng_state()

    def set_rng_state(self, state, device=0):
        torch.set_rng_state(state)

    def manual_seed_all(self, seed):
        pass

    def _is_in_bad_fork(self):
        return False

    def synchronize(self, *_):
        pass


class There(torch.Tensor):
    """Wraps the CPU tensor that holds its numbers."""

    @staticmethod
    def __new__(cls, numbers):
        is_strided = numbers.layout == torch.strided
        form = {"strides": numbers.stride(), "storage_offset": numbers.storage_offset()} if is_strided else {}
        tensor = torch.Tensor._make_wrapper_subclass(
            cls, numbers.shape, dtype=numbers.dtype, layout=numbers.layout, device=torch.device(NAME, 0),
            requires_grad=numbers.requires_grad, **form,
        )  # fmt: skip
        tensor.numbers = numbers
        return tensor

    def __repr__(self):
        return f"There({self.numbers})"

    def tolist(self):
        """As on any device: torch itself refuses it to subclasses."""
        return self.numbers.tolist()

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        return computed(operation, args, kwargs or {})


class Factories(TorchDispatchMode):
    """Sees what makes a tensor on the device of nothing, and copies to it."""

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        return computed(operation, args, kwargs or {})


def computed(operation, args, kwargs):
    """The operation on the CPU's numbers; its result lies where its tensors do, or where it is asked to."""
    read = (args[0], *args[2:]) if str(operation).removeprefix("aten.") in BY_PLACE else args
    tensors = [each for each in tree_flatten((read, kwargs))[0] if isinstance(each, torch.Tensor)]
    there = [each for each in tensors if isinstance(each, There)]
    here = [each for each in tensors if not isinstance(each, There) and each.dim()]  # a number goes with any device
    if there and here and operation not in COPIES:
        raise RuntimeError(f"{operation} mixes {NAME} with the CPU: shapes {[tuple(each.shape) for each in here]}")
    out = operation(*tree_map(on_cpu, args), **tree_map(on_cpu, kwargs))
    if operation is torch.ops.aten._local_scalar_dense.default:
        return out
    changes_first = operation._schema.is_mutable and operation.__name__.split(".")[0].endswith("_")
    if operation is torch.ops.aten.copy_.default or (there and changes_first and operation._schema.returns):
        return args[0]
    if not operation._schema.returns:  # a fused step of an optimiser
        return None
    device = kwargs.get("device")
    stays = bool(there) if device is None else torch.device(device).type == NAME
    return tree_map(moved, out) if stays else out


def on_cpu(value):
    if isinstance(value, There):
        return value.numbers
    return torch.device("cpu") if isinstance(value, torch.device) and value.type == NAME else value


def moved(value):
    if not isinstance(value, torch.Tensor) or isinstance(value, There):
        return value
    if value.dtype == torch.float64 and "float64" in LACKS:
        raise TypeError("the device has no float64")
    if value.layout != torch.strided and "sparse" in LACKS:
        raise NotImplementedError("the device has no sparse tensors")
    return There(value)


MAKE = torch.tensor


def made_here_first(data, *, device=None, **more):
    """``torch.tensor`` fills memory by itself, where no mode sees it."""
    return MAKE(data, **more) if device is None else MAKE(data, **more).to(device)


_REGISTERED: list[torch.library.Library] = []


def _register() -> None:
    """Once a process; without the library no operation is known under autocast, in which nothing is cast."""
    if not _REGISTERED:
        backends._setup_privateuseone_for_python_backend(NAME, backend_module=Backend())
        library = torch.library.Library("_", "IMPL")
        library.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
        _REGISTERED.append(library)


@contextmanager
def accelerator(*lacks: str) -> Iterator[str]:
    """Within: ``standin:0`` is a device. Inference tensors have no version that it could keep: none are made."""
    _register()
    LACKS.update(lacks)
    try:
        with pytest.MonkeyPatch.context() as patch, Factories():
            for library in (torch, later.torch):  # which keeps what was asked of it before
                patch.setattr(library, "inference_mode", torch.no_grad)
                patch.setattr(library, "tensor", made_here_first)
            yield f"{NAME}:0"
    finally:
        LACKS.clear()
