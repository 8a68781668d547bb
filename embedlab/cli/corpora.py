"""``corpus …`` and ``selections …``: the contents of a corpus, its summaries, subsets, and saved groups of texts."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np

from embedlab.cli.arguments import Command, Json, Option, Outcome, given, options
from embedlab.cli.reading import CorpusReading, Sets, load, output_file
from embedlab.cli.terminal import EXIT_CODES, Terminal, failed, show_one
from embedlab.config import validated, with_settings
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.disk_trouble import small_file, trouble_said
from embedlab.errors import CorpusError, SettingsError, UserError
from embedlab.numbers import counted, duration, percent
from embedlab.runs.selections import Selection, damaged_selections, list_selections, open_selection, rows_of
from embedlab.runs.selections import delete as delete_selection
from embedlab.runs.state import State
from embedlab.runs.store import read_job_result
from embedlab.store_root import atomic_write

SelectionId = Annotated[str, Option(metavar="ID")]


@options(only_one=True, required=True)
class Chosen:
    """Which texts of a corpus to take."""

    selection: Annotated[str | None, Option("the id that selections list shows", "ID")] = None
    rows: Annotated[str | None, Option("row numbers from 0: an .npy array, or one per line", "FILE")] = None
    classes: Annotated[tuple[str, ...], Option("can be repeated", "LABEL", flag="--class")] = ()


def check(terminal: Terminal, corpus: str, *, reading: CorpusReading) -> Outcome:
    """Reports how a corpus was read, what it contains, and how many of its texts yield two crops.

    A reading that something speaks against is shown, too, with the reason and exit code 2.
    """
    from embedlab.report.checkup import kept_checkup

    checked = load(corpus, replace(reading, parsing=replace(reading.parsing, accept_reading=True)), terminal)
    report = checked.info.reading
    facts = kept_checkup(checked).model_dump(mode="json")
    facts["reading"] = None if report is None else report.as_json
    if report is None or not report.doubts or reading.parsing.accept_reading:
        return facts, 0
    return {"error": report.doubts[0].model_dump(mode="json"), **facts}, UserError.exit_code


def show_check(result: Json) -> list[str]:
    """The card, line by line."""
    reading = result["reading"]
    lines = [
        *([reading["sentence"]] if reading else []),
        f"{result['name']}: {result['texts']:,} {'text' if result['texts'] == 1 else 'texts'}, {result['classes']} "
        f"{'class' if result['classes'] == 1 else 'classes'}, {result['labelled']:,} labeled",
        f"characters: median {result['characters_median']:,.0f}, mean {result['characters_mean']:,.0f}, "
        f"longest {result['characters_max']:,}",
        f"{counted(result['duplicates'], 'text repeats', 'texts repeat')} an earlier one; "
        f"{counted(result['conflicts'], 'text has', 'texts have')} two labels; "
        f"{counted(result['empty'], 'row is', 'rows are')} empty",
        f"{counted(result['texts_with_two_crops'], 'text yields', 'texts yield')} at least two crops",
        f"about {percent(result['truncated_share'])} are longer than {result['max_length']} tokens (estimated)",
    ]
    return lines + [f"fingerprint {result['fingerprint']}"]


def selections(terminal: Terminal) -> Outcome:
    """All selections, newest first; unreadable ones under ``damaged``, if any."""
    unreadable = damaged_selections()
    return {"selections": [_about(each) for each in list_selections()]} | (
        {"damaged": unreadable} if unreadable else {}
    ), 0


def show(terminal: Terminal, selection: SelectionId) -> Outcome:
    """One selection with its rows."""
    opened = open_selection(selection)
    return {**_about(opened), "rows": rows_of(opened).tolist()}, 0


def delete(terminal: Terminal, selection: SelectionId) -> Outcome:
    """Delete a selection permanently; corpora made from it stay."""
    opened = open_selection(selection)
    delete_selection(opened)
    return {"selection": opened.id, "deleted": True}, 0


def export(
    terminal: Terminal, selection: SelectionId, *, out: Annotated[str, Option(metavar="FILE.csv|.parquet")]
) -> Outcome:
    """Write the texts of a selection as a table."""
    from embedlab.runs.selections import texts_table
    from embedlab.table_files import csv_bytes, parquet_bytes

    opened = open_selection(selection)
    ending = ".parquet" if Path(out).suffix == ".parquet" else ".csv"
    file = output_file(out, ending)
    table = texts_table(open_corpus(opened.corpus), rows_of(opened))
    with atomic_write(file) as temporary:
        temporary.write_bytes((csv_bytes if ending == ".csv" else parquet_bytes)(table))
    return {"selection": opened.id, "out": str(file), "texts": opened.texts}, 0


def subset(
    terminal: Terminal,
    corpus: Annotated[str | None, Option("not needed with --selection")] = None,
    *,
    chosen: Chosen,
    name: Annotated[str, Option("the name of the new corpus")] = "",
    reading: CorpusReading,
) -> Outcome:
    """Make a corpus from some texts of another."""
    from embedlab.runs.selections import subset as make

    if chosen.selection is not None:
        selection = open_selection(chosen.selection)
        whole, rows, by = open_corpus(selection.corpus), rows_of(selection), f"the selection “{selection.name}”"
        usual = f"{whole.name}: {selection.name}"
    elif corpus is None:
        raise SettingsError("E-COMMAND", "A corpus is needed to choose from: give one, or a --selection.")
    else:
        whole = load(corpus, reading, terminal)
        rows, by = _rows(whole, chosen)
        usual = f"{whole.name}: {len(rows):,} texts"
    made = make(whole, rows, name=name or usual, chosen_by=by)
    info = made.info
    return {
        "corpus": {
            "name": info.name, "texts": info.texts, "classes": len(info.classes), "fingerprint": info.fingerprint
        },
        "of": {"name": whole.name, "texts": whole.info.texts, "fingerprint": whole.fingerprint},
    }, 0  # fmt: skip


def show_selections(result: Json) -> list[str]:
    """One line per selection."""
    lines = [
        f"{each['selection']}  {each['texts']:>9,} texts  {each['corpus']}  {each['name']}"
        for each in result["selections"]
    ]
    lines += result.get("damaged", {}).values()
    return lines or ["There are no selections yet. Save one on the page Run, Map, below a lasso or a search."]


def show_subset(result: Json) -> list[str]:
    """The new corpus, and the command that trains on it."""
    made, of = result["corpus"], result["of"]
    return [
        f"{made['name']}: {made['texts']:,} of {of['texts']:,} texts of {of['name']}, {made['classes']:,} classes",
        f"Train on it with: python -m embedlab train --corpus {made['fingerprint']}",
    ]


def _about(selection: Selection) -> Json:
    facts = {"selection": selection.id, **{name: getattr(selection, name) for name in ("name", "corpus", "texts")}}
    drawn = selection.drawn
    return facts | {"created": selection.created, "drawn": None if drawn is None else vars(drawn)}


def _rows(corpus: Corpus, chosen: Chosen) -> tuple[np.ndarray, str]:
    """The rows of ``--rows`` or of the classes in ``--class``, and how they were chosen."""
    if chosen.rows is not None:
        return _read_rows(chosen.rows), f"the rows of {Path(chosen.rows).name}"
    existing = {each.label for each in corpus.info.classes}
    unknown = [label for label in chosen.classes if label not in existing]
    if unknown:
        some = ", ".join(repr(each.label) for each in corpus.info.classes[:8]) or "none"
        raise CorpusError("E-CLASS", f"Corpus {corpus.name!r} has no class {unknown[0]!r}. Its largest are: {some}.")
    assert corpus.labels is not None, "it has classes"
    rows = np.flatnonzero([label in chosen.classes for label in corpus.labels])
    return rows, f"class {', '.join(repr(label) for label in chosen.classes)}"


def _read_rows(name: str) -> np.ndarray:
    """Row numbers, counted from 0: an .npy file of integers, or a text file with one per line."""
    try:
        if Path(name).suffix == ".npy":
            rows = np.load(io.BytesIO(small_file(Path(name))), allow_pickle=False)
        else:
            rows = np.array([int(line) for line in small_file(Path(name)).decode("utf-8").split()])
    except OSError as error:
        if (refused := trouble_said(error, name=name, path=Path(name))) is not None:
            raise refused from None
        raise CorpusError("E-PATH", f"--rows needs a file, but {name!r} cannot be read. Check its path.") from None
    except ValueError:
        rows = np.array([0.5])
    if rows.ndim != 1 or (len(rows) and not np.issubdtype(rows.dtype, np.integer)):
        message = f"--rows needs whole numbers, one per row (counted from 0), but {name!r} contains something else."
        raise CorpusError("E-ROWS", f"{message} Save an .npy array or one number per line.")
    return rows


@options()
class Writer:
    """Settings of a summariser that has options of its own."""

    model: Annotated[str | None, Option("hf:owner/name or a folder; for an endpoint, the model's name there")] = None
    url: Annotated[str | None, Option("the base address of an endpoint, to which the texts are sent")] = None
    api: Annotated[str | None, Option("for an endpoint", "completions|chat")] = None


def summarise(
    terminal: Terminal,
    corpus: str,
    *,
    by: Annotated[str, Option("what writes them", "local|endpoint|extractive")],
    writer: Writer,
    continuations: Annotated[int, Option("for each of the five prompts (default 3)")] = 3,
    limit: Annotated[int | None, Option("only this many texts, drawn at random", "TEXTS")] = None,
    estimate: Annotated[bool, Option("summarize a few texts and estimate the rest")] = False,
    sets: Sets = (),
    reading: CorpusReading,
) -> Outcome:
    """Summarise a stored corpus, or with ``--estimate`` say what that would take; a restart continues."""
    from embedlab.jobs.requests.corpora import Summarise
    from embedlab.jobs.runner import submit_once, wait
    from embedlab.summaries import SUMMARISERS

    part, settings = SUMMARISERS[by], with_settings(given(writer), sets)
    values: Json = {"continuations": continuations, "limit": limit, "estimate": estimate}
    values |= {"summariser": part.key, "settings": settings, "corpus": "?"}
    request = validated(Summarise, values, where="summaries")
    part(validated(part.config_class, settings, where=part.key))  # what is wrong is said before a corpus is read
    texts = load(corpus, reading, terminal)
    folder = submit_once(request.model_copy(update={"corpus": texts.fingerprint}))
    facts = wait(folder, terminal)
    state, result = facts.state, read_job_result(folder)
    if state is State.FINISHED and result is not None:
        return result, 0
    if state is State.FAILED:
        return failed("run", folder.id, facts)
    from embedlab.corpora.made_summaries import unfinished

    early = unfinished(texts.folder)
    done = f"{early.done:,} of {early.texts:,} texts are done" if early is not None else "nothing was done yet"
    message = f"The work was {state}: {done}. Continue with the same command."
    return {"run": folder.id, "error": {"code": f"E-{state.upper()}", "message": message}}, EXIT_CODES[state]


def show_summarise(result: Json) -> list[str]:
    """The summaries that were made, or what they would take."""
    if "basis" in result:
        tokens = f"{result['tokens_read']:,} tokens read, {result['tokens_written']:,} written"
        left = f"{result['texts']:,} of {result['asked_texts']:,} texts are left"
        took = f"about {duration(result['seconds'])}, {counted(result['requests'], 'request')}, {tokens}"
        return [f"{left}: {took}", *([result["basis"]] if result["basis"] else [])]
    stand_in = ", not the paper's method" if result["extractive"] else ""
    lines = [
        f"{counted(result['summaries'], 'summary', 'summaries')} of {result['texts']:,} texts by {result['model']}"
        f"{stand_in}"
    ]
    if without := result["asked_texts"] - result["texts"]:
        lines.append(f"{counted(without, 'text has', 'texts have')} none: the model wrote only whitespace")
    return [*lines, result["path"]]


COMMANDS = {
    "corpus check": Command(check, show_check),
    "corpus subset": Command(subset, show_subset),
    "selections list": Command(selections, show_selections),
    "selections show": Command(show, show_one),
    "selections delete": Command(delete, show_one),
    "selections export": Command(export, show_one),
    "corpus summarise": Command(summarise, show_summarise),
}
