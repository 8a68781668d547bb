"""What a run found: the one reader and writer of its ``result.json``, and the rule which accuracy is the run's."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from embedlab.corpora.reading_report import ReadingReport
from embedlab.counting import WORDS
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance
from embedlab.figures.text import accuracy
from embedlab.metrics.by_distance import value_key
from embedlab.runs.folder import RunFolder
from embedlab.statistics.intervals import share_error
from embedlab.store_root import read_json, write_json
from embedlab.vectors.faults import CONSEQUENCE, W_VECTORS, VectorFaults

OF_THE_ENCODER = "W-ENCODER-"  # begins the codes of what an encoder asks for and is not followed
W_EXPORT = "W-EXPORT"  # the exported encoder reads texts otherwise than the one that was measured
WEIGHTS_HASH = "weights_hash"  # in the metadata of predictions: of which encoder they are


class Found(BaseModel):
    """A part of a result: what older runs lack is None or empty, what newer ones have besides is kept."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)


class Change(Found):
    """A difference of shares with its 95 % interval (0.215 = 21.5 points)."""

    difference: float
    low: float
    high: float


class JoinedFile(Found):
    """How a file of vectors was joined with the corpus."""

    by: str = ""
    sentence: str = ""


class CorpusFacts(Found):
    """Which corpus, as the run read it."""

    name: str = "?"
    texts: int = 0
    classes: int = 0
    fingerprint: str = ""
    reading: ReadingReport | None = None  # how its file was read for this run


class Remark(Found):
    """A sentence for the reader, known by its code."""

    message: str
    code: str = ""


class Notice(Remark):
    """What the watchdog said, and at which step."""

    step: int


class Phase(Found):
    """An earlier run that the encoder grew from."""

    run: str = ""
    name: str = ""
    encoder: str | None = None
    recipe: str | None = None


class Judgement(Found):
    """By what live points were judged: ``knn`` of development texts, the ``loss`` on texts set aside, ``ranks`` of
    held-out summaries, or a ``set``."""

    by: str
    distance: Distance | None = None
    development_texts: int | None = None
    neighbors: int | None = None
    seed: int | None = None


class KeptStep(Found):
    """Whose encoder is opened, and why; ``judged`` is unset in runs from before it was written down."""

    reason: str = ""
    step: int | None = None
    best_step: int | None = None
    best_development: float | None = None
    judged: Judgement | None = None

    @property
    def is_judgement_known(self) -> bool:
        """Whether the run wrote down what its steps were judged by, if anything."""
        return "judged" in self.model_fields_set


class PairsTrained(Found):
    """Given pairs of a run: rows of the file, how many were trained on and how many were not."""

    name: str = ""
    fingerprint: str = ""
    rows: int
    used: int
    left_out: int
    reading: ReadingReport | None = None  # how their file was read for this run


class JudgedBySet(Found):
    """What an evaluation set of the user's says before and after; ``low`` and ``high`` of the change, at 95 %."""

    metric: str
    title: str = ""
    set: str = ""
    fingerprint: str = ""
    before: float
    after: float
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None  # pairs or queries
    reading: ReadingReport | None = None  # how its file was read for this run


class Judged(Found):
    """A change with its interval as shares, its sentence, and the same against each reference line."""

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str | None = None
    against: dict[str, Change] = Field(default_factory=dict)

    @property
    def change(self) -> Change | None:
        """None where nothing was trained or judged."""
        if self.difference is None:
            return None
        return Change(difference=self.difference, low=self.low, high=self.high)


class Shares(Judged):
    """kNN accuracy by one distance, shares between 0 and 1, of the first, the last and the best encoder."""

    before: float
    after: float | None = None
    best: float | None = None
    standard_error: float | None = None
    standard_error_before: float | None = None
    standard_error_best: float | None = None


class Knn(Shares):
    """By Euclidean distance, as in the papers; under ``cosine`` the same by cosine."""

    cosine: Shares | None = None
    protocol: str = "paper"
    test_texts: int = 0
    k: int = 10
    zero_vectors: int = 0


class ReferenceLine(Found):
    """TF-IDF or SVD on the run's test texts, a share."""

    value: float
    standard_error: float
    cosine: float | None = None
    counted: str | None = None  # words or characters

    def by(self, distance: Distance) -> float:
        """Rows of length one have the same neighbors by both; older runs kept Euclidean's alone."""
        return self.value if distance == EUCLIDEAN or self.cosine is None else self.cosine


class Folds(Judged):
    """All labelled texts by ten folds, by Euclidean distance; under ``cosine`` the same by cosine."""

    before: float
    after: float
    n: int
    sentence: str = ""
    cosine: "Folds | None" = None


class Development(Found):
    """kNN accuracy of development texts by the encoder that is opened; studies choose by it."""

    before: float
    after: float
    standard_error: float | None = None
    texts: int = 0
    step: int | None = None
    cosine: "Development | None" = None


class RunResult(Judged):
    """What a run found; its own change and verdict are by Euclidean distance, those by cosine stand in ``knn``."""

    run: str = ""
    name: str = ""
    corpus: CorpusFacts = CorpusFacts()
    encoder: str = "?"
    recipe: str = "?"
    files: dict[str, str] = Field(default_factory=dict)  # of a brought run: what its files are called
    joined: dict[str, JoinedFile] = Field(default_factory=dict)  # of a brought run: how each was joined
    vectors: dict[str, VectorFaults] = Field(default_factory=dict)  # of before and after; empty in older runs
    steps: int = 0
    usable_texts: int = 0
    seconds: float = 0.0  # in all
    training_seconds: float = 0.0
    stopped: bool = False  # the best step is opened, not the last one
    learning_rate: float | None = None
    pooling: str | None = None
    max_length: int | None = None  # tokens
    embedding_precision: str | None = None
    weights_hash: str | None = None
    trained_on: str = "all"
    pairs: PairsTrained | None = None
    judge: JudgedBySet | None = None
    supervised: bool = False
    saw_labels: bool | None = None  # it, or what it grew from, was trained by labels; None in old runs
    lineage: tuple[Phase, ...] = ()
    notices: tuple[Notice, ...] = ()
    knn: Knn | None = None
    kept: KeptStep | None = None
    folds: Folds | None = None
    development: Development | None = None
    references: dict[str, ReferenceLine] = Field(default_factory=dict)
    warnings: tuple[Remark, ...] = ()
    paths: dict[str, str] = Field(default_factory=dict)

    @property
    def is_trained(self) -> bool:
        """Whether a step was taken."""
        return self.steps > 0

    def warned(self, *codes: str) -> list[str]:
        """The sentences of the warnings with these codes."""
        return [each.message for each in self.warnings if each.code in codes]

    @property
    def vector_faults(self) -> list[str]:
        """What is wrong with its vectors, for every page that measures them; older runs counted those of kNN alone."""
        if not self.vectors and self.knn is not None and self.knn.zero_vectors:
            return [f"{self.knn.zero_vectors:,} labelled texts have a zero or non-finite vector: {CONSEQUENCE}."]
        return self.warned(W_VECTORS)

    @property
    def not_followed(self) -> list[str]:
        """What the encoder's folder asks of whoever reads it and was not done, a sentence each."""
        return [each.message for each in self.warnings if each.code.startswith(OF_THE_ENCODER)]

    def as_json(self) -> dict:
        """The keys of the command line's contract, as they stand in the file."""
        return self.model_dump(mode="json", exclude_unset=True)


def read_result(run: RunFolder) -> RunResult | None:
    """What the run found, or None while there is nothing."""
    try:
        return RunResult.model_validate(read_json(run.result))
    except (FileNotFoundError, ValueError):
        return None


def write_result(run: RunFolder, found: Mapping) -> RunResult:
    """The whole file or none of it; what does not fit ``RunResult`` is an error of ours."""
    result = RunResult.model_validate(found)
    write_json(run.result, result.as_json())
    return result


@dataclass(frozen=True)
class Accuracy:
    """Shares between 0 and 1 on the test texts: before training, and of the encoder that is opened.

    The encoder that is opened is the last one, after Stop or an early end the best one. ``distance`` is the one that
    the values are by: a run from before cosine was kept has Euclidean ones, whichever was asked for. ``change`` and
    ``verdict`` are None where nothing was trained or nothing was judged by this distance.
    """

    distance: Distance
    before: float
    after: float
    last: float  # of the last step, also where another encoder is opened
    standard_error_before: float
    standard_error: float
    test_texts: int
    k: int
    change: Change | None = None
    verdict: str | None = None
    against: dict[str, Change] = field(default_factory=dict)

    def of(self, side: str) -> tuple[float, float]:
        """The value and its error, of the encoder ``before`` or of the one that is opened."""
        return (self.before, self.standard_error_before) if side == "before" else (self.after, self.standard_error)

    def in_words(self, side: str = "after") -> str:
        """``58.9 % ± 1.4 by cosine``."""
        return f"{accuracy(*self.of(side))} by {DISTANCES[self.distance]}"


def accuracy_of(result: RunResult | None, distance: Distance) -> Accuracy | None:
    """None of a run without a result or without kNN accuracy."""
    if result is None or result.knn is None:
        return None
    knn, opened = result.knn, "best" if result.stopped else "after"
    by_cosine = knn.cosine if knn.cosine is not None and getattr(knn.cosine, opened) is not None else None
    values, judged = (by_cosine, by_cosine) if distance == COSINE and by_cosine is not None else (knn, result)
    after = getattr(values, opened)
    known = values.standard_error_before
    return Accuracy(
        distance=COSINE if values is by_cosine else EUCLIDEAN,
        before=values.before,
        after=after,
        last=values.after,
        standard_error_before=share_error(values.before, knn.test_texts) if known is None else known,
        standard_error=share_error(after, knn.test_texts),
        test_texts=knn.test_texts,
        k=knn.k,
        change=judged.change,
        verdict=judged.verdict,
        against=judged.against,
    )


def references_of(result: RunResult, distance: Distance) -> dict[str, tuple[float, float]]:
    """TF-IDF and SVD on the run's test texts: ``{tfidf: (value, standard error), svd: …}``."""
    return {name: (line.by(distance), line.standard_error) for name, line in result.references.items()}


def counted_in(result: RunResult) -> str:
    """What the reference lines of a run count: words or characters."""
    return next((line.counted for line in result.references.values() if line.counted), WORDS)


def ten_folds_of(result: RunResult, distance: Distance) -> Folds | None:
    """All labelled texts by this distance, else by Euclidean, where only that was kept."""
    folds = result.folds
    return folds.cosine if folds is not None and distance == COSINE and folds.cosine is not None else folds


def as_measured(result: RunResult | None) -> dict[str, dict]:
    """kNN accuracy as the run itself found it, in the form of its evaluations; empty without kNN accuracy.

    ``{before: {value, standard_error, cosine, …}, after: …, difference: {value, low, high, …}, tfidf: …, svd: …}``
    """
    states: dict[str, dict] = {}
    for distance in DISTANCES:
        found = accuracy_of(result, distance)
        if found is None or found.distance != distance:
            continue
        sides = {side: found.of(side) for side in ("before", "after")}
        for state, (value, error) in (sides | references_of(result, distance)).items():
            known = {value_key("value", distance): value, value_key("standard_error", distance): error}
            states[state] = {"test_texts": found.test_texts, **states.get(state, {}), **known}
        if found.change is not None:
            bounds = {"value": found.change.difference, "low": found.change.low, "high": found.change.high}
            known = {value_key(name, distance): number for name, number in bounds.items()}
            states["difference"] = {**states.get("difference", {}), **known}
    return states
