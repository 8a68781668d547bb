"""``compare``, ``classes`` and ``moves``: runs in one table, the classes of a run, what moved between two encoders."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from embedlab.cli.arguments import Json, Option, Outcome, options
from embedlab.cli.reading import NamedRun, output_file
from embedlab.cli.terminal import Terminal
from embedlab.comparison.best import compare_rows, known_metrics, measured_metrics, title_of
from embedlab.comparison.columns import ColumnRequest, columns_of
from embedlab.comparison.pivot import pivot_of, pivot_sheet
from embedlab.comparison.rows import ComparedRow, compared_rows, run_names
from embedlab.comparison.sheet import comparison_sheet
from embedlab.comparison.side_sheet import performance_of, side_sheet
from embedlab.comparison.tables import ENDINGS, FORMATS
from embedlab.corpora.base import open_corpus
from embedlab.corpora.sets.stored import open_set
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.errors import CorpusError, RunError, SettingsError
from embedlab.jobs.requests.drawing import MeasureMoves
from embedlab.jobs.requests.measuring import PredictFolds
from embedlab.jobs.runner import done_by_worker
from embedlab.measurement import Note
from embedlab.numbers import counted, percent, signed
from embedlab.report.contract import printed_classes, printed_comparison, printed_pivot
from embedlab.runs.drawn_map import UNTOUCHED
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import NO_SUSPICIOUS_LABELS, TEST_TEXTS_ONLY, saw_labels
from embedlab.runs.map_readings import moves_of
from embedlab.runs.predictions import Folds, folds_of
from embedlab.runs.result import read_result
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import atomic_write
from embedlab.vectors.faults import W_VECTORS

_ABOUT = ("key", "kind", "name", "corpus", "corpus_name", "encoder", "recipe", "seed", "trained_on", "saw_labels")


@options()
class Table:
    """The content of a table of runs, and its format and file."""

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
        Distance, Option("whose kNN accuracy comes first in a table (default: cosine); both are always there")
    ] = SHOWN_FIRST
    out: Annotated[str | None, Option(".txt, .csv, .tex or .md", "FILE")] = None


def compare(
    terminal: Terminal, runs: Annotated[tuple[str, ...], Option(metavar="RUN", names="run")], *, table: Table
) -> Outcome:
    """Which runs are best by each metric, and which cannot be told apart from the best."""
    folders = [open_run(run) for run in dict.fromkeys(runs)]
    name = CORPUS if table.source == CORPUS else open_set(table.source).name
    rows = compared_rows(folders, source=table.source)
    warnings, names = [], run_names(folders)
    for folder in folders:
        stored = read_result(folder)
        for fault in [] if stored is None else stored.vector_faults:
            message = f"{names[folder.id]}: {fault}" if len(folders) > 1 else fault
            terminal.note(message)
            warnings.append({"code": W_VECTORS, "message": message, "run": folder.id})
    about = [{key: getattr(row, key) for key in _ABOUT} for row in rows]
    if table.side_by_side:
        return _side_by_side(rows, about, table, warnings)
    metrics = known_metrics(table.metrics.split(",")) or measured_metrics(rows, table.source)
    if not metrics:
        raise RunError(
            "E-NOT-MEASURED",
            f"None of these runs has been measured on {name!r}. Measure them first: python -m embedlab evaluate "
            f"--run ID",
        )
    written, out = _format_and_file(table)
    result: Json = {"source": table.source, "rows": about, "warnings": warnings}
    if table.pivot:
        pivots = {metric: pivot_of(rows, metric, table.source) for metric in metrics}
        result["pivot"] = {metric: printed_pivot(pivot) for metric, pivot in pivots.items()}
        sheets = []
        for metric, pivot in pivots.items():
            sheet = pivot_sheet(pivot, table.distance)
            sheets.append(replace(sheet, groups=[replace(sheet.groups[0], title=title_of(metric))]))
    else:
        comparison = compare_rows(rows, source=table.source, metrics=metrics, progress=terminal)
        result["metrics"] = printed_comparison(comparison)
        sheets = [comparison_sheet(rows, comparison, source=table.source, source_name=name, first=table.distance)]
    return _written(result, "\n".join(map(FORMATS[written], sheets)), out)


def _side_by_side(rows: list[ComparedRow], about: list[Json], table: Table, warnings: list[Json]) -> Outcome:
    """Every column that any row has, or those requested; gains, score and printed rows."""
    from embedlab.diagnostics import NUMBERS

    offered = columns_of(rows, ColumnRequest(table.distance, NUMBERS))
    if not offered:
        raise RunError(
            "E-NOT-MEASURED", "None of these runs has been measured. Measure them: embedlab evaluate --run ID"
        )
    columns = offered
    if table.columns is not None:
        keys, there = table.columns.split(","), [column.key for column in offered]
        unknown = next((key for key in keys if key not in there), None)
        if unknown is not None:
            raise SettingsError("E-COLUMN", f"These runs have no column {unknown!r}. Choose from: {', '.join(there)}.")
        columns = [column for column in offered if column.key in keys]
    written, out = _format_and_file(table)
    result: Json = {"rows": about, "columns": [asdict(column) for column in columns], "warnings": warnings}
    if table.score:
        result["performance"] = asdict(performance_of(columns, rows))
    if table.printed:
        result["printed"] = {column.key: [vars(each) for each in column.printed_values()] for column in columns}
    sheet = side_sheet(rows, columns, score=table.score, printed=table.printed)
    return _written(result, FORMATS[written](sheet), out)


def _written(result: Json, text: str, out: Path | None) -> Outcome:
    """The result with the table's file, or with its text."""
    if out is None:
        return Outcome(result, text.rstrip("\n").splitlines())
    with atomic_write(out) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")
    return Outcome({**result, "out": str(out)}, [f"Written: {out}"])


def _format_and_file(table: Table) -> tuple[str, Path | None]:
    """The format by name, otherwise by the file's extension."""
    by_ending = {ending: name for name, ending in ENDINGS.items()}
    written = table.format or by_ending.get(Path(table.out).suffix if table.out else "", "table")
    return written, output_file(table.out, ENDINGS[written]) if table.out else None


def classes(
    terminal: Terminal,
    run: NamedRun,
    *,
    distance: Annotated[
        Distance, Option("which kNN accuracy to print (default: cosine); --json always has both")
    ] = SHOWN_FIRST,
) -> Outcome:
    """Every class over ten folds on all labelled texts, predicted first if necessary. Rows count from 0.

    By Euclidean distance, and under ``cosine`` the same by cosine. ``printed_by``: the one that is printed. Of a
    run that was trained by labels the test texts alone, and ``suspicious`` is null.
    """
    folder = open_run(run)
    folds = folds_of(folder) or _predicted(folder, terminal)
    by_cosine = folds_of(folder, COSINE)
    assert by_cosine is not None, "folds are predicted by both distances at once"
    result = {
        "run": folder.id,
        "texts": len(folds.rows),
        "of_test_texts": folds.of_test_texts,
        **printed_classes(folds),
        COSINE: printed_classes(by_cosine),
        "printed_by": distance,
    }
    return Outcome(result, show_classes(result))


def show_classes(result: Json) -> list[str]:
    """One line per class, the most frequent mistakes, and the numbers of texts gained, lost and suspicious."""
    over = "test texts" if result["of_test_texts"] else "labeled texts over ten folds"
    printed_by = result["printed_by"]
    table = result[COSINE] if printed_by == COSINE else result
    by = f"kNN accuracy ({DISTANCES[printed_by]})"
    lines = [f"{result['texts']:,} {over}, {by} before → after, change (95 %)"]
    lines += [TEST_TEXTS_ONLY] if result["of_test_texts"] else []
    for each in table["classes"]:
        shares = f"{100 * each['before']:5.1f} → {100 * each['after']:5.1f} %"
        bounds = f"{100 * each['low']:.1f} … {100 * each['high']:.1f}"
        lines.append(
            f"{each['label']:<32} {each['texts']:>6,}  {shares}  {signed(100 * each['difference'], 1)} ({bounds})"
        )
    lines.append("mistaken for another class, before → after")
    lines += [f"  {m['label']} for {m['taken_for']}: {m['before']:,} → {m['after']:,}" for m in table["mistakes"]]
    gained, lost = (len(table[name]) for name in ("gained", "lost"))
    suspicious = table["suspicious"]
    doubted = "" if suspicious is None else f", {len(suspicious):,} with a suspicious label"
    lines.append(f"{counted(gained, 'text')} gained, {lost:,} lost{doubted} (rows: --json)")
    return lines + ([NO_SUSPICIOUS_LABELS] if suspicious is None else [])


def _predicted(run: RunFolder, terminal: Terminal) -> Folds:
    if saw_labels(run):
        raise CorpusError("E-NO-FOLDS", f"{TEST_TEXTS_ONLY} Run {run.id} has no stored predictions of them.")
    done_by_worker(PredictFolds(run=run.id), dict, terminal)
    folds = folds_of(run)
    if folds is None:
        raise CorpusError("E-NO-FOLDS", f"Run {run.id} has too many labeled texts, or none, for ten folds.")
    return folds


SHOWN = 10  # groups and texts that are printed


def moves(
    terminal: Terminal,
    *,
    run: NamedRun,
    against: Annotated[
        str | None, Option("another run on the same corpus (default: the untouched encoder)", "ID", names="run")
    ] = None,
    most: Annotated[int, Option("how many ranked texts (default 100)", "TEXTS")] = 100,
) -> Outcome:
    """Movement and class effect above the noise floor; measured first if necessary. Rows count from 0."""
    folder = open_run(run)
    other = UNTOUCHED if against in (None, UNTOUCHED) else open_run(against).id
    measured = moves_of(folder, other)
    if measured is None:
        done_by_worker(MeasureMoves(run=folder.id, against=other), dict, terminal)
        measured = moves_of(folder, other)
    assert measured is not None, "the worker has written it"
    ranked = np.flatnonzero(measured.above)
    effect = np.nan_to_num(measured.effect[ranked])
    ranked = ranked[np.lexsort((ranked, -np.abs(effect), -measured.movement[ranked]))][:most]
    corpus = open_corpus(fingerprint_of(folder))
    texts = [
        {
            "row": int(measured.rows[position]),
            "label": None if corpus.labels is None else corpus.labels[measured.rows[position]],
            "movement": round(float(measured.movement[position]), 4),
            "class_effect": None if np.isnan(measured.effect[position]) else round(float(measured.effect[position]), 4),
            "nearest_before": [row for row in measured.nearest_before[position].tolist() if row >= 0],
            "nearest_after": [row for row in measured.nearest_after[position].tolist() if row >= 0],
        }
        for position in ranked
    ]
    result = read_result(folder)
    warnings = [] if result is None else [Note(code=W_VECTORS, message=each) for each in result.vector_faults]
    facts = {**asdict(measured.facts), "ranked": int(measured.above.sum()), "movers": texts}
    return Outcome(facts, show_moves(facts), warnings=warnings)


def show_moves(result: Json) -> list[str]:
    """Shares of texts that moved and were helped or hurt, the groups that moved most, and the first texts."""
    floor = result["floor"]
    noise = "" if floor["value"] is None else f" ({floor['value']:.2f})"
    moved = f"{_share(result['moved'])} of {result['texts']:,} texts moved above noise{noise}"
    lines = [f"{moved}; neighbors by {DISTANCES[EUCLIDEAN]}", floor["sentence"]]
    if result["helped"]["share"] is not None:
        lines.append(f"{_share(result['helped'])} of the labeled texts were helped, {_share(result['hurt'])} hurt")
    lines += [result["labels_read"]["sentence"]] if result.get("labels_read") else []
    for each in result["classes"][:SHOWN]:
        mean, low, high = each["movement"]
        line = f"  {each['name']:<32} {each['texts']:>6,}  movement {mean:.2f} ({low:.2f} … {high:.2f})"
        lines.append(line + ("" if each["effect"] is None else f"  class effect {signed(each['effect'][0], 2)}"))
    for each in result["movers"][:SHOWN]:
        effect = "" if each["class_effect"] is None else f", class effect {signed(each['class_effect'], 1)}"
        lines.append(f"  row {each['row']}: movement {each['movement']:.2f}{effect}")
    return lines


def _share(of: Json) -> str:
    return percent(of["share"]) if of["share"] is not None else "none"
