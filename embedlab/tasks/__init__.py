"""The kinds of work that a worker does."""

import importlib
from dataclasses import dataclass

from embedlab.config import Request, validated
from embedlab.jobs.requests import corpora, drawing, measuring, working
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
    gives_way: bool = False  # leaves the device where another wants it, and takes it only where none waits
    begins_again: bool = False  # after it gave way; others that give way are stopped
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
        Task(corpora.ReadCorpus, "Read a corpus", "corpora:ingest"),
        Task(corpora.FetchCorpus, "Download a corpus", "fetch:fetch_corpus", may_connect=True),
        Task(corpora.FetchTable, "Download pairs or an evaluation set", "fetch:fetch_table", may_connect=True),
        Task(corpora.FetchEncoder, "Download an encoder", "fetch:fetch_encoder", may_connect=True),
        Task(corpora.BringVectors, "Read imported embeddings", "import_embeddings"),
        Task(drawing.AlignMaps, "Align the maps of several runs", "draw.maps:run_gallery"),
        Task(
            corpora.Summarise,
            "Summarize the texts of a corpus",
            "corpora:summarise",
            needs_device=True,
            may_connect=True,
        ),
        Task(drawing.DrawMaps, "Draw the maps of a run", "draw.maps"),
        Task(drawing.DrawMapBefore, "Draw the map before training while the run trains", "draw.maps:run_before"),
        Task(drawing.DrawLab, "Draw four maps of the same texts", "draw.lab"),
        Task(drawing.MeasureMoves, "Measure what moved between two encoders", "draw.maps:run_moves"),
        Task(drawing.DrawFigure, "Draw a figure for a paper", "draw.figure"),
        Task(drawing.WriteNeighbors, "Write the neighbors of a run as a file", "export:neighbors"),
        Task(corpora.MakeSubset, "Make a corpus of chosen texts", "corpora:corpus_of_selection"),
        Task(corpora.ChooseTexts, "Choose texts to label by hand", "corpora:choose_texts"),
        Task(drawing.WriteReplay, "Write a run as one HTML file", "export:replay"),
        Task(drawing.ExportEncoder, "Write an encoder in another format", "export:encoder"),
        Task(drawing.PushRun, "Push an encoder to the hub", "export:push", may_connect=True),
        Task(measuring.PredictFolds, "Predict every labeled text of a run over ten folds", "measure.folds"),
        Task(
            measuring.MeasureInside,
            "Measure layers and length of a run",
            "measure.inside",
            needs_device=True,
            gives_way=True,
            begins_again=True,
        ),
        Task(measuring.MeasureLayers, "Measure every layer of a run", "measure.layers", needs_device=True),
        Task(measuring.AttackLength, "Run the length attack on a run", "measure.length", needs_device=True),
        Task(
            measuring.AttackScoredPairs,
            "Run the length attack on scored pairs",
            "measure.length:run_scored",
            needs_device=True,
        ),
        Task(measuring.Diagnose, "Run diagnostics on the encoders of a run", "measure.diagnose", needs_device=True),
        Task(measuring.Evaluate, "Measure a run with more metrics", "measure.evaluate"),
        Task(measuring.EmbedAndEvaluate, "Embed more texts and measure a run", "measure.evaluate", needs_device=True),
        Task(corpora.ReadSet, "Read an evaluation set", "corpora:read_evaluation_set"),
        Task(corpora.ReadPairs, "Read given pairs", "corpora:read_given_pairs"),
        Task(corpora.MineNegatives, "Mine hard negatives of pairs", "mining", needs_device=True),
        Task(measuring.CompareRuns, "Compare runs", "measure.compare"),
        Task(
            measuring.MeasureBenchmark,
            "Measure an encoder on public benchmarks",
            "measure.benchmark",
            needs_device=True,
            may_connect=True,
        ),
        Task(working.AnswerTexts, "Answer typed texts", "questions"),
        Task(working.RunStudy, "Run a study", "study", only_waits=True),
        Task(working.RunFind, "Find an encoder", "find.job", only_waits=True),
        Task(working.TrainCandidate, "Train a candidate of a Find", "find.job:run_candidate", needs_device=True),
    ],
)
