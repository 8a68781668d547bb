"""Requests that measure: layers, length, diagnostics, metrics, public benchmarks, folds, comparisons."""

from typing import ClassVar, Literal

from pydantic import Field

from embedlab.config import Config, NameText, PathText, Request
from embedlab.encoder_catalog.catalog import EncoderReference
from embedlab.jobs.requests.drawing import OfRun, Side
from embedlab.measurement import ResultPart
from embedlab.runs.evaluations import CORPUS


class PredictFolds(OfRun):
    """Predict every labelled text of a run over ten folds."""

    task: ClassVar[str] = "folds"


class MeasureLayers(OfRun):
    """Measure accuracy after every layer of a run's encoders."""

    task: ClassVar[str] = "layers"
    maps: bool = Field(False, description="Draw a map of every layer too.")
    settings: dict = Field(default_factory=dict, description="Settings of the diagnostic layerwise.")


class MeasureInside(OfRun):
    """Measure the layers and the length attack of a run while the device is idle."""

    task: ClassVar[str] = "inside"


class MeasuredInside(ResultPart):
    """The result: why one of the two was not measured; None where it was."""

    no_layers: str | None = None
    no_length: str | None = None


class PairsFile(Config):
    """A table with the columns sentence1 and sentence2, and its name."""

    path: PathText
    name: NameText


class AttackLength(OfRun):
    """Run the length attack on a run's encoders."""

    task: ClassVar[str] = "length"
    pairs_file: PairsFile | None = Field(None, description="Pairs to use instead of the corpus's own.")
    settings: dict = Field(default_factory=dict, description="Settings of the length attack.")
    within: float | None = Field(
        None, gt=0, description="Lower its defaults until it takes at most so many seconds; empty: a minute, and only "
        "for an encoder with a long context.",
    )  # fmt: skip


class AttackScoredPairs(OfRun):
    """Run the length attack on the scored pairs of an evaluation set."""

    task: ClassVar[str] = "length_scores"
    set: str = Field(description="The set's fingerprint.")
    settings: dict = Field(default_factory=dict, description="Settings of the length attack.")


class Diagnose(OfRun):
    """Run diagnostics on the encoders of a run."""

    task: ClassVar[str] = "diagnose"
    keys: tuple[str, ...] = Field(description="Keys of diagnostics.")
    texts: tuple[str, ...] = Field((), description="Texts of the user's own, for diagnostics of single texts.")
    pairs: str | None = Field(None, description="The fingerprint of a set of pairs to use instead of the corpus's own.")
    settings: dict[str, dict] = Field(default_factory=dict, description="Settings of the diagnostics, by key.")


class Evaluate(OfRun):
    """Measure a run, and baselines for comparison, by further metrics; or its embeddings after post-processing."""

    task: ClassVar[str] = "evaluate"
    metrics: tuple[str, ...] = Field((), description="Keys of metrics.")
    source: str = Field(CORPUS, description="The run's corpus, or the fingerprint of an evaluation set.")
    protocol: Literal["paper", "cv10"] = Field(
        "paper", description="The paper's split, or cv10: published folds, file order."
    )
    baselines: tuple[str, ...] = Field((), description="Keys of baselines.")
    words: PathText | None = Field(None, description="A file of word vectors, for the baselines that need one.")
    post: tuple[str, ...] = Field((), description="Keys of post-processing steps.")
    dimensions: int | None = Field(None, ge=1, description="Only the first so many of each vector; empty keeps all.")


class EmbedAndEvaluate(Evaluate):
    """The same if texts must be embedded, which waits for the device."""

    task: ClassVar[str] = "embed_and_evaluate"


class CompareRuns(Request):
    """Determine which of several rows are best, and which cannot be told apart from the best."""

    task: ClassVar[str] = "compare"
    rows: tuple[str, ...] = Field(description="Keys of rows: runs, untouched encoders, baselines.")
    source: str = Field(CORPUS, description="The corpus, or the fingerprint of an evaluation set.")
    metrics: tuple[str, ...] = Field((), description="Keys of metrics.")
    of: str = Field(
        "", description="The state of the rows at the time of the request: a new state makes a new request."
    )


class MeasureBenchmark(Request):
    """Measure a run's encoder, or any other, on public tasks."""

    task: ClassVar[str] = "benchmark"
    set: str = Field(description="The benchmark's key.")
    run: str | None = Field(None, description="The run's id, or")
    encoder: EncoderReference | None = Field(None, description="the encoder.")
    state: Side = Field("after", description="Which of a run's encoders.")
    tasks: tuple[str, ...] = Field((), description="Some of its tasks; none takes all.")
    folder: PathText | None = Field(None, description="data-eval, the folder of USEB's files.")
