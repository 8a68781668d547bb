"""``demo`` and ``train``: start a worker and follow it."""

from contextlib import nullcontext, suppress
from threading import Thread
from typing import Annotated

from embedlab.augmentations.fit import ENCODER, SENTENCES
from embedlab.cli.arguments import Command, Json, Option, Outcome, given, options
from embedlab.cli.reading import (
    VECTORS,
    CorpusReading,
    Executor,
    Following,
    GivenPairs,
    OwnVectors,
    RunId,
    Sets,
    absolute,
    load,
    read_pair_files,
)
from embedlab.cli.terminal import EXIT_CODES, Terminal, failed
from embedlab.config import Request
from embedlab.errors import EmbedlabError, SettingsError
from embedlab.jobs.executors import LOCAL, executor_of
from embedlab.jobs.executors.local import training_ready
from embedlab.jobs.requests.corpora import BringVectors
from embedlab.jobs.runner import is_over, submit, wait
from embedlab.jobs.why_ended import no_result
from embedlab.numbers import counted, duration, gigabytes
from embedlab.report.contract import printed
from embedlab.report.result_lines import imported_lines, run_lines
from embedlab.report.settings_file import named_run
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import State
from embedlab.runs.store import find_run, open_run, read_job_result, stored_request
from embedlab.training.recipes import DEMO
from embedlab.training.settings import Estimate, RunSettings


@options()
class TypedSettings:
    """A run's settings as typed: a file, and options that override it."""

    settings: Annotated[str | None, Option("settings of a run; other options override them", "FILE.json")] = None
    corpus: Annotated[str | None, Option("required without --settings and --pairs")] = None
    encoder: Annotated[str | None, Option("default: proposed for the corpus; with --recipe: token")] = None
    recipe: Annotated[str | None, Option("default: proposed for the corpus; with --encoder: crops")] = None
    epochs: int | None = None
    seed: int | None = None
    sets: Sets = ()


@options()
class OwnFiles:
    """Files of imported embeddings and coordinates."""

    before: Annotated[str | None, Option("embeddings, joined with the corpus by its ids, else by row", VECTORS)] = None
    after: Annotated[str | None, Option("embeddings of a second encoder, to be compared with the first", VECTORS)] = (
        None
    )
    coordinates: Annotated[str | None, Option("a map: the columns x and y, or an array (rows, 2)", VECTORS)] = None
    coordinates_after: Annotated[str | None, Option("a second map", VECTORS)] = None


def demo(terminal: Terminal, *, seed: int = 0, on: Executor = None) -> Outcome:
    """The main job on the built-in corpus, with its maps."""
    executor_of(on)
    Thread(target=_gather_ahead, name="docs", daemon=True).start()
    result, code = followed(RunSettings(**DEMO, corpus="docs", seed=seed), terminal, name="demo", on=on)
    if code == 0 and (maps := newest_job("map", run=result["run"])) is not None:
        wait(maps, terminal)
        folder = open_run(result["run"])
        paths = {f"map_{name}": folder.map(name, "tsne") for name in ("before", "after")}
        result["paths"] |= {name: str(path) for name, path in paths.items() if path.exists()}
    return result, code


def _gather_ahead() -> None:
    """Gather the texts while the worker imports torch; the worker waits for them, and reports errors about them."""
    from embedlab.corpora import load_corpus

    with suppress(EmbedlabError, OSError):
        load_corpus("docs")


def train(
    terminal: Terminal,
    *,
    typed: TypedSettings,
    name: str = "",
    estimate: Annotated[bool, Option("time a few steps and estimate how long the run would take")] = False,
    on: Executor = None,
    following: Following,
    reading: CorpusReading,
    files: GivenPairs,
) -> Outcome:
    """One run; with ``--detach`` print its id and return."""
    executor_of(on)
    kind = Estimate if estimate else RunSettings
    usual = {"encoder": ENCODER, "recipe": SENTENCES} if files.pairs is None else {"recipe": "ranking"}
    # a wrong setting is an error before a corpus is read
    run = named_run(vars(typed), typed.sets, typed.settings, kind=kind, usual=usual, unread=files.placeholders)
    settings = run.settings
    if "corpus" not in run.named and files.pairs is None:
        raise SettingsError("E-COMMAND", "A corpus is needed: specify one with --corpus (docs is built in).")
    with nullcontext() if estimate or executor_of(on) is not LOCAL else training_ready():
        fingerprints = read_pair_files(files, reading.parsing, terminal, with_corpus=typed.corpus is None)
        if "corpus" in run.named:
            corpus = load(run.named["corpus"], reading.fields, terminal, in_worker=True)
            fingerprints["corpus"] = corpus.fingerprint
            if files.pairs is None:
                settings, reason = run.fitted_to(corpus.info)
                if reason:
                    terminal(reason)
        settings = settings.model_copy(update=fingerprints)
        return followed(settings, terminal, name=name, on=on, detach=following.detach and not estimate)


def followed(
    work: Request | RunFolder, terminal: Terminal, *, name: str = "", on: str | None = None, detach: bool = False
) -> Outcome:
    """Submit what is requested, and follow that or a job at work: its result, or what stopped it, and the exit code.

    ``detach``: do not wait for it.
    """
    folder = work if isinstance(work, RunFolder) else submit(work, name=name, on=on)
    if detach and not is_over(folder):  # its executor may not have taken it
        return {"run": folder.id, "state": str(State.QUEUED)}, 0
    facts = wait(folder, terminal)
    if facts.state is State.FAILED:
        return failed("run", folder.id, facts)
    result = _PRINTED.get(stored_request(folder).task, read_job_result)(folder)
    if result is None:
        error = no_result(folder, facts)
        result = {"run": folder.id, "error": {"code": error.code, "message": error.message}}
    return result, EXIT_CODES[facts.state]


def _of_run(run: RunFolder) -> Json | None:
    result = read_result(run)
    return None if result is None else printed(result)


def _of_imported(job: RunFolder) -> Json | None:
    """The result of the run that imported vectors became."""
    left = read_job_result(job)
    return None if left is None else _of_run(open_run(left["run"]))


_PRINTED = {RunSettings.task: _of_run, BringVectors.task: _of_imported}  # others print what their worker wrote


def methods(terminal: Terminal, run: RunId) -> Outcome:
    """Text and BibTeX of a finished run."""
    from embedlab.report.methods import methods_of

    paragraph = methods_of(open_run(run))
    return {"run": run, "text": paragraph.text, "bibtex": paragraph.bibtex, "citations": list(paragraph.keys)}, 0


def show_methods(result: Json) -> list[str]:
    """The paragraph, then its entries."""
    return [result["text"], "", result["bibtex"]]


def import_vectors(
    terminal: Terminal, *, corpus: str, files: OwnFiles, vectors: OwnVectors, name: str = "", reading: CorpusReading
) -> Outcome:
    """A worker reads the files, measures what can be measured, and requests the maps."""
    fingerprint = load(corpus, reading.fields, terminal).fingerprint
    read = {
        role: {
            "path": absolute(path),
            "column": vectors.column if role in ("before", "after") else None,
            "ids": vectors.vector_ids,
            "as_numbers": vectors.as_numbers,
        }
        for role, path in given(files).items()
    }
    return followed(BringVectors(corpus=fingerprint, name=name, **read), terminal)


def show_run(result: Json) -> list[str]:
    """The result of a run, its estimate, or its state."""
    if "seconds_per_step" in result:
        steps = f"{counted(result['steps'], 'step')} of {result['seconds_per_step']:.3g} s, live points included"
        texts = f"{result['usable_texts']:,} usable texts"
        held = ", ".join(f"{kind} {size / 1e6:,.1f} MB" for kind, size in result["held_bytes"].items())
        gpu = f" and {gigabytes(result['device_peak_bytes'])} of the GPU's" if result.get("device_peak_bytes") else ""
        peak = f"up to {gigabytes(result['peak_bytes'])}{gpu}; " if result["peak_bytes"] else ""
        return [f"About {duration(result['seconds'])}: {steps}, on {texts}.", f"Memory: {peak}of it {held}."]
    if "knn" not in result:
        run = result["run"]
        return [f"Run {run} is {result['state']}. Follow it with: python -m embedlab runs show {run}"]
    return run_lines(_stored_result(result["run"]))


def show_import(result: Json) -> list[str]:
    """The measured numbers, and the page that shows the maps."""
    return [
        *imported_lines(_stored_result(result["run"])),
        f"Run {result['run']} ({result['name']}). Its maps are on the page Run, Map.",
    ]


def _stored_result(run: str) -> RunResult:
    result = read_result(find_run(run))
    assert result is not None, "it has just been printed as JSON"
    return result


COMMANDS = {
    "demo": Command(demo, show_run),
    "train": Command(train, show_run, encoders=("encoder",)),
    "methods": Command(methods, show_methods),
    "import": Command(import_vectors, show_import),
}
