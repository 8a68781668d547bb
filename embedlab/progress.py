"""How long work reports its progress: stage, done, total."""

from collections.abc import Callable
from typing import Protocol


class Progress(Protocol):
    """Called often and cheaply: ``progress("Embedding 8,022 texts", 2048, 8022)``; total 0 = unknown."""

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None: ...


def silent(stage: str, done: int = 0, total: int = 0) -> None:
    """Reports nothing."""


def in_words(progress: Progress, words: Callable[[str], str]) -> Progress:
    """A progress that rewords each stage: ``in_words(progress, lambda stage: f"{stage}, untouched")``."""

    def reworded(stage: str, done: int = 0, total: int = 0) -> None:
        progress(words(stage), done, total)

    return reworded


def stage_line(stage: str, done: int, total: int) -> str:
    """``Embedding 8,022 texts, 2,048 of 8,022`` if the stage names what is counted, else ``Reading a.csv, 41 %``."""
    if not total:
        return stage
    if f"{total:,}" in stage:
        return f"{stage}, {done:,} of {total:,}"
    return f"{stage}, {100 * done // total} %"
