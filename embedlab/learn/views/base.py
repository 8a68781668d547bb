"""What a view is: a picture of a lesson by its settings, turned into plain values and drawn by browser/KEY.js."""

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np
from pydantic import BeforeValidator

from embedlab.config import Config
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.errors import LessonError
from embedlab.example import example_corpus, is_example
from embedlab.figures.one_file import packed
from embedlab.figures.palette import UNLABELED, class_colours
from embedlab.figures.text import one_line
from embedlab.learn.facts import Facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of


class View(Config, ABC):
    """The settings that a lesson may write; ``content(facts)`` is what the page draws, plain values in a dict."""

    reads_pocket: ClassVar[bool] = False  # whether the page carries the pocket corpus for it

    @abstractmethod
    def content(self, facts: Facts) -> dict:
        """What ``browser/KEY.js`` draws."""


def _words(value: Any) -> Any:
    return [each.strip() for each in value.split(",") if each.strip()] if isinstance(value, str) else value


ItemT = TypeVar("ItemT")
Listed = Annotated[tuple[ItemT, ...], BeforeValidator(_words)]  # written as ``a, b``


def spread(count: int, most: int) -> np.ndarray:
    """Positions evenly spaced over ``count``, at most so many. -> (min(count, most),)"""
    return np.linspace(0, count - 1, min(most, count)).round().astype(int)


def classes_of(run: RunFolder, rows: np.ndarray) -> dict:
    """``classes``: [name, light, dark] of each class, then one for unlabelled texts; ``categories``: of each row."""
    corpus = corpus_of_run(run)
    names = [each.label for each in corpus.info.classes]
    colours = class_colours(names)
    classes = [[one_line(name, 40), colours[name]["light"], colours[name]["dark"]] for name in names]
    numbers = corpus.class_numbers[rows]
    categories = np.where(numbers < 0, len(classes), numbers).astype(np.uint16)
    return {"classes": [*classes, ["no class", *UNLABELED.values()]], "categories": packed(categories)}


def corpus_of_run(run: RunFolder) -> Corpus:
    """The corpus that the run was trained on. Raises LessonError if it no longer exists."""
    if is_example(run) and (packaged := example_corpus()) is not None:
        return packaged
    try:
        return open_corpus(fingerprint_of(run))
    except FileNotFoundError as error:
        raise LessonError("E-LESSON-RUN", f"The corpus of run {run.id!r} is no longer in the store.") from error
