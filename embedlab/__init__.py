"""embedlab: fine-tune sentence encoders without labels and see what changes."""

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embedlab.api import (
        Run,
        compare,
        embed,
        evaluate,
        find,
        import_embeddings,
        layers,
        length_attack,
        load_corpus,
        open_run,
        runs,
        train,
    )  # fmt: skip

# Read once, by the first import of torch and of numpy: a thread that spins at a barrier keeps the core from whatever
# else runs. Beside two busy processes a step takes 0.58 s in place of 0.11 where threads spin, 0.24 in place of 0.15
# where they sleep; numpy's pool spinning beside scipy's doubles the time of the linear probe
# (tests/benchmarks/beside_other_work.py, linear_probe.py).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # log2 of the processor's ticks, its smallest

__all__ = [
    "Run", "compare", "embed", "evaluate", "find", "import_embeddings", "layers", "length_attack", "load_corpus",
    "open_run", "runs", "train",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """A function of the API; its file is imported with the first one, so that ``import embedlab`` takes no time."""
    if name not in __all__:
        raise AttributeError(f"module 'embedlab' has no attribute {name!r}")
    function = getattr(import_module("embedlab.api"), name)
    return globals().setdefault(name, function)  # a room of this name, once imported, stands there and is callable


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """The package: ``embedlab.runs`` and ``embedlab.compare`` are rooms and functions, so such a room can be called."""

    def __setattr__(self, name: str, value: object) -> None:
        """As the import system does with a room that it has imported."""
        if name in __all__ and isinstance(value, ModuleType):
            value.__class__ = _CallableRoom
        super().__setattr__(name, value)


class _CallableRoom(ModuleType):
    """A room whose name is also that of a function of the API."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The function; ``help(embedlab.api)`` describes it."""
        return getattr(import_module("embedlab.api"), self.__name__.rpartition(".")[2])(*arguments, **named)


sys.modules[__name__].__class__ = _Package
