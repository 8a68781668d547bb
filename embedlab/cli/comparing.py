"""``compare``: runs in one table beside their untouched encoders and baselines, or recipe by corpus."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from embedlab.cli.arguments import Command, Option, options
from embedlab.cli.reading import output_file
from embedlab.compare.best import compare_rows, known_metrics, measured_metrics, title_of
from embedlab.compare.columns import columns_of
from embedlab.compare.columns.base import Asked, Column
from embedlab.compare.performance_score import performance_of
from embedlab.compare.pivot import pivot_of, pivot_sheet
from embedlab.compare.rows import compared_rows, run_names
from embedlab.compare.sheet import comparison_sheet
from embedlab.compare.side_sheet import side_sheet
from embedlab.compare.tables import ENDINGS, FORMATS, Sheet
from embedlab.corpora.evaluation_sets import open_set
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.errors import RunError, SettingsError
from embedlab.report.contract import printed_comparison, printed_pivot
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.result import read_result
from embedlab.runs.store import open_run
from embedlab.store_root import atomic_write
from embedlab.vectors.faults import W_VECTORS


@options()
class Table:
    """What stands in a table of runs, and how and where it is written."""

    metrics: Annotated[str, Option("only these metrics (default: all that were measured)", "knn,linear,…")] = ""
    source: Annotated[str, Option("the corpus, or an evaluation set by its fingerprint", "corpus|SET")] = CORPUS
    pivot: Annotated[bool, Option("recipe by corpus: the mean over seeds")] = False
    side_by_side: Annotated[
        bool, Option("everything measured, in columns with gains: corpora, sets, public benchmarks, geometry")
    ] = False
    columns: Annotated[str | None, Option("for --side-by-side, by the keys that its --json lists", "KEY,KEY,…")] = None
    score: Annotated[bool, Option("for --side-by-side: add SemCSE's performance score")] = False
    printed: Annotated[bool, Option("for --side-by-side: add the values that the papers print")] = False
    format: Annotated[Literal["table", "csv", "latex", "markdown"] | None, Option("default: by --out, else table")] = (
        None
    )
    distance: Annotated[
        Distance,
        Option("whose kNN accuracy comes first in a table (default: cosine); both are always there"),
    ] = SHOWN_FIRST
    out: Annotated[str | None, Option(".txt, .csv, .tex or .md", "FILE")] = None


def compare(terminal, runs: Annotated[tuple[str, ...], Option(metavar="RUN")], *, asked: Table) -> tuple[dict, int]:
    """Which runs are best by each metric, and which cannot be told apart from the best."""
    folders = [open_run(run) for run in dict.fromkeys(runs)]
    name = CORPUS if asked.source == CORPUS else open_set(asked.source).name
    rows = compared_rows(folders, source=asked.source)
    warnings = _faults(folders)
    for each in warnings:
        terminal.note(each["message"])
    if asked.side_by_side:
        return {**_side_by_side(rows, asked, terminal), "warnings": warnings}, 0
    metrics = known_metrics(asked.metrics.split(",")) or measured_metrics(rows, asked.source)
    if not metrics:
        raise RunError(
            "E-NOT-MEASURED",
            f"None of these runs has been measured on {name!r}. Measure them first: python -m embedlab evaluate "
            f"--run ID",
        )
    written, out = _format_and_file(asked)
    result: dict = {"source": asked.source, "rows": [_about(row) for row in rows], "warnings": warnings}
    if asked.pivot:
        sheets = {metric: pivot_of(rows, metric, asked.source) for metric in metrics}
        result["pivot"] = {metric: printed_pivot(pivot) for metric, pivot in sheets.items()}
        drawn = {title_of(metric): pivot_sheet(pivot, asked.distance) for metric, pivot in sheets.items()}
    else:
        found = compare_rows(rows, source=asked.source, metrics=metrics, progress=terminal)
        result["metrics"] = printed_comparison(found)
        told = {"source": asked.source, "source_name": name, "shown": asked.distance}
        drawn = {"": comparison_sheet(rows, found, **told)}
    text = "\n".join(FORMATS[written](_headed(sheet, title)) for title, sheet in drawn.items())
    return _written(result, text, out, terminal), 0


def _faults(runs: list) -> list[dict]:
    """What is wrong with the vectors of these runs; of several with their names."""
    names, found = run_names(runs), {run.id: read_result(run) for run in runs}
    said = [(run, sentence) for run, result in found.items() if result is not None for sentence in result.vector_faults]
    named = "{}: {}" if len(runs) > 1 else "{1}"
    return [{"code": W_VECTORS, "message": named.format(names[run], sentence), "run": run} for run, sentence in said]


def _side_by_side(rows, asked: Table, terminal) -> dict:
    """Every column that any row has, or those asked for; gains, score and printed rows."""
    from embedlab.diagnostics import DIAGNOSTICS

    numbers = {part.key: part.number for part in DIAGNOSTICS if part.number is not None}
    known = columns_of(rows, Asked(asked.distance, numbers))
    if not known:
        raise RunError(
            "E-NOT-MEASURED", "None of these runs has been measured. Measure them: embedlab evaluate --run ID"
        )
    columns = _columns_asked(known, asked.columns)
    written, out = _format_and_file(asked)
    result = {"rows": [_about(row) for row in rows], "columns": [asdict(column) for column in columns]}
    if asked.score:
        result["performance"] = asdict(performance_of(columns, rows))
    if asked.printed:
        result["printed"] = {column.key: [vars(each) for each in column.printed_values()] for column in columns}
    text = FORMATS[written](side_sheet(rows, columns, score=asked.score, printed=asked.printed))
    return _written(result, text, out, terminal)


def _columns_asked(known: list[Column], asked: str | None) -> list[Column]:
    if asked is None:
        return known
    wanted = list(dict.fromkeys(asked.split(",")))
    for key in wanted:
        if key not in {column.key for column in known}:
            there = ", ".join(column.key for column in known)
            raise SettingsError("E-COLUMN", f"These runs have no column {key!r}. Choose from: {there}.")
    return [column for column in known if column.key in wanted]


def _written(result: dict, text: str, out: Path | None, terminal) -> dict:
    """Into the file, else among what is printed."""
    if out is not None:
        with atomic_write(out) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="")
        return {**result, "out": str(out)}
    return result if terminal.as_json else {**result, "text": text}


def show_compare(result: dict) -> list[str]:
    """The table, or where it lies."""
    return [f"Written: {result['out']}"] if "out" in result else result["text"].rstrip("\n").splitlines()


def _format_and_file(asked: Table) -> tuple[str, Path | None]:
    """The format by its name, else by the ending of the file."""
    by_ending = {ending: name for name, ending in ENDINGS.items()}
    written = asked.format or by_ending.get(Path(asked.out).suffix if asked.out else "", "table")
    return written, output_file(asked.out, ENDINGS[written]) if asked.out else None


def _headed(sheet: Sheet, title: str) -> Sheet:
    """Several tables of one kind say which is which."""
    if not title or len(sheet.groups) != 1:
        return sheet
    (group,) = sheet.groups
    return Sheet(sheet.word_heads, sheet.cell_heads, [type(group)(title, group.lines)], sheet.notes, sheet.plain_heads)


def _about(row) -> dict:
    names = ("key", "kind", "name", "corpus", "corpus_name", "encoder", "recipe", "seed", "trained_on", "saw_labels")
    return {name: getattr(row, name) for name in names}


COMMANDS = {"compare": Command(compare, show_compare, runs=("runs",))}
