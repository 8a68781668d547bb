"""The result of a run: the one reader and writer of its ``result.json``, and the rule which accuracy is shown."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from embedlab.corpora.notes import ReadingReport
from embedlab.counting import WORDS
from embedlab.damage import read_model
from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import (
    PAPER_SPLIT,
    TEN_FOLDS,
    ByDistance,
    Change,
    Difference,
    Measurement,
    Note,
    ResultPart,
    share_error,
    texts_tested,
)
from embedlab.metrics.base import MetricResult
from embedlab.numbers import accuracy
from embedlab.runs.folder import RunFolder
from embedlab.runs.reference_lines import ReferenceLine
from embedlab.runs.state import State
from embedlab.store_root import MissingFile, UnreadableFile, write_json
from embedlab.update import update
from embedlab.vectors.faults import W_VECTORS, VectorFaults
from embedlab.vectors.ids import JoinedFile

KNN, KNN_BY_FOLDS = "knn", "knn/folds"  # kNN accuracy among the metrics: on the paper's split, and the run's own
NOT_FOLLOWED = "W-ENCODER-"
OF_THE_ENCODER = (NOT_FOLLOWED, "I-ENCODER-")  # begin the codes of what is not followed, and of how it is read
W_EXPORT = "W-EXPORT"  # the exported encoder reads texts otherwise than the one that was measured


class CorpusFacts(ResultPart):
    """The corpus as the run read it."""

    name: str = "?"
    texts: int = 0
    classes: int = 0
    fingerprint: str = ""
    reading: ReadingReport | None = None  # how its file was read for this run


class Notice(Note):
    """A notice of the watchdog, and its step."""

    step: int


class Phase(ResultPart):
    """An earlier run that the encoder grew from."""

    run: str = ""
    name: str = ""
    encoder: str | None = None
    recipe: str | None = None


class SelectionCriterion(ResultPart):
    """What judged live points: ``knn`` of development texts, the ``loss`` on texts set aside, ``ranks`` of held-out
    summaries, or a ``set``.
    """

    by: str
    distance: Distance | None = None
    development_texts: int | None = None
    neighbors: int | None = None
    seed: int | None = None


class KeptStep(ResultPart):
    """Which step's encoder is selected, and why; ``judged`` is None if nothing judged its steps."""

    reason: str = ""
    step: int | None = None
    best_step: int | None = None
    best_development: float | None = None
    judged: SelectionCriterion | None = None


class PairsTrained(ResultPart):
    """Given pairs of a run: rows of the file, how many were used and how many were not."""

    name: str = ""
    fingerprint: str = ""
    rows: int
    used: int
    left_out: int
    reading: ReadingReport | None = None  # how their file was read for this run


class EvaluationSetResult(ResultPart):
    """A user's evaluation set before and after; ``low`` and ``high`` of the change, at 95 %."""

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


class WithVerdict(ResultPart):
    """A change with its interval as shares, and the same against each reference line.

    ``change`` is None where nothing was trained.
    """

    change: Change | None = None
    against: dict[str, Change] = Field(default_factory=dict)


class Knn(ResultPart):
    """kNN accuracy on the test texts, shares between 0 and 1, of the first, the last and the best encoder."""

    before: ByDistance[Measurement]
    after: ByDistance[Measurement]
    best: ByDistance[Measurement]
    protocol: str = PAPER_SPLIT
    k: int = 10
    zero_vectors: int = 0

    @property
    def test_texts(self) -> int:
        """The number of test texts."""
        return self.after.either.n or 0


class Folds(ResultPart):
    """The labelled texts by ten folds: what a run's accuracy and verdict are by."""

    before: ByDistance[Measurement]
    after: ByDistance[Measurement]
    judged: ByDistance[WithVerdict]
    untested: int | None = None  # development texts and their copies; None of folds that tested these too


class Development(ResultPart):
    """kNN accuracy on development texts by the selected encoder, of step ``step``; studies choose by it."""

    before: ByDistance[Measurement]
    after: ByDistance[Measurement]
    step: int


_WORKS_WITHOUT = re.compile(r"[;.] [Tt]raining and maps work without it.*", re.DOTALL)
W_NO_FOLDS = "W-NO-FOLDS"  # the labelled texts are too many for ten folds
W_NOT_MEASURED = "W-NOT-MEASURED"  # the process ended before the encoder that is kept was measured
NO_KNN = {  # by the warning that says why, in two or three words
    "W-NO-LABELS": "No labels",
    "W-ONE-CLASS": "One class",
    "W-FEW-LABELS": "Too few labels",
    "W-NO-TEST-TEXTS": "No test texts",
    "W-ONE-CLASS-LEFT": "One class to search",
    "W-NO-UNSEEN-TEXTS": "All labels seen",
    W_NOT_MEASURED: "Not measured",
}


class RunResult(ResultPart):
    """The result of a run."""

    run: str = ""
    name: str = ""
    corpus: CorpusFacts = CorpusFacts()
    encoder: str = "?"
    recipe: str = "?"
    files: dict[str, str] = Field(default_factory=dict)  # of a brought run: what its files are called
    joined: dict[str, JoinedFile] = Field(default_factory=dict)  # of a brought run: how each was joined
    vectors: dict[str, VectorFaults] = Field(default_factory=dict)  # of before and after
    steps: int = 0
    usable_texts: int = 0
    texts_read: int = 0  # in all steps, a text as often as it was read
    seconds: float = 0.0  # in all
    training_seconds: float = 0.0
    stopped: bool = False  # the best step is opened, not the last one
    learning_rate: float | None = None
    trained_parameters: int | None = None  # of the encoder, where an adapter trained in place of its weights
    pooling: str | None = None
    max_length: int | None = None  # tokens
    prompts: dict[str, str] = {}  # put before a text of the corpus (document) and before a query
    training_length: int | None = None  # tokens of a view that training read; None: as many as of a text
    embedding_precision: str | None = None
    weights_hash: str | None = None
    trained_on: str = "all"
    pairs: PairsTrained | None = None
    judge: EvaluationSetResult | None = None
    supervised: bool = False
    saw_labels: bool = False  # it, or what it grew from, was trained with labels
    lineage: tuple[Phase, ...] = ()
    notices: tuple[Notice, ...] = ()
    knn: Knn | None = None
    judged: ByDistance[WithVerdict] | None = None  # None where nothing was trained
    judged_against: str = "the untouched encoder"  # what the encoder before is called in a sentence
    kept: KeptStep | None = None
    folds: Folds | None = None
    development: Development | None = None
    references: dict[str, ReferenceLine] = Field(default_factory=dict)
    warnings: tuple[Note, ...] = ()
    paths: dict[str, str] = Field(default_factory=dict)

    @property
    def is_trained(self) -> bool:
        """Whether any step was taken."""
        return self.steps > 0

    @property
    def is_unmeasured(self) -> bool:
        """Return whether its process ended before the kept encoder was measured: it has no embeddings after."""
        return any(each.code == W_NOT_MEASURED for each in self.warnings)

    @property
    def epochs(self) -> float:
        """How often each usable text was read, on average."""
        return self.texts_read / self.usable_texts if self.usable_texts else 0.0

    def warned(self, *codes: str) -> list[str]:
        """The sentences of the warnings with these codes."""
        return [each.message for each in self.warnings if each.code in codes]

    @property
    def why_no_knn(self) -> str:
        """Why kNN accuracy was not measured, in a sentence; empty if unknown."""
        return next(iter(self.warned(*NO_KNN)), "")

    @property
    def reason_without_knn(self) -> str:
        """The same without what works all the same, and without the full stop: for the middle of a sentence."""
        return _WORKS_WITHOUT.split(self.why_no_knn)[0]

    @property
    def without_knn(self) -> str:
        """The same for a table cell: ``One class``."""
        return next((NO_KNN[each.code] for each in self.warnings if each.code in NO_KNN), "No labels")

    @property
    def vector_faults(self) -> list[str]:
        """Defects of its vectors, for every page that measures them."""
        return self.warned(W_VECTORS)

    @property
    def not_followed(self) -> list[str]:
        """What the encoder's folder asks of whoever reads it and was not done, a sentence each."""
        return [each.message for each in self.warnings if each.code.startswith(OF_THE_ENCODER)]

    @property
    def not_done(self) -> list[str]:
        """Those alone that change what every page measures, without what is merely told of the encoder."""
        return [each.message for each in self.warnings if each.code.startswith(NOT_FOLLOWED)]

    def remarks(self, *, but: Collection[str] = ()) -> list[str]:
        """The warnings that stand above no page, without these codes: what changes nothing that is to be done."""
        return [
            each.message
            for each in self.warnings
            if each.code not in (W_VECTORS, *but) and not each.code.startswith(NOT_FOLLOWED)
        ]


def read_result(run: RunFolder) -> RunResult | None:
    """The result of a run, or None if there is none yet or the file is damaged (``damaged_result``)."""
    try:
        file = run.result.stat()
        return _read_result(run, file.st_ino, file.st_mtime_ns, file.st_size)
    except OSError:  # UnreadableFile is one
        return None


def damaged_result(run: RunFolder) -> UnreadableFile | None:
    """Why a run's result cannot be read; None if it can, or there is none yet."""
    try:
        read_model(run.result, RunResult)
    except UnreadableFile as error:
        return None if isinstance(error, MissingFile) else error
    return None


@lru_cache(maxsize=256)
def _read_result(run: RunFolder, *written: int) -> RunResult:
    return read_model(run.result, RunResult)


def write_result(run: RunFolder, result: RunResult) -> None:
    """Write the whole file or nothing."""
    _write_result(run.result, result)


def change_result(run: RunFolder, change: Callable[[RunResult], RunResult]) -> RunResult:
    """Change a result that may be written meanwhile; ``UnreadableFile`` where it is damaged or missing."""
    return update(run.result, change, read=lambda file: read_model(file, RunResult), write=_write_result)


def _write_result(file: Path, result: RunResult) -> None:
    write_json(file, result.model_dump(mode="json", exclude_unset=True))


@dataclass(frozen=True)
class Accuracy:
    """Shares between 0 and 1 of the tested texts: before training, and for the selected encoder.

    The encoder that is opened is the last one, after Stop or an early end the best one. ``distance`` is the one that
    the values are by, ``protocol`` how texts were tested. ``change`` is None where nothing was trained.
    """

    distance: Distance
    before: float
    after: float
    standard_error_before: float
    standard_error: float
    test_texts: int
    k: int
    change: Change | None = None
    against: dict[str, Change] = field(default_factory=dict)
    protocol: str = PAPER_SPLIT

    @property
    def tested(self) -> str:
        """``over ten folds of 9,724 labeled texts``, or ``on 1,079 test texts``."""
        return texts_tested(self.protocol, self.test_texts)

    def of(self, side: str) -> tuple[float, float]:
        """The value and its error, for the encoder ``before`` or the selected one."""
        return (self.before, self.standard_error_before) if side == "before" else (self.after, self.standard_error)

    @property
    def measurement(self) -> Measurement:
        """The value of the selected encoder."""
        return Measurement(value=self.after, error=self.standard_error, n=self.test_texts)

    def in_words(self, side: str = "after") -> str:
        """``58.9 % ± 1.4 by cosine``."""
        return f"{accuracy(*self.of(side))} ({DISTANCES[self.distance]})"


def accuracy_of(result: RunResult | None, distance: Distance) -> Accuracy | None:
    """The accuracy of a run, the same wherever one is shown: by ten folds, or of the test texts where there are none.

    None for a run without a result or without kNN accuracy.
    """
    if result is None or result.knn is None or result.folds is None:
        return split_accuracy_of(result, distance)
    folds, judged = result.folds, result.folds.judged.by(distance)
    before, after = folds.before.by(distance), folds.after.by(distance)
    return Accuracy(
        distance=distance,
        before=before.value,
        after=after.value,
        standard_error_before=share_error(before.value, before.n),
        standard_error=share_error(after.value, after.n),
        test_texts=after.n or 0,
        k=result.knn.k,
        change=judged.change,
        against=judged.against,
        protocol=TEN_FOLDS,
    )


def split_accuracy_of(result: RunResult | None, distance: Distance) -> Accuracy | None:
    """The accuracy on the test texts of the paper's split alone, as the papers have it."""
    if result is None or result.knn is None:
        return None
    knn, judged = result.knn, WithVerdict() if result.judged is None else result.judged.by(distance)
    before, after = knn.before.by(distance), (knn.best if result.stopped else knn.after).by(distance)
    return Accuracy(
        distance=distance,
        before=before.value,
        after=after.value,
        standard_error_before=before.error or 0.0,
        standard_error=after.error or 0.0,
        test_texts=knn.test_texts,
        k=knn.k,
        change=judged.change,
        against=judged.against,
        protocol=knn.protocol,
    )


def references_of(result: RunResult, distance: Distance) -> dict[str, Measurement]:
    """TF-IDF and SVD on the texts that the run's accuracy is of: ``{tfidf: …, svd: …}``."""
    knn = accuracy_of(result, distance)
    if knn is None or knn.protocol != TEN_FOLDS:
        return split_references_of(result, distance)
    shares = {name: knn.after - change.difference for name, change in knn.against.items()}
    n = knn.test_texts
    return {name: Measurement(value=share, error=share_error(share, n), n=n) for name, share in shares.items()}


def split_references_of(result: RunResult, distance: Distance) -> dict[str, Measurement]:
    """TF-IDF and SVD on the test texts of the paper's split."""
    return {name: line.measured.by(distance) for name, line in result.references.items()}


def awaits_folds(result: RunResult, state: State) -> bool:
    """Whether ten folds are being predicted, so that accuracy and verdict are not yet known."""
    if result.knn is None or result.folds is not None or result.saw_labels or state.is_over:
        return False
    return not result.warned(W_NO_FOLDS)


def counted_in(result: RunResult) -> str:
    """What the reference lines of a run count: words or characters."""
    return next((line.counted for line in result.references.values()), WORDS)


def as_measured(result: RunResult | None, distance: Distance) -> dict[str, dict[str, MetricResult | Difference]]:
    """The run's own kNN accuracy by each protocol, in the format of its evaluations; empty without kNN accuracy.

    ``{knn/folds: {before: MetricResult, after: …, difference: Difference, tfidf: …, svd: …}, knn: …}``
    """
    split = split_accuracy_of(result, distance)
    if result is None or split is None:
        return {}
    measured = {KNN: _states(split, split_references_of(result, distance))}
    if result.folds is None:
        return measured
    folded = accuracy_of(result, distance)
    assert folded is not None, "ten folds were measured"
    return {KNN_BY_FOLDS: _states(folded, references_of(result, distance)), **measured}


def _states(knn: Accuracy, references: dict[str, Measurement]) -> dict[str, MetricResult | Difference]:
    lines = {name: (line.value, line.error) for name, line in references.items()}
    states: dict[str, MetricResult | Difference] = {
        state: MetricResult(value=value, error=error, n=knn.test_texts, facts={"protocol": knn.protocol})
        for state, (value, error) in ({side: knn.of(side) for side in ("before", "after")} | lines).items()
    }
    if knn.change is not None:
        states["difference"] = Difference.of(knn.change, knn.test_texts)
    return states
