"""``demo`` and ``train``: start a worker and follow it."""

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from threading import Thread
from typing import Annotated

from embedlab.augmentations.fit import ENCODER, SENTENCES
from embedlab.cli.arguments import Json, Option, Outcome, given, options
from embedlab.cli.diagnosing import show_layers, show_length, wait_for_inside
from embedlab.cli.reading import (
    VECTORS,
    CorpusReading,
    Executor,
    Following,
    GivenPairs,
    OwnVectors,
    RunId,
    Sets,
    load,
    read_pair_files,
)
from embedlab.cli.terminal import EXIT_CODES, Terminal, failed
from embedlab.comparison.siblings import texts_left_out
from embedlab.config import Request
from embedlab.corpora import load_corpus
from embedlab.damage import read_model_if_whole
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.errors import EmbedlabError, SettingsError
from embedlab.jobs.cost_estimate import Timing
from embedlab.jobs.executors import LOCAL, executor_of
from embedlab.jobs.executors.local import training_ready
from embedlab.jobs.requests.corpora import BringVectors
from embedlab.jobs.runner import is_over, submit, wait
from embedlab.jobs.why_ended import no_result
from embedlab.numbers import counted, duration, gigabytes
from embedlab.report.contract import printed, printed_left_out
from embedlab.report.result_lines import imported_lines, run_lines
from embedlab.report.settings_file import named_run
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.result import read_result
from embedlab.runs.state import State
from embedlab.runs.store import open_run, task_of
from embedlab.store_root import read_json_if_whole
from embedlab.training.demo import CORPUS, DEMO
from embedlab.training.settings import Estimate, RunSettings


@options()
class TypedSettings:
    """A run's settings as typed: a file, and options that override it."""

    settings: Annotated[str | None, Option("settings of a run; other options override them", "FILE.json")] = None
    corpus: Annotated[str | None, Option("required without --settings and --pairs")] = None
    encoder: Annotated[
        str | None, Option("default: proposed for the corpus; with --recipe: token", names="encoder")
    ] = None
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
    """The main job on a built-in corpus, then its maps, its layers and its length attack."""
    executor_of(on)
    Thread(target=_gather_ahead, name=CORPUS, daemon=True).start()
    outcome = followed(RunSettings.model_validate(DEMO | {"seed": seed}), terminal, name="demo", on=on)
    result = outcome.facts
    if outcome.code != 0:
        return outcome
    run = open_run(result["run"])
    if (maps := newest_job("map", run=run.id)) is not None:
        wait(maps, terminal)
        paths = {f"map_{name}": run.map(name, "tsne") for name in ("before", "after")}
        result["paths"] |= {name: str(path) for name, path in paths.items() if path.exists()}
    inside = wait_for_inside(run, terminal)
    lines = list(outcome.lines or ())
    if inside["layers"] is not None:
        lines += ["", *show_layers(inside["layers"])]
    if inside["length"] is not None:
        lines += ["", *show_length(inside["length"])]
    return replace(outcome, facts=result | {"epochs": DEMO["epochs"]} | inside, lines=lines)


def _gather_ahead() -> None:
    """Gather the texts while the worker imports torch; the worker waits for them, and reports errors about them."""
    with suppress(EmbedlabError, OSError):
        load_corpus(CORPUS)


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
    # a wrong setting is an error before a corpus is read, and before files have their fingerprints
    unread = {name: "?" for name in ("pairs", "judge") if getattr(files, name) is not None}
    run = named_run(vars(typed), typed.sets, typed.settings, kind=kind, usual=usual, unread=unread)
    settings = run.settings
    if "corpus" not in run.named and files.pairs is None:
        raise SettingsError("E-COMMAND", "A corpus is needed: specify one with --corpus (docs is built in).")
    is_here = executor_of(on) is LOCAL and not estimate
    with training_ready(has_layers=not is_token_layer(settings.encoder)) if is_here else nullcontext():
        fingerprints = read_pair_files(files, reading.parsing, terminal, with_corpus=typed.corpus is None)
        if "corpus" in run.named:
            corpus = load(run.named["corpus"], reading, terminal, in_worker=True)
            fingerprints["corpus"] = corpus.fingerprint
            if files.pairs is None:
                settings, reason = run.fitted_to(corpus.info)
                if reason:
                    terminal(reason)
        settings = settings.model_copy(update=fingerprints)
        remark = settings.remark_on_encoder
        if remark is not None and not estimate:
            terminal.note(remark.message)
        outcome = followed(settings, terminal, name=name, on=on, detach=following.detach and not estimate)
        return replace(outcome, warnings=[remark]) if remark is not None and estimate else outcome


def followed(
    work: Request | RunFolder,
    terminal: Terminal,
    lines_of: Callable[[Json], list[str]] | None = None,
    *,
    name: str = "",
    on: str | None = None,
    detach: bool = False,
) -> Outcome:
    """Submit what is requested, and follow that or a job at work: its result, or what stopped it.

    ``lines_of`` what the worker of a job wrote; ``detach``: do not wait for it.
    """
    folder = work if isinstance(work, RunFolder) else submit(work, name=name, on=on)
    if detach and not is_over(folder):  # its executor may not have taken it
        queued = f"Run {folder.id} is {State.QUEUED}. Follow it with: python -m embedlab runs show {folder.id}"
        return Outcome({"run": folder.id, "state": str(State.QUEUED)}, [queued])
    facts = wait(folder, terminal)
    if facts.state is State.FAILED:
        return failed("run", folder.id, facts)
    outcome = _result_of(folder, lines_of)
    if outcome is None:
        error = no_result(folder, facts)
        outcome = Outcome({"run": folder.id, "error": {"code": error.code, "message": error.message}})
    return replace(outcome, code=EXIT_CODES[facts.state])


def _result_of(job: RunFolder, lines_of: Callable[[Json], list[str]] | None) -> Outcome | None:
    """The result of a run, or of the run that imported vectors became; of other jobs what their worker wrote."""
    task, written = task_of(job), read_json_if_whole(job.result)
    if written is None:
        return None
    if task == Estimate.task and (timing := read_model_if_whole(job.result, Timing)) is not None:
        return Outcome(written, _timing_lines(timing))
    if task not in (RunSettings.task, BringVectors.task):
        return Outcome(written, None if lines_of is None else lines_of(written))
    result = read_result(job if task == RunSettings.task else open_run(written["run"]))
    if result is None:
        return None
    if task == RunSettings.task:
        left_out = texts_left_out(job)
        return Outcome(printed(result) | {"left_out": printed_left_out(left_out)}, run_lines(result, left_out))
    where = f"Run {result.run} ({result.name}). Its maps are on the page Run, Map."
    return Outcome(printed(result), [*imported_lines(result), where])


def _timing_lines(timing: Timing) -> list[str]:
    steps = f"{counted(timing.steps, 'step')} of {timing.seconds_per_step:.3g} s, live points included"
    held = ", ".join(f"{kind} {size / 1e6:,.1f} MB" for kind, size in timing.held_bytes.items())
    gpu = f" and {gigabytes(timing.device_peak_bytes)} of the GPU's" if timing.device_peak_bytes else ""
    peak = f"up to {gigabytes(timing.peak_bytes)}{gpu}; " if timing.peak_bytes else ""
    return [
        f"About {duration(timing.seconds)}: {steps}, on {timing.usable_texts:,} usable texts.",
        f"Memory: {peak}of it {held}.",
    ]


def methods(terminal: Terminal, run: RunId) -> Outcome:
    """Text and BibTeX of a finished run."""
    from embedlab.report.methods import methods_of

    paragraph = methods_of(open_run(run))
    facts = {"run": run, "text": paragraph.text, "bibtex": paragraph.bibtex, "citations": list(paragraph.keys)}
    return Outcome(facts, [*paragraph.text.splitlines(), "", *paragraph.bibtex.splitlines()])


def import_vectors(
    terminal: Terminal, *, corpus: str, files: OwnFiles, vectors: OwnVectors, name: str = "", reading: CorpusReading
) -> Outcome:
    """A worker reads the files, measures what can be measured, and requests the maps."""
    fingerprint = load(corpus, reading, terminal).fingerprint
    read = {
        role: {
            "path": path,
            "column": vectors.column if role in ("before", "after") else None,
            "ids": vectors.vector_ids,
            "as_numbers": vectors.as_numbers,
        }
        for role, path in given(files).items()
    }
    return followed(BringVectors.model_validate({"corpus": fingerprint, "name": name, **read}), terminal)
