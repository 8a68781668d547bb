"""What a diagnostic is: a view of an encoder on a corpus, without a better or worse direction."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field

from embedlab.config import Config, NoSettings
from embedlab.encoders.embed import embed, embed_layers
from embedlab.errors import UnfitError
from embedlab.metrics.split import Split
from embedlab.numbers import distinct, minus, percent
from embedlab.picture import Picture
from embedlab.progress import Progress, silent
from embedlab.vectors.exact import usable
from embedlab.vectors.faults import VectorFaults, faults_in

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

GEOMETRY, WORDS, LENGTH, LAYERS, READ_OUT = GROUPS = ("Geometry", "Words", "Length", "Layers", "Read-out")
NEEDS = {
    "labels": "it needs labels with enough texts to test, and this corpus has none. Choose a label column.",
    "context": "this encoder is a bare token-embedding layer, so its tokens have no context. Choose one with layers.",
    "a-text": "it needs a text of your own. Type one (--texts TEXT).",
    "two-texts": "it needs two texts of your own. Type them (--texts A B).",
}


@dataclass(frozen=True)
class TextPairs:
    """Pairs of texts and their scored similarity from 0 to 5, or no score. each: (pairs,)"""

    first: list[str]
    second: list[str]
    scores: np.ndarray | None = None


@dataclass
class EncoderView:
    """An encoder and the texts that diagnostics use; loaded, and texts embedded, on first use."""

    alike_above: ClassVar[int] = 4  # of 5, the score that people gave a pair

    load: Callable[[], "Encoder"]  # onto its device
    texts: Sequence[str]  # one a corpus row; an empty one takes no part
    labels: np.ndarray | None = None
    read: np.ndarray | None = None  # (rows,) bool: whether this label trained an encoder that is looked at
    split: Split | None = None  # tests no text whose label was read
    folds: tuple[Split, ...] = ()  # the ten by which the result is measured; empty where it is by the split
    titles: Sequence[str] | None = None
    stored: Callable[[], np.ndarray] | None = None  # (rows, dim), where they were embedded before
    typed: tuple[str, ...] = ()  # stripped
    pairs: TextPairs | None = None
    untouched: "EncoderView | None" = None  # what it is set against; None of the one that others are set against
    device: str = "cpu"
    progress: Progress = silent
    cache: dict = field(default_factory=dict)  # what one part computed and another needs again

    @cached_property
    def encoder(self) -> "Encoder":
        """The encoder, on its device."""
        return self.load()

    @property
    def reader(self) -> "Encoder":
        """The encoder whose tokens decide which texts are short: the same for all compared encoders."""
        return self.encoder if self.untouched is None else self.untouched.encoder

    @cached_property
    def vectors(self) -> np.ndarray:
        """(rows, dim), one per corpus row, zero for a row without a text."""
        if self.stored is not None:
            return self.stored()
        vectors = np.zeros((len(self.texts), self.encoder.dim), np.float32)
        vectors[self.rows] = self.embed([self.texts[row] for row in self.rows])
        return vectors

    @property
    def is_embedded(self) -> bool:
        """Whether the corpus's vectors have been requested."""
        return "vectors" in vars(self)

    def faults(self, copies: np.ndarray | None = None) -> VectorFaults:
        """Defects of those vectors; copies: (rows,) one number per distinct text"""
        return faults_in(self.vectors, self.rows, copies)

    @property
    def unread_labels(self) -> np.ndarray | None:
        """Labels that trained none of the encoders, None if they all did: for pairs made of labels."""
        if self.labels is None or self.read is None:
            return self.labels
        return np.where(self.read, np.array(None), self.labels)

    @property
    def labels_and_split(self) -> tuple[np.ndarray, Split]:
        """Both, for a part that needs labels; ``require`` has refused it otherwise."""
        assert self.labels is not None and self.split is not None, "a part without labels was let through"
        return self.labels, self.split

    @property
    def alike(self) -> list[tuple[str, str]] | None:
        """The given pairs with a score above ``alike_above``; None without scored pairs."""
        if self.pairs is None or self.pairs.scores is None:
            return None
        return [
            (self.pairs.first[pair], self.pairs.second[pair])
            for pair in np.flatnonzero(self.pairs.scores > self.alike_above)
        ]

    @cached_property
    def rows(self) -> np.ndarray:
        """The corpus rows that have a text."""
        return np.array([row for row, text in enumerate(self.texts) if text.strip()], int)

    def embed(self, texts: list[str]) -> np.ndarray:
        """(texts, dim)"""
        return embed(self.encoder, texts, device=self.device, progress=self.progress)

    def layers(self, rows: np.ndarray, poolings: Sequence[str]) -> dict[str, list[np.ndarray]]:
        """Return the vectors of these corpus rows after every layer, as ``embed_layers`` does.

        By the encoder's own pooling the last are the stored vectors, where there are some: what the result is of.
        """
        texts = [self.texts[row] for row in rows]
        by_pooling = embed_layers(
            self.encoder, texts, device=self.device, poolings=tuple(poolings), progress=self.progress
        )
        by_its_own = by_pooling.get(self.encoder.pooling)
        if by_its_own is not None and self.stored is not None:
            by_its_own[-1] = np.array(self.vectors[rows], np.float32)
        return by_pooling

    def sample(self, size: int, seed: int) -> np.ndarray:
        """Rows drawn at random, the same for every encoder, in corpus order.  -> (at most size,)"""
        return np.sort(np.random.default_rng(seed).permutation(self.rows)[:size])

    def usable(self, rows: np.ndarray) -> np.ndarray:
        """The rows among these with a usable vector."""
        return rows[usable(self.vectors, rows)]


class SampleConfig(Config):
    """How many texts to use."""

    texts: int = Field(2000, ge=10, le=20_000, description="Number of randomly drawn texts; fewer if there are fewer.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the random draw.")


class DiagnosticResult:
    """Plain values by name, None where unknown, and pictures of them."""

    def __init__(self, values: dict[str, Any], *pictures: Picture):
        self.values, self.pictures = _known(values), pictures

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def _known(value: Any) -> Any:
    """The values with None in place of NaN and infinity, which JSON lacks."""
    if isinstance(value, dict):
        return {name: _known(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_known(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Diagnostic(ABC):
    """One view of an encoder; ``sentence`` says what it shows and what it does not."""

    key: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    question: ClassVar[str]  # which it answers, in plain words
    sentence: ClassVar[str]
    paper: ClassVar[str]
    printed: ClassVar[str] = ""  # what the paper prints, to be read beside one's own
    unit: ClassVar[str]
    cites: ClassVar[tuple[str, ...]] = ()  # keys of report/works.bib
    needs: ClassVar[frozenset[str]] = frozenset()  # of ``NEEDS``
    number: ClassVar[tuple[str, str] | None] = None  # the value that stands for all on Compare, and what it is called
    config_class: ClassVar[type[Config]] = NoSettings

    @staticmethod
    @abstractmethod
    def measure(view: EncoderView, config: Any) -> DiagnosticResult:
        """With its settings; the same texts for all encoders that share settings and tokenizer."""

    @staticmethod
    @abstractmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """A sentence on the results ``before``, and ``after`` if there is a fine-tuned encoder."""


def texts_needed(part: type[Diagnostic]) -> int:
    """How many texts a reader must type, 0 to 2."""
    return 2 if "two-texts" in part.needs else int("a-text" in part.needs)


def require(part: type[Diagnostic], view: EncoderView) -> None:
    """Refuse, in a sentence, what this part cannot measure."""
    has = {
        "labels": view.labels is not None and view.split is not None,
        "context": "context" not in part.needs or "context" in view.encoder.provides,
        "a-text": any(view.typed[:1]),
        "two-texts": len(view.typed) >= 2 and all(view.typed[:2]),
    }
    for name in sorted(part.needs):
        if not has[name]:
            raise UnfitError("E-UNFIT", f"{part.title} cannot be measured: {NEEDS[name]}")


def phrases_of_states(parts: dict[str, str]) -> str:
    """``0.1 to 0.2 before, and 0.1 to 0.1 after fine-tuning``; for one encoder without the time.

    ``parts``: what is said of ``before``, and of ``after`` where there is a fine-tuned encoder.
    """
    when = {"before": "before", "after": "after fine-tuning"}
    return ", and ".join(f"{phrase} {when[state]}" if len(parts) > 1 else phrase for state, phrase in parts.items())


def shift_in_words(ends: dict[str, tuple[float, float]], digits: int = 2) -> str:
    """``from 0.95 to 0.97 before, and by nothing visible (0.41) after fine-tuning``  ends: of each encoder"""
    written = {state: distinct(*pair, digits=digits) for state, pair in ends.items()}
    return phrases_of_states({
        state: f"from {first} to {last}" if first != last else f"by nothing visible ({first})"
        for state, (first, last) in written.items()
    })  # fmt: skip


def knn_of_ends(results: dict[str, DiagnosticResult]) -> str:
    """kNN accuracy of the first and the last of ``parts``: ``70.3 % to 72.1 % before, and … after fine-tuning``."""
    ends = {state: [percent(each["parts"][end]["knn"]) for end in (0, -1)] for state, each in results.items()}
    return phrases_of_states({state: " to ".join(pair) for state, pair in ends.items()})


def value_in_words(results: dict[str, DiagnosticResult], name: str, form: str = "{:.2f}") -> str:
    """One value per encoder, in words; ``–`` if unknown."""
    values = {state: "–" if each[name] is None else form.format(each[name]) for state, each in results.items()}
    return phrases_of_states({state: minus(value) for state, value in values.items()})
