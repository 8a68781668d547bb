"""What an augmentation is: a row of a corpus -> views, strings and a random generator, no torch."""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import numpy as np

from embedlab.config import Config, ConfigT, NoSettings

PAIRS, SAMPLED, DAMAGED, HIDDEN = "pairs", "sampled pairs", "damaged texts", "hidden tokens"  # kinds of views
GIVEN, SCORED = "given pairs", "scored pairs"
TokenViews = tuple[list[int], ...]  # the token ids of each view of a row
IGNORED = -100  # stands in a view of labels where nothing is to be predicted


@dataclass(frozen=True)
class Vocabulary:
    """What an augmentation may use of the encoder's tokens.

    ``special`` frame, pad or mask a text and belong to no word. ``unknown`` ([UNK]) is none of them: it stands for a
    word of the text, which is deleted, repeated or hidden as any other (BERT's own code leaves out [CLS] and [SEP]
    alone); only where a token is drawn in place of another it is not drawn, because it is no word of its own.
    """

    special: frozenset[int] | set[int]
    mask: int | None
    size: int
    longest: int  # tokens of a view that are read, special ones included
    unknown: int | None = None

    @property
    def required_mask(self) -> int:
        """The mask token, for an augmentation that cannot work without one."""
        assert self.mask is not None, "an encoder without a mask token was let through"
        return self.mask

    def any_token(self, rng: random.Random) -> int:
        """A token drawn at random that is not special and not [UNK]."""
        while (token := rng.randrange(self.size)) in self.special or token == self.unknown:
            pass
        return token


class Augmentation(ABC, Generic[ConfigT]):
    """Makes two views of a text.

    Subclasses say ``key title sentence paper cites needs kind config_class view_names aim``.

    ``needs`` names what the encoder or corpus must offer: ``dropout`` (the two views are the same string, only the
    encoder's dropout tells them apart), ``context``, ``labels``, ``summaries``, ``title``, ``pairs``, ``scores``. Made
    over ``corpus`` (its ``texts titles summaries labels``, of given pairs ``pairs scores``, by row) and ``rows``, those
    that may be trained on.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    paper: ClassVar[str]
    cites: ClassVar[tuple[str, ...]] = ()  # keys of report/works.bib
    needs: ClassVar[frozenset[str]] = frozenset()
    config_class: ClassVar[type[Config]] = NoSettings
    kind: ClassVar[str] = PAIRS  # of its views; an objective says which kind it takes
    view_names: ClassVar[tuple[str, str]] = ("Anchor", "Positive")
    example_seed: ClassVar[int] = 1  # of the picture of its views: one that shows what it does
    example_positions: ClassVar[tuple[int, ...]] = (0,)  # in the batch, of the pairs in that picture
    aim: ClassVar[str] = "The positive should be close to its anchor."
    read_as: ClassVar[dict[str, str]] = {}  # further kinds as which its views can be read, and what is aimed at then

    def __init__(self, corpus: Any, rows: Sequence[int] | np.ndarray, config: ConfigT | None = None):
        """``corpus``: a stored corpus, given pairs or bare columns; each augmentation reads the columns it needs."""
        self.corpus, self.rows = corpus, rows
        self.config: ConfigT = self.config_class() if config is None else config  # type: ignore[assignment]  # its own

    @classmethod
    def makes(cls, kind: str) -> bool:
        """Whether its views suit an objective that takes this kind."""
        return kind == cls.kind or kind in cls.read_as

    @classmethod
    def needs_of(cls, config: ConfigT) -> frozenset[str]:
        """What these settings need, which may differ from the defaults."""
        return cls.needs

    @property
    def mask_is_needed(self) -> bool:
        """Whether the encoder must have a mask token."""
        return False

    @abstractmethod
    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, ...] | None:
        """Anchor and positive of one row, or None if it has none; ``position`` is the row's in the batch.

        Given pairs may have further views, the negatives, as many for each row.
        """

    def usable(self, row: int) -> bool:
        """Whether the row has views, whatever the random generator."""
        return self.views(row, random.Random(0)) is not None

    def group(self, row: int) -> object | None:
        """The class of a row if pairs are made within classes: texts of one class are then not negatives."""
        return None

    def target(self, row: int) -> float | None:
        """The score that people gave a row, to be learned; given for all rows or for none."""
        return None

    def on_tokens(self, views: TokenViews, vocabulary: Vocabulary, rng: random.Random) -> TokenViews:
        """The tokens that the encoder reads for one row's views; unchanged unless the augmentation works on tokens."""
        return views
