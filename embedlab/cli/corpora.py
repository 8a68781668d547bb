"""``corpus …`` and ``selections …``: the contents of a corpus, its summaries, subsets, and saved groups of texts."""

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypedDict

import numpy as np

from embedlab.cli.arguments import Json, Option, Outcome, deleted, given, options
from embedlab.cli.reading import CorpusReading, Sets, load, output_file
from embedlab.cli.terminal import EXIT_CODES, Terminal, failed
from embedlab.config import validated, with_settings
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.made_summaries import unfinished
from embedlab.corpora.stored.shelf import CORPORA
from embedlab.disk_trouble import small_file, trouble_said
from embedlab.errors import CorpusError, SettingsError, UserError
from embedlab.numbers import counted, duration, percent
from embedlab.runs.selections import (
    Selection,
    damaged_selections,
    list_selections,
    open_selection,
    rows_of,
    texts_table,
)
from embedlab.runs.selections import delete as delete_selection
from embedlab.runs.selections import subset as make_subset
from embedlab.runs.state import State
from embedlab.store_root import atomic_write, read_json_if_whole
from embedlab.table_files import csv_bytes, parquet_bytes

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
    report, checkup = checked.info.reading, kept_checkup(checked)
    facts = checkup.model_dump(mode="json") | {"reading": None if report is None else report.as_json}
    classes = counted(checkup.classes, "class", "classes")
    lines = [
        *([report.sentence] if report is not None else []),
        f"{checkup.name}: {counted(checkup.texts, 'text')}, {classes}, {checkup.labelled:,} labeled",
        f"characters: median {checkup.characters_median:,.0f}, mean {checkup.characters_mean:,.0f}, "
        f"longest {checkup.characters_max:,}",
        f"{counted(checkup.duplicates, 'text repeats', 'texts repeat')} an earlier one; "
        f"{counted(checkup.conflicts, 'text has', 'texts have')} two labels; "
        f"{counted(checkup.empty, 'row is', 'rows are')} empty",
        f"{counted(checkup.texts_with_two_crops, 'text yields', 'texts yield')} at least two crops",
        f"about {percent(checkup.truncated_share)} are longer than {checkup.max_length} tokens (estimated)",
        f"fingerprint {checkup.fingerprint}",
    ]
    if report is None or not report.doubts or reading.parsing.accept_reading:
        return Outcome(facts, lines)
    return Outcome({"error": report.doubts[0].model_dump(mode="json"), **facts}, lines, UserError.exit_code)


def selections(terminal: Terminal) -> Outcome:
    """All selections, newest first; unreadable ones under ``damaged``, if any."""
    there, unreadable = list_selections(), damaged_selections()
    facts = {"selections": [_about(each) for each in there]} | ({"damaged": unreadable} if unreadable else {})
    lines = [f"{each.id}  {each.texts:>9,} texts  {each.corpus}  {each.name}" for each in there]
    lines += unreadable.values()
    nothing = "There are no selections yet. Save one on the page Run, Map, below a lasso or a search."
    return Outcome(facts, lines or [nothing])


def show(terminal: Terminal, selection: SelectionId) -> Outcome:
    """One selection with its rows."""
    opened = open_selection(selection)
    return Outcome({**_about(opened), "rows": rows_of(opened).tolist()})


def delete_corpus(terminal: Terminal, corpus: Annotated[str, Option("its fingerprint", "CORPUS")]) -> Outcome:
    """Move a stored corpus to the trash for a day; runs on it stay, without its texts."""
    from embedlab.jobs.in_use import require_unused

    CORPORA.place(corpus)  # refused where nothing has this fingerprint
    require_unused("corpus", corpus, code="E-CORPUS-BUSY", error=CorpusError)
    CORPORA.delete(corpus)
    return deleted({"corpus": corpus})


def delete(terminal: Terminal, selection: SelectionId) -> Outcome:
    """Move a selection to the trash for a day; corpora made from it stay."""
    from embedlab.jobs.in_use import require_unused

    opened = open_selection(selection)
    require_unused("selection", opened.id, code="E-SELECTION-BUSY", error=CorpusError)
    delete_selection(opened)
    return deleted({"selection": opened.id})


def export(
    terminal: Terminal, selection: SelectionId, *, out: Annotated[str, Option(metavar="FILE.csv|.parquet")]
) -> Outcome:
    """Write the texts of a selection as a table."""
    opened = open_selection(selection)
    ending = ".parquet" if Path(out).suffix == ".parquet" else ".csv"
    file = output_file(out, ending)
    table = texts_table(open_corpus(opened.corpus), rows_of(opened))
    with atomic_write(file) as temporary:
        temporary.write_bytes((csv_bytes if ending == ".csv" else parquet_bytes)(table))
    return Outcome({"selection": opened.id, "out": str(file), "texts": opened.texts})


def subset(
    terminal: Terminal,
    corpus: Annotated[str | None, Option("not needed with --selection")] = None,
    *,
    chosen: Chosen,
    name: Annotated[str, Option("the name of the new corpus")] = "",
    reading: CorpusReading,
) -> Outcome:
    """Make a corpus from some texts of another."""
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
    made = make_subset(whole, rows, name=name or usual, chosen_by=by)
    info, classes, all_texts = made.info, len(made.info.classes), whole.info.texts
    lines = [
        f"{info.name}: {info.texts:,} of {all_texts:,} texts of {whole.name}, {classes:,} classes",
        f"Train on it with: python -m embedlab train --corpus {info.fingerprint}",
    ]
    new = {"name": info.name, "texts": info.texts, "classes": classes, "fingerprint": info.fingerprint}
    of = {"name": whole.name, "texts": all_texts, "fingerprint": whole.fingerprint}
    return Outcome({"corpus": new, "of": of}, lines)


class ListedSelection(TypedDict):
    """A selection as ``--json`` has it."""

    selection: str
    name: str
    corpus: str
    texts: int
    created: str
    drawn: Mapping[str, str | tuple[tuple[float, float], ...]] | None


def _about(selection: Selection) -> ListedSelection:
    return ListedSelection(
        selection=selection.id,
        name=selection.name,
        corpus=selection.corpus,
        texts=selection.texts,
        created=selection.created,
        drawn=None if selection.drawn is None else vars(selection.drawn),
    )


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
    state, result = facts.state, read_json_if_whole(folder.result)
    if state is State.FINISHED and result is not None:
        return Outcome(result, _lines(result))
    if state is State.FAILED:
        return failed("run", folder.id, facts)
    early = unfinished(texts.folder)
    done = f"{early.done:,} of {early.texts:,} texts are done" if early is not None else "nothing was done yet"
    error = {"code": f"E-{state.upper()}", "message": f"The work was {state}: {done}. Continue with the same command."}
    return Outcome({"run": folder.id, "error": error}, code=EXIT_CODES[state])


def _lines(result: Json) -> list[str]:
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
