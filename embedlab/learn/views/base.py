"""What a view is: a picture of a lesson by its settings, turned into plain values and drawn by browser/KEY.js."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from embedlab.config import Config
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.errors import LessonError
from embedlab.example import example_corpus, is_example
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


def words(value: str) -> list[str]:
    """``a, b`` as ["a", "b"]."""
    return [each.strip() for each in value.split(",") if each.strip()]


def classes_of(run: RunFolder, rows: np.ndarray) -> tuple[list, np.ndarray]:
    """``[name, light, dark]`` of each class, then one for unlabelled texts; and the class of each row. -> …, (rows,)"""
    corpus = corpus_of_run(run)
    names = [each.label for each in corpus.info.classes]
    colours = class_colours(names)
    classes = [[one_line(name, 40), colours[name]["light"], colours[name]["dark"]] for name in names]
    numbers = corpus.class_numbers[rows]
    return [*classes, ["no class", *UNLABELED.values()]], np.where(numbers < 0, len(classes), numbers).astype(np.uint16)


def corpus_of_run(run: RunFolder) -> Corpus:
    """The corpus that the run was trained on. Raises LessonError if it no longer exists."""
    if is_example(run) and (packaged := example_corpus()) is not None:
        return packaged
    try:
        return open_corpus(fingerprint_of(run))
    except FileNotFoundError as error:
        raise LessonError("E-LESSON-RUN", f"The corpus of run {run.id!r} is no longer in the store.") from error
