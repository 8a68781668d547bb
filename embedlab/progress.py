"""How long work says where it is: stage, done, total."""

from typing import Protocol


class Progress(Protocol):
    """Called often and cheaply: ``progress("Embedding 8,022 texts", 2048, 8022)``; total 0 = unknown."""

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None: ...


def silent(stage: str, done: int = 0, total: int = 0) -> None:
    """Says nothing."""
