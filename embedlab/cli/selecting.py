"""``selections …`` and ``corpus subset``: saved groups of texts, and corpora made of them."""

from pathlib import Path
from typing import Annotated

import numpy as np

from embedlab.cli.arguments import Command, Option, options
from embedlab.cli.reading import CorpusReading, load, output_file
from embedlab.cli.running import show_one
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.disk_trouble import trouble_said
from embedlab.errors import CorpusError, SettingsError
from embedlab.runs.selections import Selection, list_selections, open_selection, rows_of
from embedlab.runs.selections import delete as delete_selection
from embedlab.store_root import atomic_write

SelectionId = Annotated[str, Option(metavar="ID")]


@options(only_one=True, required=True)
class Chosen:
    """Which texts of a corpus are taken."""

    selection: Annotated[str | None, Option("the id that selections list shows", "ID")] = None
    rows: Annotated[str | None, Option("row numbers from 0: an .npy array, or one per line", "FILE")] = None
    classes: Annotated[tuple[str, ...], Option("can be repeated", "LABEL", flag="--class")] = ()


def selections(terminal) -> tuple[dict, int]:
    """All selections, newest first."""
    return {"selections": [_about(each) for each in list_selections()]}, 0


def show(terminal, selection: SelectionId) -> tuple[dict, int]:
    """One selection with its rows."""
    found = open_selection(selection)
    return {**_about(found), "rows": rows_of(found).tolist()}, 0


def delete(terminal, selection: SelectionId) -> tuple[dict, int]:
    """Remove a selection for good; corpora made of it stay."""
    found = open_selection(selection)
    delete_selection(found)
    return {"selection": found.id, "deleted": True}, 0


def export(
    terminal, selection: SelectionId, *, out: Annotated[str, Option(metavar="FILE.csv|.parquet")]
) -> tuple[dict, int]:
    """Its texts as a table."""
    from embedlab.runs.selections import texts_table
    from embedlab.table_files import csv_bytes, parquet_bytes

    found = open_selection(selection)
    ending = ".parquet" if Path(out).suffix == ".parquet" else ".csv"
    file = output_file(out, ending)
    table = texts_table(open_corpus(found.corpus), rows_of(found))
    with atomic_write(file) as temporary:
        temporary.write_bytes((csv_bytes if ending == ".csv" else parquet_bytes)(table))
    return {"selection": found.id, "out": str(file), "texts": found.texts}, 0


def subset(
    terminal,
    corpus: Annotated[str | None, Option("not needed with --selection")] = None,
    *,
    chosen: Chosen,
    name: Annotated[str, Option("the name of the new corpus")] = "",
    reading: CorpusReading,
) -> tuple[dict, int]:
    """Some texts of a corpus as a corpus of their own."""
    from embedlab.corpora.base import subset as make

    if chosen.selection is not None:
        kept = open_selection(chosen.selection)
        whole, rows, by = open_corpus(kept.corpus), rows_of(kept), f"the selection “{kept.name}”"
        usual = f"{whole.name}: {kept.name}"
    elif corpus is None:
        raise SettingsError("E-COMMAND", "A corpus is needed to choose from: give one, or a --selection.")
    else:
        whole = load(corpus, reading.fields, terminal)
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


def show_selections(result: dict) -> list[str]:
    """One line a selection."""
    lines = [
        f"{each['selection']}  {each['texts']:>9,} texts  {each['corpus']}  {each['name']}"
        for each in result["selections"]
    ]
    return lines or ["There are no selections yet. Save one on the page Run, Map, below a lasso or a search."]


def show_subset(result: dict) -> list[str]:
    """What was made, and what to call it."""
    made, of = result["corpus"], result["of"]
    return [
        f"{made['name']}: {made['texts']:,} of {of['texts']:,} texts of {of['name']}, {made['classes']:,} classes",
        f"Train on it with: python -m embedlab train --corpus {made['fingerprint']}",
    ]


def _about(selection: Selection) -> dict:
    found = {"selection": selection.id, **{name: getattr(selection, name) for name in ("name", "corpus", "texts")}}
    drawn = selection.drawn
    return found | {"created": selection.created, "drawn": None if drawn is None else vars(drawn)}


def _rows(corpus: Corpus, chosen: Chosen) -> tuple[np.ndarray, str]:
    """The rows of ``--rows`` or those of the classes of ``--class``, and how they were chosen."""
    if chosen.rows is not None:
        return _read_rows(chosen.rows), f"the rows of {Path(chosen.rows).name}"
    if not chosen.classes:
        raise SettingsError("E-COMMAND", "Specify the texts: --selection ID, --rows FILE or --class LABEL.")
    known = {each.label for each in corpus.info.classes}
    unknown = [label for label in chosen.classes if label not in known]
    if unknown:
        some = ", ".join(repr(each.label) for each in corpus.info.classes[:8]) or "none"
        raise CorpusError("E-CLASS", f"Corpus {corpus.name!r} has no class {unknown[0]!r}. Its largest are: {some}.")
    wanted = set(chosen.classes)
    rows = np.flatnonzero([label in wanted for label in corpus.labels])
    return rows, f"class {', '.join(repr(label) for label in chosen.classes)}"


def _read_rows(name: str) -> np.ndarray:
    """Row numbers, counted from 0: an .npy file of whole numbers, or a text file with one a line."""
    try:
        if Path(name).suffix == ".npy":
            rows = np.load(name, allow_pickle=False)
        else:
            rows = np.array([int(line) for line in Path(name).read_text(encoding="utf-8").split()])
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


COMMANDS = {
    "corpus subset": Command(subset, show_subset),
    "selections list": Command(selections, show_selections),
    "selections show": Command(show, show_one),
    "selections delete": Command(delete, show_one),
    "selections export": Command(export, show_one),
}
