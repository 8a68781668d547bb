"""Throw-away: the words of a text in another order."""

from embedlab.augmentations.base import Augmentation


class WordOrder(Augmentation):
    """A text and its words shuffled."""

    key = "word-order"
    title = "Shuffled words"
    sentence = "A text and the same words in another order."
    paper = "nobody's"

    def views(self, row, rng, position=0):
        """The text, and its words shuffled."""
        words = self.corpus.texts[row].split()
        return (self.corpus.texts[row], " ".join(rng.sample(words, len(words)))) if words else None
