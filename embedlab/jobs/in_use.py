"""What works on something stored: deleting it is refused with the name of the work, and pruning leaves it alone."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from embedlab.errors import EmbedlabError, RunError
from embedlab.jobs.campaigns import ROOMS
from embedlab.jobs.runner import STARTING, TIMING
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.readers import readers
from embedlab.runs.selections import open_selection
from embedlab.runs.store import delete_run, open_run, settings_of, task_of
from embedlab.store_root import alone, read_json, store_root

PASSING = (TIMING, "ask")  # tasks that begin by themselves, and end without harm where what they read is gone
WORK_NAMES = {  # by task, as a sentence begins with it
    "train": "A training",
    "estimate": "An estimate of a run's time",
    "ingest": "The reading of a corpus",
    "fetch": "A download",
    "fetch_table": "A download",
    "fetch_encoder": "A download",
    "read_set": "The reading of an evaluation set",
    "read_pairs": "The reading of pairs",
    "mine": "A search for hard negatives",
    "subset": "The making of a corpus",
    "choose_texts": "A choice of texts to label",
    "summarise": "The summarizing of a corpus",
    "bring": "An import of embeddings",
    "map": "A map",
    "map_before": "A map",
    "gallery": "A comparison of maps",
    "lab": "A test of a map",
    "moves": "A measurement of what moved",
    "figure": "A figure",
    "neighbors_file": "An export of neighbors",
    "replay": "An export",
    "export_encoder": "An export",
    "push": "An upload to the hub",
    "folds": "A measurement over ten folds",
    "inside": "The measurement of layers and length",
    "layers": "A measurement of layers",
    "length": "A length attack",
    "length_scores": "A length attack",
    "diagnose": "A diagnosis",
    "evaluate": "An evaluation",
    "embed_and_evaluate": "An evaluation",
    "compare": "A comparison",
    "benchmark": "A benchmark",
    "study": "A study",
    "find": "A Find",
    "candidate": "A candidate of a Find",
    "ask": "A question about texts",
}


@dataclass(frozen=True)
class RunningWork:
    """Something at work, and the text of all that it names: its settings, and those of what these refer to."""

    id: str  # of the run or job; of a command or notebook empty
    name: str  # ``An evaluation (job 0mv8w3k1pabcd)``
    text: str

    def names(self, its_id: str) -> bool:
        """Return whether it works on this run, corpus or selection, or uses it."""
        return its_id in self.text


def all_work() -> list[RunningWork]:
    """Return everything at work, oldest first, then what commands and notebooks read; without what passes by itself."""
    folders = [folder for folder in at_work() if task_of(folder) not in PASSING]
    of_jobs = [RunningWork(folder.id, _name_of(folder), "\n".join(map(str, _named_by(folder)))) for folder in folders]
    of_readers = []
    for reader in readers():
        named = [*reader.ids, *(each for its_id in reader.ids for each in _opened("run", its_id))]
        of_readers.append(RunningWork("", f"{reader.what} (process {reader.process})", "\n".join(map(str, named))))
    return [*of_jobs, *of_readers]


def works_on(its_id: str) -> list[RunningWork]:
    """Return what works on a run, corpus, selection, study or Find by its id or fingerprint, other than itself."""
    return [work for work in all_work() if work.id != its_id and work.names(its_id)]


def require_unused(what: str, its_id: str, *, code: str, error: type[EmbedlabError] = RunError) -> None:
    """Refuse to delete what is at work.

    what: the kind of thing, such as ``run``

    Raises
    ------
    EmbedlabError
        with this code, of the class ``error``; its sentence names the work.
    """
    if works := works_on(its_id):
        others = f" and {len(works) - 1:,} more" if len(works) > 1 else ""
        verb = "use" if others else "uses"
        raise error(
            code,
            f"{works[0].name}{others} {verb} {what} {its_id}. Stop that or wait for its end, then delete the {what}.",
        )


def delete_unused_run(folder: RunFolder) -> None:
    """Delete a run as ``delete_run`` does; refused while something else reads it."""
    with alone(STARTING):  # nothing starts between the check and the end
        require_unused("run", folder.id, code="E-RUN-BUSY")
        delete_run(folder)


def _name_of(folder: RunFolder) -> str:
    kind = "run" if folder.path.parent.name == "runs" else "job"
    return f"{WORK_NAMES.get(task_of(folder) or '', 'A job')} ({kind} {folder.id})"


def _named_by(folder: RunFolder) -> Iterator[object]:
    """Yield the settings of a run or job, and those of everything they refer to."""
    settings = settings_of(folder)
    yield settings
    for name in _OPENED:
        if settings.get(name):
            yield from _opened(name, str(settings[name]))


def _opened(name: str, its_id: str) -> Iterator[object]:
    with suppress(EmbedlabError, FileNotFoundError):  # deleted meanwhile, or damaged
        yield _OPENED[name](its_id)


def _campaign(task: str, its_id: str) -> object:
    """Return the whole file of a study or Find: what it is asked for, and the runs that it has so far."""
    return read_json(store_root() / ROOMS[task] / its_id / f"{task}.json")


_OPENED: dict[str, Callable[[str], object]] = {
    "run": lambda run: settings_of(open_run(run)),
    "of": lambda run: settings_of(open_run(run)),
    "study": lambda study: _campaign("study", study),
    "find": lambda find: _campaign("find", find),
    "selection": open_selection,
}
