"""Results of the length attack as stored: of pairs of short texts, and of scored pairs."""

from dataclasses import dataclass

from pydantic import Field

from embedlab.measurement import Difference, ResultPart

ENCODERS = ("untouched", "tuned")
COPIES = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100]  # at which a path over m is measured


class Moments(ResultPart):
    """Mean and standard deviation of cosines."""

    mean: float
    std: float


class CopiesRead(ResultPart):
    """How many copies of a pair's texts the encoder read."""

    mean: float
    min: int | float
    max: int | float


class Shift(ResultPart):
    """Cosines of one encoder before and after texts are repeated."""

    before: Moments
    after: Moments


class PairsSummary(Shift):
    """The same with how many pairs and copies these are."""

    pairs: int
    effective_copies: CopiesRead


class Robustness(ResultPart):
    """How far similarities move in units of their spread, and whether same-label pairs still stand out.

    ``change`` = mean |Δcos| over the standard deviation of random pairs before; ``auc``: a same-label pair is more
    similar than a random one. A constant encoder has no change and an AUC of one half: it takes both to judge.
    """

    change: float | None = None
    auc_before: float | None = None
    auc_after: float | None = None


class AttackedPairs(ResultPart):
    """Pairs of one kind; without an encoder where it was not measured or has no vectors of them."""

    pairs: int
    effective_copies: CopiesRead | None = None
    untouched: Shift | None = None
    tuned: Shift | None = None

    @property
    def fitting(self) -> CopiesRead:
        """How many copies fit into the encoder."""
        assert self.effective_copies is not None, "there are pairs"
        return self.effective_copies

    @property
    def encoders(self) -> dict[str, Shift]:
        """The measured ones."""
        return {name: each for name in ENCODERS if (each := getattr(self, name)) is not None}


class LengthFacts(AttackedPairs):
    """The contents of ``length.json``: random pairs, and in ``same_label`` those with the same label."""

    copies: int
    texts: str
    same_label: AttackedPairs | None
    robustness: dict[str, Robustness]  # of each measured encoder
    zero_vectors: int  # pairs left out because a text has no vector
    flat_because: str | None
    fitted: str | None = Field(None, exclude_if=lambda sentence: sentence is None)  # lowered for a long context
    file: str | None = Field(None, exclude_if=lambda name: name is None)  # whose pairs these are

    def of_kind(self, kind: str) -> AttackedPairs:
        """The result for one kind of measured pairs."""
        if kind == "random":
            return self
        assert self.same_label is not None, "the kind was measured"
        return self.same_label


class Correlation(ResultPart):
    """Spearman of the cosine with the scores, with the texts as they are."""

    value: float


class ChangedCorrelation(Correlation):
    """The same for one way to repeat, and how it differs from that of the texts as they are."""

    change: Difference


class ScoredEncoder(ResultPart):
    """One encoder on scored pairs: with the texts unchanged, with the first repeated, with both repeated."""

    pairs: int
    effective_copies: CopiesRead
    zero_vectors: int
    flat_because: str | None
    none: Correlation
    first: ChangedCorrelation
    both: ChangedCorrelation


class ScoredLength(ResultPart):
    """The contents of ``length/scores.json``; an encoder that was not measured has no key."""

    set: str
    fingerprint: str
    copies: int
    fitted: str | None = Field(None, exclude_if=lambda sentence: sentence is None)  # lowered for a long context
    untouched: ScoredEncoder | None = Field(None, exclude_if=lambda encoder: encoder is None)
    tuned: ScoredEncoder | None = Field(None, exclude_if=lambda encoder: encoder is None)

    @property
    def encoders(self) -> dict[str, ScoredEncoder]:
        """The measured ones."""
        return {name: each for name in ENCODERS if (each := getattr(self, name)) is not None}


@dataclass(frozen=True)
class CopiesFit:
    """How many of each number of ``copies`` of the longest text are read, and from which number on it is cut."""

    copies: list[int]
    effective_copies: list[float]
    truncated_from: int | None
    flat_because: str | None


@dataclass(frozen=True)
class Bench(CopiesFit):
    """Two texts under all of them; a cosine is None where one has no vector."""

    cosines: list[float | None]
