"""Selections: named groups of a corpus's texts, kept in the store, from a lasso, a search or a list.

As a table, and as a corpus of their own.
"""

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.corpora.names import unique_names
from embedlab.corpora.notes import notes_of
from embedlab.corpora.stored.draft import ROLE_COLUMNS
from embedlab.corpora.stored.shelf import FINGERPRINT
from embedlab.damage import read_array, read_model_if_whole, read_table
from embedlab.errors import CorpusError
from embedlab.numbers import counted
from embedlab.plain_text import clean_name
from embedlab.runs.state import now
from embedlab.runs.store import names_in, new_id
from embedlab.store_root import UnreadableFile, atomic_write, store_root, write_json
from embedlab.trash import move_to_trash
from embedlab.update import changing

SCHEMA: Final = 1
NAME_CHARACTERS = 80
_ID = re.compile(r"[0-9a-z]{13}")
_DAMAGED = "The selection {} cannot be read: {} in the store's folder selections is missing or damaged. Delete it."


@dataclass(frozen=True)
class LassoOrigin:
    """The lasso that a selection was made with: the run, side and method of its map, and its vertices."""

    run: str
    side: str
    method: str
    polygon: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Selection:
    """The contents of ``<id>.json``; rows are stored beside it. They do not change when the map is redrawn."""

    schema: Literal[1]
    id: str
    name: str
    corpus: str  # the fingerprint: a corpus that was read again does not know it
    texts: int
    content: str  # a digest of the rows: the same texts are kept once
    created: str
    drawn: LassoOrigin | None = None


def keep(corpus: Corpus, name: str, rows: Sequence[int] | np.ndarray, *, drawn: LassoOrigin | None = None) -> Selection:
    """Store these corpus rows under a name; equal rows give the existing selection.

    rows: (selected,) in any order, rows without a text are left out; a name that is taken becomes ``name (2)``.
    """
    chosen = np.unique(np.asarray(rows, dtype=np.int64).reshape(-1))
    if len(chosen) and (chosen[0] < 0 or chosen[-1] >= corpus.info.rows):
        wrong = chosen[0] if chosen[0] < 0 else chosen[-1]
        message = f"Row {wrong:,} was requested, but corpus {corpus.name!r} has the rows 0 to {corpus.info.rows - 1:,}."
        raise CorpusError("E-ROWS", f"{message} Choose rows of this corpus.")
    chosen = chosen[~corpus.excluded[chosen]]
    if not len(chosen):
        raise CorpusError("E-NO-TEXTS", "A selection needs at least one text, but none was chosen. Choose some texts.")
    content = content_of(chosen)
    with changing(_folder()):
        existing = list_selections(corpus.fingerprint)
        same = next((each for each in existing if each.content == content), None)
        if same is not None:
            return same
        (name,) = unique_names([tidy_name(name, len(chosen))], taken=[each.name for each in existing])
        made = Selection(SCHEMA, new_id(), name, corpus.fingerprint, len(chosen), content, now(), drawn)
        with atomic_write(_rows_file(made.id)) as temporary, open(temporary, "wb") as file:
            np.save(file, chosen, allow_pickle=False)
        _write(made)  # last: a selection is there once its JSON is
        return made


def list_selections(corpus: str | None = None) -> list[Selection]:
    """The stored selections of this corpus (default: all), newest first; unreadable ones are skipped."""
    return [each for each in _stored().values() if each is not None and corpus in (None, each.corpus)]


def open_selection(selection_id: str) -> Selection:
    """The selection with this id."""
    selection = _read(selection_id) if _ID.fullmatch(selection_id) else None
    if selection is not None:
        return selection
    if _ID.fullmatch(selection_id) and os.path.lexists(_facts_file(selection_id)):
        raise CorpusError("E-SELECTION", _DAMAGED.format(selection_id, _facts_file(selection_id).name))
    newest = ", ".join(f"{each.id} ({each.name})" for each in list_selections()[:5])
    choices = f"Stored: {newest}." if newest else "None is stored yet."
    raise CorpusError("E-SELECTION", f"There is no selection with the id {selection_id!r}. {choices}")


def damaged_selections() -> dict[str, str]:
    """A sentence for each unreadable selection, by its id."""
    damaged = [each for each, selection in _stored().items() if selection is None]
    return {each: _DAMAGED.format(each, f"{each}.json") for each in sorted(damaged)}


def _stored() -> dict[str, Selection | None]:
    """Every selection by its id, newest first; None for an unreadable one."""
    ids = (name.removesuffix(".json") for name in names_in(_folder()) if name.endswith(".json"))
    return {each: _read(each) for each in sorted(filter(_ID.fullmatch, ids), reverse=True)}


def rows_of(selection: Selection) -> np.ndarray:
    """Its corpus rows in file order.  -> (texts,) int64"""
    file = _rows_file(selection.id)
    damaged = CorpusError("E-SELECTION", _DAMAGED.format(repr(selection.name), file.name))
    try:
        rows = read_array(file, dimensions=1)
    except UnreadableFile:
        raise damaged from None
    if rows.dtype != np.int64 or content_of(rows) != selection.content:
        raise damaged
    return rows


def rename(selection: Selection, name: str) -> Selection:
    """The selection under a new name."""
    with changing(_folder()):
        others = [each.name for each in list_selections(selection.corpus) if each.id != selection.id]
        (name,) = unique_names([tidy_name(name, selection.texts)], taken=others)
        renamed = replace(open_selection(selection.id), name=name)
        _write(renamed)
        return renamed


def delete(selection: Selection) -> None:
    """Move it to the trash; corpora made from it stay. Deleting a missing one is no error."""
    with changing(_folder()):
        files = [file for file in (_facts_file(selection.id), _rows_file(selection.id)) if os.path.lexists(file)]
        if files:
            move_to_trash("selection", selection.name, files)


def content_of(rows: np.ndarray) -> str:
    """A digest of row numbers in file order: equal if the texts are the same. rows: (selected,)"""
    return hashlib.blake2b(np.ascontiguousarray(rows, "<i8").tobytes(), digest_size=12).hexdigest()


def tidy_name(name: str, texts: int) -> str:
    """The typed name on one line of at most 80 characters, or ``312 texts`` if empty."""
    return " ".join(clean_name(name).split())[:NAME_CHARACTERS].strip() or counted(texts, "text")


def _read(selection_id: str) -> Selection | None:
    selection = read_model_if_whole(_facts_file(selection_id), Selection)
    if selection is None or selection.id != selection_id or not FINGERPRINT.fullmatch(selection.corpus):
        return None
    return selection


def _write(selection: Selection) -> None:
    write_json(_facts_file(selection.id), asdict(selection))


def _folder() -> Path:
    return store_root() / "selections"


def _facts_file(selection_id: str) -> Path:
    return _folder() / f"{selection_id}.json"


def subset(corpus: Corpus, rows: np.ndarray, *, name: str, chosen_by: str = "") -> Corpus:
    """Store these rows as a corpus of their own, in file order; all rows give the same corpus.

    rows: (chosen,) corpus rows; those without a text are left out. ``chosen_by``: how they were chosen, for the note.
    """
    chosen = np.unique(np.asarray(rows, np.int64))
    chosen = chosen[(chosen >= 0) & (chosen < corpus.info.rows)]
    chosen = chosen[~corpus.excluded[chosen]]
    if not len(chosen):
        raise CorpusError("E-NO-TEXTS", f"None of the chosen rows of {corpus.name!r} has a text. Choose others.")
    table = read_table(corpus.folder / "corpus.parquet").take(pa.array(chosen))
    roles = {role: table.column(role).to_pylist() for role in ROLE_COLUMNS if role in table.column_names}
    by = f", {chosen_by}" if chosen_by else ""
    messages = {"I-SUBSET": f"{len(chosen):,} of {corpus.info.texts:,} texts of {corpus.name}{by}."}
    if corpus.made_summaries is not None:
        anew = "summarize these texts again"
        messages["I-SUMMARIES"] = f"The summaries made in the app stay with that corpus; {anew}."
    draft = Draft(
        name=name,
        source=f"{len(chosen):,} of {corpus.info.texts:,} texts of {corpus.fingerprint}",
        texts=roles["text"],
        labels=roles.get("label"),
        titles=roles.get("title"),
        summaries=roles.get("summaries"),
        columns={each: table.column(each) for each in table.column_names if each not in ROLE_COLUMNS},
        roles=corpus.info.roles,
        unlabeled=corpus.info.unlabeled,
        notes=notes_of(messages),
        licence=corpus.info.licence,
        versions=corpus.info.versions,
    )
    return store_corpus(draft)


def _rows_file(selection_id: str) -> Path:
    return _folder() / f"{selection_id}.npy"


def texts_table(corpus: Corpus, rows: np.ndarray) -> pa.Table:
    """These rows with every column of the corpus: row, title, text, label and further columns."""
    columns = {"row": pa.array(np.asarray(rows), pa.int64())}
    if corpus.titles is not None:
        columns["title"] = _taken(corpus.titles, rows)
    columns["text"] = _taken(corpus.texts, rows)
    if corpus.labels is not None:
        columns["label"] = _taken(corpus.labels, rows)
    for name in corpus.info.columns:
        columns[name if name not in columns else f"{name} (column)"] = _taken(corpus.column(name), rows)
    return pa.table(columns)


def _taken(values: Sequence | np.ndarray, rows: np.ndarray) -> pa.Array:
    return pa.array([values[row] for row in rows])
