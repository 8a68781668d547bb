"""The kinds of work that a worker does."""

import importlib
from dataclasses import dataclass

from embedlab.config import Request, validated
from embedlab.jobs.requests.corpora import (
    BringVectors,
    ChooseTexts,
    FetchCorpus,
    FetchEncoder,
    FetchTable,
    MakeSubset,
    MineNegatives,
    ReadCorpus,
    ReadPairs,
    ReadSet,
    Summarise,
)
from embedlab.jobs.requests.drawing import (
    AlignMaps,
    DrawFigure,
    DrawLab,
    DrawMapBefore,
    DrawMaps,
    ExportEncoder,
    MeasureMoves,
    PushRun,
    WriteNeighbors,
    WriteReplay,
)
from embedlab.jobs.requests.measuring import (
    AttackLength,
    AttackScoredPairs,
    CompareRuns,
    Diagnose,
    EmbedAndEvaluate,
    Evaluate,
    MeasureBenchmark,
    MeasureLayers,
    PredictFolds,
)
from embedlab.jobs.requests.working import AnswerTexts, RunFind, RunStudy, TrainCandidate
from embedlab.progress import Progress
from embedlab.registry import Registry
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State
from embedlab.training.settings import Estimate, RunSettings


@dataclass(frozen=True)
class Task:
    """One kind of work: its request, and the function in this folder that does it, loaded on demand.

    ``function`` is its module and, after a colon, its name where that is not ``run``; it takes the run's folder, the
    request and a progress, and returns the state the run ends in, or None for finished.
    """

    request: type[Request]
    title: str
    function: str
    needs_device: bool = False  # waits for the device's lock; others run beside it, at low priority
    may_connect: bool = False  # every other worker starts offline
    gives_way: bool = False  # is stopped where another wants the device
    only_waits: bool = False  # starts other workers and computes nothing: they must not inherit a low priority

    @property
    def key(self) -> str:
        """Its name in ``settings.json``."""
        return self.request.task

    def read(self, settings: dict) -> Request:
        """The request in ``settings.json``; raises SettingsError if it is not one."""
        return validated(self.request, settings)

    def run(self, folder: RunFolder, request: Request, progress: Progress) -> State | None:
        """Do the work; returns the state in which the run ends, or None for finished."""
        module, _, name = self.function.partition(":")
        do = getattr(importlib.import_module(f"embedlab.tasks.{module}"), name or "run")
        state: State | None = do(folder, request, progress)
        return state


TASKS = Registry(
    "task",
    [
        Task(RunSettings, "Fine-tune an encoder", "fine_tune.train", needs_device=True),
        Task(Estimate, "Estimate the time of a run", "fine_tune.estimate", needs_device=True, gives_way=True),
        Task(ReadCorpus, "Read a corpus", "corpora:ingest"),
        Task(FetchCorpus, "Download a corpus", "fetch:fetch_corpus", may_connect=True),
        Task(FetchTable, "Download pairs or an evaluation set", "fetch:fetch_table", may_connect=True),
        Task(FetchEncoder, "Download an encoder", "fetch:fetch_encoder", may_connect=True),
        Task(BringVectors, "Read imported embeddings", "import_embeddings"),
        Task(AlignMaps, "Align the maps of several runs", "draw.maps:run_gallery"),
        Task(Summarise, "Summarize the texts of a corpus", "corpora:summarise", needs_device=True, may_connect=True),
        Task(DrawMaps, "Draw the maps of a run", "draw.maps"),
        Task(DrawMapBefore, "Draw the map before training while the run trains", "draw.maps:run_before"),
        Task(DrawLab, "Draw four maps of the same texts", "draw.lab"),
        Task(MeasureMoves, "Measure what moved between two encoders", "draw.maps:run_moves"),
        Task(DrawFigure, "Draw a figure for a paper", "draw.figure"),
        Task(WriteNeighbors, "Write the neighbors of a run as a file", "export:neighbors"),
        Task(MakeSubset, "Make a corpus of chosen texts", "corpora:corpus_of_selection"),
        Task(ChooseTexts, "Choose texts to label by hand", "corpora:choose_texts"),
        Task(WriteReplay, "Write a run as one HTML file", "export:replay"),
        Task(ExportEncoder, "Write an encoder in another format", "export:encoder"),
        Task(PushRun, "Push an encoder to the hub", "push", may_connect=True),
        Task(PredictFolds, "Predict every labeled text of a run over ten folds", "measure.folds"),
        Task(MeasureLayers, "Measure every layer of a run", "measure.layers", needs_device=True),
        Task(AttackLength, "Run the length attack on a run", "measure.length", needs_device=True),
        Task(
            AttackScoredPairs, "Run the length attack on scored pairs", "measure.length:run_scored", needs_device=True
        ),
        Task(Diagnose, "Run diagnostics on the encoders of a run", "measure.diagnose", needs_device=True),
        Task(Evaluate, "Measure a run with more metrics", "measure.evaluate"),
        Task(EmbedAndEvaluate, "Embed more texts and measure a run", "measure.evaluate", needs_device=True),
        Task(ReadSet, "Read an evaluation set", "corpora:read_evaluation_set"),
        Task(ReadPairs, "Read given pairs", "corpora:read_given_pairs"),
        Task(MineNegatives, "Mine hard negatives of pairs", "mining", needs_device=True),
        Task(CompareRuns, "Compare runs", "measure.compare"),
        Task(
            MeasureBenchmark,
            "Measure an encoder on public benchmarks",
            "measure.benchmark",
            needs_device=True,
            may_connect=True,
        ),
        Task(AnswerTexts, "Answer typed texts", "questions"),
        Task(RunStudy, "Run a study", "study", only_waits=True),
        Task(RunFind, "Find an encoder", "find.job", only_waits=True),
        Task(TrainCandidate, "Train a candidate of a Find", "find.job:run_candidate", needs_device=True),
    ],
)
