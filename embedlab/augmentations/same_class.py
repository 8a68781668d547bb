"""Two texts of one class, for the supervised reference (TSDAE, section 5.1)."""

import random
from functools import cached_property

from embedlab.augmentations.base import Augmentation


class SameClass(Augmentation):
    """A labelled text, and another text with its label."""

    key = "same-class"
    title = "Same-class pairs"
    sentence = "Two different texts with the same label: supervised, unlike the other recipes."
    paper = "TSDAE, section 5.1 (in-domain supervised)"
    cites = ("wang2021tsdae",)
    needs = frozenset({"labels"})

    def views(self, row: int, rng: random.Random, place: int = 0) -> tuple[str, str] | None:
        """The text and another of its class; None without a label, or where the class has no other text."""
        label = None if self.corpus.labels is None else self.corpus.labels[row]
        others = self._by_label.get(label, ())
        if label is None or len(others) < 2:
            return None
        texts = self.corpus.texts
        different = [other for other in others if texts[other] != texts[row]]
        return (texts[row], texts[rng.choice(different)]) if different else None

    def usable(self, row: int) -> bool:
        """Whether the class holds a different text."""
        label = None if self.corpus.labels is None else self.corpus.labels[row]
        texts = self._different.get(label, 0)
        return label is not None and texts > 1

    def group(self, row: int) -> object | None:
        """The label: two texts that share it are never pushed apart."""
        return None if self.corpus.labels is None else self.corpus.labels[row]

    @cached_property
    def _by_label(self) -> dict[object, list[int]]:
        found: dict[object, list[int]] = {}
        for row in self.rows:
            if self.corpus.labels is not None and self.corpus.labels[row] is not None:
                found.setdefault(self.corpus.labels[row], []).append(row)
        return found

    @cached_property
    def _different(self) -> dict[object, int]:
        return {label: len({self.corpus.texts[row] for row in rows}) for label, rows in self._by_label.items()}
