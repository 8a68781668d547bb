"""``runs …``: list, show, stop, resume, rename, tag, delete, export, replay."""

import time
from typing import TYPE_CHECKING, Annotated, Literal

from embedlab.cli.arguments import Json, Option, Outcome, deleted
from embedlab.cli.reading import Executor, Following, RunId, output_file
from embedlab.cli.terminal import Terminal, show_one
from embedlab.errors import RunError, SettingsError
from embedlab.jobs import campaigns
from embedlab.later import Later
from embedlab.numbers import counted, in_bytes
from embedlab.offline import go_offline
from embedlab.plain_text import printable
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import damaged
from embedlab.runs.lease import elsewhere
from embedlab.runs.list_rows import accuracy_line, list_rows, summary
from embedlab.runs.state import read_state
from embedlab.runs.store import find_run, list_runs, names_in, open_run, rename_run, stored_request
from embedlab.runs.tags import change_tags, tags_of
from embedlab.store_root import store_root

if TYPE_CHECKING:
    from embedlab.cli import finding
else:  # its modules, as those of results, take longer to import than runs to be listed
    finding = Later("embedlab.cli.finding")
FIND = "find"  # the task of a Find


def runs(terminal: Terminal) -> Outcome:
    """All runs, newest first; unreadable runs and jobs under ``damaged``, if any. Only ``--json`` has whole results."""
    unreadable, finds = damaged(), list[Json]()
    if names_in(store_root() / campaigns.ROOMS[FIND]):
        finds = [finding.listed(find) for find in finding.Find.all()]
    winners = {each["winner_run"]: each["run"] for each in finds if each.get("winner_run")}
    entries = [_listed(folder) for folder in list_runs()] if terminal.as_json else list_rows()
    entries = [{**each, "find": winners[each["run"]]} if each["run"] in winners else each for each in entries]
    entries = sorted([*entries, *finds], key=lambda each: each["run"], reverse=True)
    facts = {"runs": entries} | ({"damaged": unreadable} if unreadable else {})
    return Outcome(facts, [] if terminal.as_json else _lines(entries, unreadable))


def _lines(entries: list[Json], unreadable: dict[str, str]) -> list[str]:
    """One line per run."""
    lines = []
    for run in entries:
        if run["run"] in unreadable:
            continue  # named below
        begin = f"{run['run']}  {run['state']:<11}  "
        if run.get("task") != FIND:
            end = f"{run.get('name', '')}{f', winner of {find_id}' if (find_id := run.get('find')) else ''}"
            lines.append(f"{begin}{run.get('encoder')}  {run.get('recipe')}  {accuracy_line(run['accuracies'])}  {end}")
            if run["error"] and run["error"]["code"] == "E-DAMAGED-FILE":
                lines.append(f"  {run['error']['message']}")
        elif "error" in run:
            lines.append(f"{begin}{run['error']}")
        else:
            tried = counted(sum(each["value"] is not None for each in run["candidates"]), "candidate")
            opens = f"open: python -m embedlab runs show {run['run']}"
            lines.append(f"{begin}{run['name']} on {run['corpus']['name']}, {tried}  ({opens})")
    return [*lines, *unreadable.values()] or ["There are no runs yet. Start one with: python -m embedlab demo"]


def is_find(its_id: str) -> bool:
    """Whether this is the id of a Find, readable or not."""
    return campaigns.holds(FIND, its_id)


def show(terminal: Terminal, run: RunId) -> Outcome:
    """One run: its request, state and result; a Find with its candidates."""
    if is_find(run):
        return finding.show(terminal, run)
    from embedlab.comparison.siblings import texts_left_out
    from embedlab.report.contract import printed_left_out
    from embedlab.report.result_lines import run_lines
    from embedlab.runs.kept import record_ending
    from embedlab.runs.result import read_result

    folder = open_run(run)
    record_ending(folder)  # its worker may have gone without a word
    facts = {**_listed(folder), "settings": stored_request(folder).settings, "path": str(folder.path)}
    lines, result = show_one({**facts, "result": None}), read_result(folder)
    if result is None:
        return Outcome(facts, lines)
    left_out = texts_left_out(folder)
    facts["result"] |= {"left_out": printed_left_out(left_out)}
    return Outcome(facts, [*lines, *run_lines(result, left_out)])


def log(
    terminal: Terminal, run: RunId, *, follow: Annotated[bool, Option("keep printing until the run ends")] = False
) -> Outcome:
    """The output of a worker and its executor, of a Find of its newest job; with ``--follow`` as it comes."""
    from embedlab.jobs.executors import executor_with
    from embedlab.jobs.runner import look_after

    newest = None
    if is_find(run):
        newest = campaigns.job_of(finding.Find.open(run))
    folder = open_run(run) if newest is None else newest
    executor, length = executor_with(folder), 0
    while follow and not terminal.as_json and not read_state(folder).is_over:
        text = executor.log(folder)
        print("\n".join(map(printable, text[length:].split("\n"))), end="", flush=True)
        length = len(text)
        look_after(folder)
        time.sleep(1)
    text = executor.log(folder)[length:]
    return Outcome({"run": folder.id, "log": text}, text.splitlines() or ["The run's log is empty."])


def opened(run: str) -> RunFolder:
    """The run; for a Find an error that says what can be done with it."""
    if is_find(run):
        winner = finding.results_of(finding.Find.open(run)).winner_run
        instead = f" (its winner is run {winner})" if winner else ""
        message = f"{run} is a Find, not a run. See it with: python -m embedlab find show {run}{instead}"
        raise RunError("E-IS-FIND", message)
    return open_run(run)


def _listed(folder: RunFolder) -> Json:
    from embedlab.report.contract import printed
    from embedlab.runs.label_lineage import saw_labels

    facts = {**summary(folder).as_json(), "saw_labels": saw_labels(folder), **elsewhere(folder)}
    return facts | ({"result": printed(facts["result"])} if facts.get("result") is not None else {})


def stop(terminal: Terminal, run: RunId) -> Outcome:
    """Ask for a stop and wait until the run has ended."""
    if is_find(run):
        return finding.stop(terminal, run)
    from embedlab.jobs.runner import stop as stop_run

    folder = open_run(run)
    if read_state(folder).is_over:
        raise RunError(
            "E-RUN-OVER", f"Run {folder.id} is already {read_state(folder).state}: there is nothing to stop."
        )
    stop_run(folder)
    return Outcome({"run": folder.id, "state": str(read_state(folder).state)})


def resume(terminal: Terminal, run: RunId, *, on: Executor = None) -> Outcome:
    """Resume an interrupted, stopped or failed run from its newest checkpoint, and follow it."""
    from embedlab.cli.running import followed
    from embedlab.jobs.runner import resume as resume_run

    if is_find(run):
        return finding.resume(terminal, run, on=on, following=Following())
    return followed(resume_run(open_run(run), on), terminal)


def rename(
    terminal: Terminal,
    run: RunId,
    name: str,
    *,
    note: Annotated[str | None, Option("a note about it (default: unchanged)", "TEXT")] = None,
) -> Outcome:
    """Rename a run and set its note; without a new note the old one stays."""
    folder = opened(run)
    rename_run(folder, name, note)
    named = stored_request(folder)
    return Outcome({"run": folder.id, "name": named.name, "note": named.note or None})


def tag(
    terminal: Terminal,
    run: RunId,
    tags: Annotated[str, Option(metavar="TAG[,TAG…]")],
    *,
    remove: Annotated[bool, Option("remove these tags from the run instead")] = False,
) -> Outcome:
    """Set a run's tags, short words for finding it again."""
    folder = opened(run)
    change_tags([folder], **{"remove" if remove else "add": [tags]})
    return Outcome({"run": folder.id, "tags": tags_of(folder)})


def delete(terminal: Terminal, run: RunId) -> Outcome:
    """Move a run to the trash for a day, readable or not; a Find with its candidates and its winner's run."""
    if is_find(run):
        return finding.delete(terminal, run)
    from embedlab.jobs.in_use import delete_unused_run

    folder = find_run(run)
    delete_unused_run(folder)
    return deleted({"run": folder.id})


def export(
    terminal: Terminal,
    run: RunId,
    *,
    out: Annotated[str, Option(metavar="FILE.zip")],
    format: Annotated[  # noqa: A002
        Literal["fp16", "bf16", "onnx", "onnx-int8"] | None,
        Option("the encoder alone: weights of half the size, or ONNX (also in 8 bits), compared with fp32"),
    ] = None,
    dimensions: Annotated[
        int | None, Option("the encoder alone, keeping the first N dimensions of each vector (truncate_dim)", "N")
    ] = None,
    adapter: Annotated[
        Literal["separate"] | None, Option("the LoRA adapter alone, apart from its base, compared with the merged")
    ] = None,
) -> Outcome:
    """Write a run as a ZIP: settings, curve, encoder, embeddings, maps; without locks and checkpoints.

    With ``--format``, ``--dimensions`` or ``--adapter`` write its encoder alone, compared with the run's.
    """
    from embedlab.tasks.export import write_run

    folder = opened(run)
    file = output_file(out, ".zip")
    if not read_state(folder).is_over:
        raise RunError("E-RUN-BUSY", f"Run {folder.id} is still running. Stop it or wait for its end, then export it.")
    if (format, dimensions) != (None, None) and adapter is not None:
        other = "--format" if format is not None else "--dimensions"
        raise SettingsError("E-COMMAND", f"{other} and --adapter write different files: choose one of them.")
    if adapter is not None:
        from embedlab.tasks.adapter_export import write_adapter  # torch takes seconds to import

        go_offline()
        written = write_adapter(folder, file, terminal)
    elif (format, dimensions) != (None, None):
        from embedlab.tasks.smaller_encoder import write_smaller  # torch takes seconds to import

        go_offline()
        written = write_smaller(folder, file, terminal, format_=format, dimensions=dimensions)
    else:
        files = write_run(folder, file, terminal)
        return Outcome({"run": folder.id, "out": str(file), "files": files, "bytes": file.stat().st_size})
    line = f"{written.out}, {in_bytes(written.bytes)}. {written.sentence}"
    return Outcome(written.model_dump(exclude_unset=True), [line])


def replay(
    terminal: Terminal,
    run: RunId,
    *,
    out: Annotated[str, Option(metavar="FILE.html")],
    texts: Annotated[bool, Option("only coordinates, classes and curves", flag="--without-texts")] = True,
) -> Outcome:
    """Write a run as one HTML file, and say what it contains of the corpus."""
    from embedlab.tasks.export import write_replay

    file = output_file(out, ".html")
    terminal("Writing the replay")
    return Outcome(write_replay(opened(run), file, with_texts=texts)._asdict())
