"""Lazy imports: torch and other libraries are loaded when something of them is first used.

Pages and commands read what parts say of themselves; with torch at the top of a part's file that would take seconds.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any


class Later:
    """Stands for a module, imported on first use of an attribute."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(import_module(self._name), name)
        setattr(self, name, attribute)  # looked up once: a step of training uses many
        return attribute


if TYPE_CHECKING:
    import torch
    import torch.nn.functional as F
    from torch import Tensor, nn
    from torch.nn import Module as LateModule
else:

    class LateModule:
        """A class that loads nothing when defined, and whose instances are ``nn.Module``s."""

        def __new__(cls, *args, **kwargs):
            return super().__new__(_as_module(cls))

    @cache
    def _as_module(kind: type) -> type:
        """The class with ``nn.Module`` after its own bases."""
        module = import_module("torch.nn").Module
        return kind if issubclass(kind, module) else type(kind.__name__, (kind, module), {"__doc__": kind.__doc__})

    torch, nn, F = Later("torch"), Later("torch.nn"), Later("torch.nn.functional")
    Tensor = "Tensor"  # stands in annotations only
__all__ = ["F", "LateModule", "Later", "Tensor", "nn", "torch"]
