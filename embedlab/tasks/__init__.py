"""What a worker can be asked to do."""

import importlib
from dataclasses import dataclass

from embedlab.registry import Registry


@dataclass(frozen=True)
class Task:
    """One kind of work; ``place`` has its ``run(folder, settings, progress)``, loaded when needed."""

    key: str
    title: str
    place: str  # module of this folder, and after a colon the function where it is not ``run``
    needs_device: bool = False  # waits for the device's lock; others run beside it, at low priority
    may_connect: bool = False  # every other worker starts offline
    gives_way: bool = False  # is stopped where another wants the device
    only_waits: bool = False  # starts other workers and computes nothing: they must not inherit a low priority

    def run(self, folder, settings: dict, progress):
        """Do it; the state the run ends in, or None for finished."""
        module, _, function = self.place.partition(":")
        return getattr(importlib.import_module(f"embedlab.tasks.{module}"), function or "run")(
            folder, settings, progress
        )


TASKS = Registry(
    "task",
    [
        Task("train", "Fine-tune an encoder", "fine_tune.train", needs_device=True),
        Task("estimate", "Estimate the time of a run", "fine_tune.estimate", needs_device=True, gives_way=True),
        Task("ingest", "Read a corpus", "corpora:ingest"),
        Task("fetch", "Download a corpus or an encoder", "fetch", may_connect=True),
        Task("bring", "Read own embeddings", "bring"),
        Task("gallery", "Align the maps of several runs", "draw.map:run_gallery"),
        Task("summarise", "Summarise the texts of a corpus", "corpora:summarise", needs_device=True, may_connect=True),
        Task("map", "Draw the maps of a run", "draw.map"),
        Task("map_before", "Draw the map before while its run trains", "draw.map:run_before"),
        Task("lab", "Draw four maps of the same texts", "draw.lab"),
        Task("moves", "Measure what moved between two encoders", "draw.readings:run_moves"),
        Task("figure", "Draw a figure for a paper", "draw.figure"),
        Task("neighbors_file", "Write the neighbors of a run as a file", "take_along:neighbors"),
        Task("subset", "Make a corpus of chosen texts", "corpora:corpus_of_selection"),
        Task("replay", "Write a run as one HTML file", "take_along:replay"),
        Task("folds", "Predict every labelled text of a run by ten folds", "measure.folds"),
        Task("layers", "Measure every layer of a run", "measure.layers", needs_device=True),
        Task("length", "Run the length attack on a run", "measure.length", needs_device=True),
        Task("length_scores", "Run the length attack on scored pairs", "measure.length:run_scored", needs_device=True),
        Task("diagnose", "Look at the encoders of a run", "measure.diagnose", needs_device=True),
        Task("evaluate", "Measure a run by further metrics", "measure.evaluate"),
        Task("embed_and_evaluate", "Embed further texts and measure a run", "measure.evaluate", needs_device=True),
        Task("read_set", "Read an evaluation set", "corpora:read_evaluation_set"),
        Task("read_pairs", "Read given pairs", "corpora:read_given_pairs"),
        Task("compare", "Compare runs", "measure.compare"),
        Task(
            "benchmark",
            "Measure an encoder on public benchmarks",
            "measure.benchmark",
            needs_device=True,
            may_connect=True,
        ),
        Task("parts", "List the parts and their settings", "parts"),
        Task("ask", "Answer typed texts", "questions.ask"),
        Task("study", "Run a study", "study", only_waits=True),
    ],
)
