"""``find …``: the best encoder for a corpus in a given time: started, followed, shown, exported, deleted."""

from functools import partial
from pathlib import Path
from typing import Annotated, Required, TypedDict

from embedlab.cli.arguments import Json, Option, Outcome, deleted, options
from embedlab.cli.reading import CorpusReading, Executor, Following, PrintedBy, load, output_file, read_judge
from embedlab.cli.terminal import Terminal, followed_to_end
from embedlab.config import validated
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.errors import CorpusError, EmbedlabError, RunError, SettingsError
from embedlab.finds.judging import judged, judging_of
from embedlab.finds.leaderboard import csv_of
from embedlab.finds.lines import find_lines
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find, delete_find, going_on, results_of
from embedlab.jobs.campaigns import asked_of, created, job_of, state_of
from embedlab.measurement import as_row
from embedlab.numbers import counted
from embedlab.runs.hand_labels import hand_labels_of
from embedlab.runs.state import State, read_state

FindId = Annotated[str, Option(metavar="ID")]


@options("what judges instead of labels: one half selects, the other gives the verdict")
class Judging:
    """A file of pairs or queries, or labels by hand."""

    judge: Annotated[str | None, Option("pairs that people judged, or queries with their relevant texts", "FILE")] = (
        None
    )
    judge_split: Annotated[str | None, Option("rows of --judge (default: dev, else test)", "SPLIT")] = None
    judge_documents: Annotated[str | None, Option("the texts that the queries of --judge search", "FILE")] = None
    labels: Annotated[str | None, Option("labels by hand: the file of find label, filled in", "FILE")] = None


def run(
    terminal: Terminal,
    *,
    corpus: str,
    minutes: Annotated[
        float,
        Option("of work: three quarters at most for the search; then the winner is trained to its end, however long"),
    ] = 5.0,
    seed: int = 0,
    judging: Judging,
    on: Executor = None,
    following: Following,
    reading: CorpusReading,
    distance: PrintedBy = SHOWN_FIRST,
) -> Outcome:
    """Start a Find and follow it; with ``--detach`` print its id and return."""
    from embedlab.finds.labelling import take_labels
    from embedlab.jobs.executors import executor_of

    executor_of(on)
    settings = validated(FindSettings, {"corpus": "?", "minutes": minutes, "seed": seed})
    texts = load(corpus, reading, terminal, in_worker=True)
    if judging.labels is not None and judging.judge is not None:
        raise SettingsError("E-COMMAND", "Both --judge and --labels set what judges. Give only one of them.")
    if judging.labels is not None:
        take_labels(texts, Path(judging.labels).expanduser())
    judge = read_judge(judging.judge, judging.judge_split, judging.judge_documents, terminal)
    settings = settings.model_copy(update={"corpus": texts.fingerprint, "judge": judge})
    if judge is None:
        judged_by = judging_of(texts, hand_labels_of(texts))
        settings = judged(settings, texts, judged_by)
        terminal.note(judged_by.message)
    return _followed(Find.create_once(settings), following, on, distance, terminal)


def label(
    terminal: Terminal, *, corpus: str, out: Annotated[str, Option(metavar="FILE.csv")], reading: CorpusReading
) -> Outcome:
    """Write texts spread over the corpus to a file: fill in its column label, then use find run --labels."""
    from embedlab.finds.labelling import csv_of_labels
    from embedlab.jobs.requests.corpora import ChooseTexts
    from embedlab.jobs.runner import done_by_worker

    texts, file = load(corpus, reading, terminal, in_worker=True), output_file(out, ".csv")
    if texts.info.has_two_classes and texts.info.labelled == texts.info.texts:
        raise CorpusError("E-LABELLED", f"Every text of {texts.name!r} already has a label: find run uses those.")
    done_by_worker(ChooseTexts(corpus=texts.fingerprint), dict, terminal)
    labels = hand_labels_of(texts)
    assert labels is not None, "the worker has chosen texts to label"
    file.write_bytes(csv_of_labels(texts, labels))
    count, labelled = len(labels.rows), len(labels.labels)
    lines = [
        f"{counted(count, 'text')} to label, {labelled:,} of them labeled: {file}",
        "Fill in the column label of as many as you can, then: python -m embedlab find run --corpus "
        f"{texts.fingerprint} --labels {file}",
    ]
    return Outcome({"corpus": texts.fingerprint, "out": str(file), "texts": count, "labelled": labelled}, lines)


def all_finds(terminal: Terminal) -> Outcome:
    """All Finds of the store, newest first."""
    finds = [_facts(find) for find in Find.all()]
    lines = [
        f"{each['find']}  {each['state']:<11}  {each.get('corpus', {}).get('name', '')}  {each.get('minutes', '')} min"
        for each in finds
    ]
    return Outcome({"finds": finds}, lines)


def show(terminal: Terminal, find: FindId, *, distance: PrintedBy = SHOWN_FIRST) -> Outcome:
    """One Find: its state, its leaderboard, its verdict."""
    return _shown(Find.open(find), distance)


def resume(
    terminal: Terminal, find: FindId, *, on: Executor = None, following: Following, distance: PrintedBy = SHOWN_FIRST
) -> Outcome:
    """Continue a Find; what it has measured is kept."""
    from embedlab.jobs.executors import executor_of

    executor_of(on)
    return _followed(Find.open(find), following, on, distance, terminal)


def stop(terminal: Terminal, find: FindId) -> Outcome:
    """Stop a Find; what it has measured is kept."""
    from embedlab.jobs.runner import request_stop, stop_all, wait

    opened = Find.open(find)
    job, trainings = job_of(opened), [each for each in opened.trainings if not read_state(each).is_over]
    if job is not None and read_state(job).is_over:
        job = None
    if job is None and not trainings:
        raise RunError("E-RUN-OVER", f"Find {opened.id} is not running: there is nothing to stop.")
    if job is not None:
        request_stop(job)
        wait(job)
    stop_all(trainings)
    return Outcome({"find": opened.id, "state": str(state_of(opened).state)})


def export(terminal: Terminal, find: FindId, *, out: Annotated[str, Option(metavar="FILE.csv")]) -> Outcome:
    """Write the leaderboard as CSV and, once something is chosen, a methods paragraph with citations."""
    from embedlab.finds.methods import methods_of_find

    opened = Find.open(find)
    file, results = output_file(out, ".csv"), results_of(opened)
    content, methods = csv_of(results), methods_of_find(asked_of(opened), results)
    file.write_bytes(content)
    result = {"find": opened.id, "out": str(file), "bytes": len(content)}
    if methods is not None:
        methods_file = file.with_suffix(".methods.txt")
        methods_file.write_text(f"{methods.text}\n\n{methods.bibtex}\n", encoding="utf-8")
        result["methods"] = str(methods_file)
    return Outcome(result)


def delete(terminal: Terminal, find: FindId) -> Outcome:
    """Delete a Find with its candidates and its winner's run."""
    opened = Find.open(find)
    return deleted({"find": opened.id, "runs": delete_find(opened)})


def _followed(find: Find, following: Following, on: str | None, distance: Distance, terminal: Terminal) -> Outcome:
    from embedlab.jobs.runner import submit

    job = job_of(find)
    if results_of(find).verdict is not None:
        return _shown(find, distance)
    if job is None or read_state(job).is_over:
        job = submit(going_on(find, on))
    outcome = partial(_shown, find, distance)
    return followed_to_end("find", find.id, job, terminal, detach=following.detach, outcome=outcome)


def _shown(find: Find, distance: Distance) -> Outcome:
    from embedlab.finds.methods import methods_of_find

    results = results_of(find)
    methods = methods_of_find(asked_of(find), results)
    facts = {**_facts(find), **results.model_dump(mode="json"), "shown_by": distance, "path": str(find.path)}
    if methods is not None:
        facts["methods"] = {"text": methods.text, "bibtex": methods.bibtex, "citations": list(methods.keys)}
    lines = [f"Find {find.id} is {facts['state']}.", *find_lines(results, distance)]
    return Outcome(facts, lines if methods is None else [*lines, "", "Methods:", methods.text])


class FindFacts(TypedDict, total=False):
    """A Find as ``--json`` has it; of an unreadable one only its state and the error."""

    find: Required[str]
    state: Required[str]
    error: str
    created: str
    corpus: dict[str, str]
    minutes: float
    seed: int
    judge: str | None
    chosen: str | None


def _facts(find: Find) -> FindFacts:
    try:
        settings, results = asked_of(find), results_of(find)
    except EmbedlabError as error:
        return {"find": find.id, "state": str(State.INTERRUPTED), "error": error.message}
    names = {info.fingerprint: info.name for info in list_corpora()}
    return {
        "find": find.id,
        "state": str(state_of(find).state),
        "created": created(find),
        "corpus": {"fingerprint": settings.corpus, "name": names.get(settings.corpus, settings.corpus)},
        "minutes": settings.minutes,
        "seed": settings.seed,
        "judge": settings.judge,
        "chosen": results.chosen,
    }


def listed(find: Find) -> Json:
    """A Find as one entry in the list of runs, with its candidates."""
    facts = _facts(find)
    if "error" in facts:
        return {"run": find.id, "task": Find.task, **facts}
    results = results_of(find)
    about = {"task": Find.task, "name": f"Find, {facts['minutes']:g} min", "winner_run": results.winner_run}
    rows = [
        {
            "key": each.key,
            "title": each.described,
            "state": str(each.state),
            "steps": each.steps,
            "value": None if each.value is None else as_row(each.value),
        }
        for each in results.candidates
    ]
    return {"run": find.id, **facts, **about, "metric": results.metric, "candidates": rows}
