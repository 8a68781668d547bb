"""What any encoder must beat: vectors and scores from words alone."""

from dataclasses import asdict
from importlib import import_module

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.registry import Registry


def _loaded(method) -> type:
    """The class of a baseline, which has its key, title and what it gives from the list."""
    module, _, name = method.place.partition(".")
    part = getattr(import_module(f"embedlab.baselines.{module}"), name)
    for field, value in asdict(method).items():
        setattr(part, field, value)
    return part


BASELINES = Registry("baseline", [_loaded(method) for method in BASELINE_METHODS])
