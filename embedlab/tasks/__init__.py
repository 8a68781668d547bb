"""What a worker can be asked to do."""

import importlib
from dataclasses import dataclass

from embedlab.registry import Registry


@dataclass(frozen=True)
class Task:
    """One kind of work; ``embedlab/tasks/<key>.py`` has ``run(folder, settings, progress)``, loaded when needed."""

    key: str
    title: str
    needs_device: bool = False  # waits for the device's lock; others run beside it, at low priority
    may_connect: bool = False  # every other worker starts offline
    only_waits: bool = False  # starts other workers and computes nothing: they must not inherit a low priority

    def run(self, folder, settings: dict, progress):
        """Do it; the state the run ends in, or None for finished."""
        return importlib.import_module(f"embedlab.tasks.{self.key}").run(folder, settings, progress)


TASKS = Registry(
    "task",
    [
        Task("train", "Fine-tune an encoder", needs_device=True),
        Task("estimate", "Estimate the time of a run", needs_device=True),
        Task("ingest", "Read a corpus"),
        Task("fetch", "Download a corpus or an encoder", may_connect=True),
        Task("bring", "Read own embeddings"),
        Task("gallery", "Align the maps of several runs"),
        Task("summarise", "Summarise the texts of a corpus", needs_device=True, may_connect=True),
        Task("map", "Draw the maps of a run"),
        Task("map_before", "Draw the map before while its run trains"),
        Task("lab", "Draw four maps of the same texts"),
        Task("moves", "Measure what moved between two encoders"),
        Task("figure", "Draw a figure for a paper"),
        Task("neighbors_file", "Write the neighbors of a run as a file"),
        Task("subset", "Make a corpus of chosen texts"),
        Task("replay", "Write a run as one HTML file"),
        Task("folds", "Predict every labelled text of a run by ten folds"),
        Task("layers", "Measure every layer of a run", needs_device=True),
        Task("length", "Run the length attack on a run", needs_device=True),
        Task("length_scores", "Run the length attack on scored pairs", needs_device=True),
        Task("evaluate", "Measure a run by further metrics"),
        Task("embed_and_evaluate", "Embed further texts and measure a run", needs_device=True),
        Task("read_set", "Read an evaluation set"),
        Task("compare", "Compare runs"),
        Task("benchmark", "Measure an encoder on public benchmarks", needs_device=True, may_connect=True),
        Task("parts", "List the parts and their settings"),
        Task("ask", "Answer typed texts"),
        Task("study", "Run a study", only_waits=True),
    ],
)
