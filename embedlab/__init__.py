"""embedlab: fine-tune sentence encoders without labels and see what changes."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from embedlab.paths import make_variables_absolute

if TYPE_CHECKING:
    from embedlab.api import (
        EmbedlabError,
        Run,
        compare,
        embed,
        evaluate,
        find,
        import_embeddings,
        layers,
        length_attack,
        list_runs,
        load_corpus,
        open_run,
        train,
    )  # fmt: skip

make_variables_absolute()  # the door of every process: command line, app, notebook, worker

# Read once, by the first import of torch and of numpy: a thread that spins at a barrier keeps the core from whatever
# else runs. Beside two busy processes a step takes 0.58 s in place of 0.11 where threads spin, 0.24 in place of 0.15
# where they sleep; numpy's pool spinning beside scipy's doubles the time of the linear probe
# (tests/benchmarks/beside_other_work.py, linear_probe.py).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # log2 of the processor's ticks, its smallest

__all__ = [
    "EmbedlabError", "Run", "compare", "embed", "evaluate", "find", "import_embeddings", "layers", "length_attack",
    "list_runs", "load_corpus", "open_run", "train",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """A name of the API; its module is imported on first use, so that ``import embedlab`` takes no time."""
    if name not in __all__:
        raise AttributeError(f"module 'embedlab' has no attribute {name!r}")
    offered = getattr(import_module("embedlab.api"), name)
    globals()[name] = offered  # asked once
    return offered


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
