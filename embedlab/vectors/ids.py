"""Joins a file of vectors with a corpus: by an id that both have, otherwise by row."""

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel

from embedlab.errors import CorpusError
from embedlab.numbers import joined

ROW, ORDER = "row", "order"  # by row numbers (a column of them, else the order); by the order, whatever columns say
ID_NAMES = tuple(
    "id _id ids doc_id docid document_id text_id textid sentence_id paper_id item_id corpus_id "
    "uuid guid pid key".split()
)
COUNTER_NAMES = ("index", "idx", "row", "row_id", "rowid", "unnamed: 0", "__index_level_0__", "column 1")
COUNTS_ROWS = {"embedlab.id": ROW}  # metadata of a Parquet file of ours whose column id holds row numbers
_OTHERWISE = (
    f"Or join them differently: by row numbers from 0, by the corpus's order or by a column (--vector-ids {ROW}, "
    f"{ORDER} or COLUMN)."
)
_NUMBERS = r"^-?(0|[1-9][0-9]*)(\.0+)?$"  # not 007: leading zeros are part of an id
_UUIDS = r"^\{?[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\}?$"


def is_id_name(column: str) -> bool:
    """Whether the column has a usual name for ids."""
    return column.casefold() in ID_NAMES or column.casefold() in COUNTER_NAMES


@dataclass(frozen=True)
class IdColumns:
    """The columns of a file or corpus that could be ids; each is read on demand."""

    name: str
    rows: int
    columns: tuple[str, ...]
    read: Callable[[str], pa.Array | pa.ChunkedArray | Sequence]
    text: str | None = None  # of a corpus: its column of texts, by which vectors without ids are joined

    @cached_property
    def usual(self) -> list[str]:
        """The columns with a usual name for ids, the most likely first."""
        order = {name: rank for rank, name in enumerate((*ID_NAMES, *COUNTER_NAMES))}
        return sorted(filter(is_id_name, self.columns), key=lambda name: order[name.casefold()])


class JoinedFile(BaseModel):
    """How a file of vectors was joined with a corpus."""

    by: str = ""  # "column id", "row numbers in column id" or "row order"
    texts: int = 0  # that have a vector
    of: int = 0  # texts of the corpus
    unused: int = 0  # vectors
    sentence: str = ""


@dataclass(frozen=True)
class VectorJoin:
    """A join of a file of vectors with a corpus."""

    rows: np.ndarray  # (rows of the file,) corpus row, -1 where a vector belongs to no text
    summary: JoinedFile


def joined_rows(file: IdColumns, corpus: IdColumns, text_rows: np.ndarray, *, by: str | None, gaps: bool) -> VectorJoin:
    """Join a file with the texts of a corpus; ``text_rows`` (texts,) are its non-empty rows.

    ``by``: a column of the file, ``row`` or ``order``; None: a column that both have, by its name and values, else the
    texts, else row numbers in a column id, else the order, which a column of the texts must agree with.
    With ``gaps`` a text may go without a vector; else that is refused.
    """
    failed: tuple[str, _Match] | None = None
    for ours, theirs in _pairs(file, corpus, by):
        match = _match(file, ours, corpus, theirs, text_rows)
        if match.problem is None:
            return _result(f"column {ours}" + (f" (corpus: {theirs})" if ours != theirs else ""), match.rows, text_rows)
        is_meant = by is not None or (ours in file.usual and (ours.casefold() == theirs.casefold() or match.overlaps))
        failed = failed or ((ours, match) if is_meant else None)
    if failed is not None:
        ours, match = failed
        if gaps and match.overlaps and match.is_unique:
            return _result(f"column {ours}", match.rows, text_rows)
        raise CorpusError("E-ROWS", f"{match.problem} {_OTHERWISE}")
    return _by_row_or_counter(file, corpus, text_rows, by=by, gaps=gaps)


def _by_row_or_counter(
    file: IdColumns, corpus: IdColumns, text_rows: np.ndarray, *, by: str | None, gaps: bool
) -> VectorJoin:
    """Join by row; refused if a column that may hold ids, or a counter, would join other texts."""
    pairs = [(a, b) for a in file.usual for b in corpus.usual] if by is None else []
    matches = ((ours, theirs, _match(file, ours, corpus, theirs, text_rows)) for ours, theirs in pairs)
    whole = [(ours, theirs, match.rows) for ours, theirs, match in matches if match.problem is None]
    try:
        joined = _by_row(file, corpus, text_rows, by=by, gaps=gaps)
    except CorpusError:
        if not whole:
            raise
        ours, theirs, rows = whole[0]
        return _result(f"column {ours} (corpus: {theirs})", rows, text_rows)
    is_text = _is_in(text_rows, corpus.rows)
    for ours, theirs, rows in whole:
        by_column, by_row = (np.where((each >= 0) & is_text[each], each, -1) for each in (rows, joined.rows))
        if not np.array_equal(by_column, by_row):
            raise CorpusError(
                "E-ROWS",
                f"Column {ours!r} of {file.name!r} could be column {theirs!r} of the corpus {corpus.name!r}, or only "
                f"row numbers, and these join different texts. Specify which: --vector-ids {ours}, {ROW} or {ORDER}.",
            )
    return joined


def _result(by: str, rows: np.ndarray, text_rows: np.ndarray) -> VectorJoin:
    """``Joined by column id: 90 of 90 texts.``"""
    texts, of, unused = int(np.isin(text_rows, rows).sum()), len(text_rows), int((rows < 0).sum())
    more = f"; {unused:,} further {'vector is' if unused == 1 else 'vectors are'} not used" if unused else ""
    sentence = f"Joined by {by}: {texts:,} of {of:,} texts{more}."
    return VectorJoin(rows, JoinedFile(by=by, texts=texts, of=of, unused=unused, sentence=sentence))


def _pairs(file: IdColumns, corpus: IdColumns, by: str | None) -> list[tuple[str, str]]:
    """Pairs of columns to try in turn: equal names, usual ones first, then differing usual names."""
    if by in (ROW, ORDER):
        return []
    spelled = {each.casefold(): each for each in corpus.columns}
    if by is not None:
        if by not in file.columns:
            there = ", ".join(map(repr, file.columns)) or "none that could be ids"
            raise CorpusError("E-COLUMN", f"{file.name!r} has no column {by!r} to join by. Columns: {there}.")
        spelled = dict.fromkeys(map(str.casefold, _texts(file, corpus)), str(corpus.text)) | spelled
        theirs = [spelled[by.casefold()]] if by.casefold() in spelled else corpus.usual
        if not theirs:
            raise CorpusError(
                "E-ROWS", f"Corpus {corpus.name!r} has no column of ids to join with {by!r}. {_OTHERWISE}"
            )
        return [(by, each) for each in theirs]
    others = [each for each in file.columns if each not in file.usual]
    same = [(each, spelled[each.casefold()]) for each in [*file.usual, *others] if each.casefold() in spelled]
    ids, theirs = ([each for each in side.usual if each.casefold() in ID_NAMES] for side in (file, corpus))
    differing = ((a, b) for a in ids for b in theirs if a.casefold() != b.casefold())
    return [*same, *differing, *((each, str(corpus.text)) for each in _texts(file, corpus))]


def _texts(file: IdColumns, corpus: IdColumns) -> list[str]:
    """The columns of a file that may hold the corpus's texts."""
    names = {"text", "sentence", "document", (corpus.text or "").casefold()} if corpus.text is not None else set()
    return [each for each in file.columns if each.casefold() in names]


def _require_same_texts(file: IdColumns, corpus: IdColumns) -> None:
    """Refuse the order of a file whose texts stand in other rows of the corpus."""
    for column in _texts(file, corpus):
        of_file, of_corpus = id_keys(file.read(column)), id_keys(corpus.read(str(corpus.text)))
        moved = pc.and_(pc.is_in(of_file, value_set=pc.drop_null(of_corpus)), pc.not_equal(of_file, of_corpus))
        if (row := pc.index(pc.fill_null(moved, False), True).as_py()) >= 0:
            raise CorpusError(
                "E-ROWS",
                f"Row {row + 1:,} of {file.name!r} holds the text of another row of {corpus.name!r} in column "
                f"{column!r}, and the texts do not join all rows. Add the corpus's column of ids. {_OTHERWISE}",
            )


@dataclass(frozen=True)
class _Match:
    rows: np.ndarray
    overlaps: bool
    is_unique: bool
    problem: str | None


def _match(file: IdColumns, ours: str, corpus: IdColumns, theirs: str, text_rows: np.ndarray) -> _Match:
    """The corpus row of each row of the file by two columns, and what is wrong with that join."""
    of_file, of_corpus = id_keys(file.read(ours)), id_keys(corpus.read(theirs))
    if file.rows == corpus.rows and of_file.equals(of_corpus) and of_file.null_count < len(of_file):
        return _Match(np.arange(file.rows), True, True, None)  # one file, or its rows: also where ids repeat
    text_ids = of_corpus.take(pa.array(text_rows))
    position = np.asarray(pc.fill_null(pc.index_in(of_file, value_set=text_ids, skip_nulls=True), -1))
    rows = np.where(position >= 0, text_rows[position], -1)
    rows[np.asarray(pc.is_null(of_file))] = -1
    missing = text_rows[~np.isin(text_rows, rows)]
    twice_here = _repeated(of_file, rows >= 0)
    twice_there = _repeated(of_corpus, _is_in(text_rows, corpus.rows))
    problem: str | None = None
    if not (rows >= 0).any():
        problem = (
            f"No value of column {ours!r} of {file.name!r} ({_some(of_file)}) is in column {theirs!r} of the corpus "
            f"{corpus.name!r} ({_some(of_corpus)})."
        )
    elif twice_there is not None:
        problem = f"Ids must be unique, but column {theirs!r} of {corpus.name!r} has {twice_there}."
    elif twice_here is not None:
        problem = f"Ids must be unique, but column {ours!r} of {file.name!r} has {twice_here}. Keep one."
    elif len(missing):
        first = of_corpus[int(missing[0])].as_py()
        named = f"id {first!r}" if first is not None else "which has no id"
        problem = (
            f"Every text of {corpus.name!r} needs a vector, but {file.name!r} has none for {len(missing):,} of "
            f"{len(text_rows):,} texts by column {ours!r}; the first is row {missing[0] + 1:,} ({named}). "
            "Add them, or use a corpus without these texts."
        )
    return _Match(rows, bool((rows >= 0).any()), twice_here is None and twice_there is None, problem)


def _by_row(file: IdColumns, corpus: IdColumns, text_rows: np.ndarray, *, by: str | None, gaps: bool) -> VectorJoin:
    """Join by a column of row numbers, counted from 0, if there is one; otherwise in the corpus's order."""
    for column in [] if by == ORDER else file.usual:
        rows, problem = _row_numbers(file, column, corpus)
        if rows is None:
            if problem and (by == ROW or column.casefold() == "id"):
                raise CorpusError("E-ROWS", f"{problem} {_OTHERWISE}")
            continue
        missing = text_rows[~np.isin(text_rows, rows)]
        if len(missing) and not gaps:
            if by is None and column.casefold() != "id":
                continue
            raise CorpusError(
                "E-ROWS",
                f"Every text of {corpus.name!r} needs a vector, but {file.name!r} has none for {len(missing):,} of "
                f"{len(text_rows):,} texts by its row numbers in column {column!r}; the first is row "
                f"{missing[0] + 1:,}, number {missing[0]:,}. {_OTHERWISE}",
            )
        return _result(
            f"row numbers in column {column}", np.where(_is_in(text_rows, corpus.rows)[rows], rows, -1), text_rows
        )
    if file.rows != corpus.rows:
        raise CorpusError(
            "E-ROWS",
            f"One row per row of the corpus is needed, {corpus.rows:,}, but {file.name!r} has {file.rows:,}. Embed the "
            "same file with its empty rows, or add the corpus's column of ids, or a column id with the row numbers, "
            "counted from 0.",
        )
    if by is None:
        _require_same_texts(file, corpus)
    unread = [each for each in file.usual if each.casefold() in ID_NAMES] if by is None else []
    order = f"row order (column {unread[0]} is not in the corpus)" if unread else "row order"
    return _result(order, np.arange(file.rows), text_rows)


def _row_numbers(file: IdColumns, column: str, corpus: IdColumns) -> tuple[np.ndarray | None, str]:
    """Corpus rows from a column; None and the reason if they are invalid ("" if it holds no integers)."""
    keys = id_keys(file.read(column))
    if not _all_match(keys, r"^-?(0|[1-9][0-9]*)$"):
        return None, ""
    if keys.null_count:
        empty = np.flatnonzero(np.asarray(pc.is_null(keys)))[0]
        problem = f"must have a row number of the corpus in each row, but row {empty + 1:,} of {file.name!r} is empty."
        return None, f"Column {column!r} {problem}"
    numbers = np.array([int(key) if len(key) < 19 else -1 for key in keys.to_pylist()], np.int64)
    outside = np.flatnonzero((numbers < 0) | (numbers >= corpus.rows))
    if len(outside):
        return None, (
            f"Corpus {corpus.name!r} has no such ids, so column {column!r} holds its row numbers, "
            f"0 … {corpus.rows - 1:,}, but row {outside[0] + 1:,} of {file.name!r} has {keys[int(outside[0])]}."
        )
    twice = _repeated(keys, np.ones(len(keys), bool))
    if twice is not None:
        problem = f"must have each row of the corpus once, but {file.name!r} has {twice}. Keep one."
        return None, f"Column {column!r} {problem}"
    return numbers, ""


def id_keys(values: pa.Array | pa.ChunkedArray | Sequence) -> pa.Array:
    """Ids as strings that are equal if the ids are: 7, 7.0 and '7', but not '007'; UUIDs in any notation.

    An id that is empty or not a number is null.  (rows,) -> (rows,)
    """
    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    kind = array.type
    if pa.types.is_dictionary(kind):
        return id_keys(array.dictionary_decode())
    if pa.types.is_nested(kind):  # as a corpus keeps them: MongoDB's {"$oid": …}
        return _as_strings(array.to_pylist(), lambda each: json.dumps(each, ensure_ascii=False, default=str))
    if pa.types.is_floating(kind):
        numbers = np.asarray(array.to_numpy(zero_copy_only=False), np.float64).tolist()
        cells = (None if np.isnan(number) else number for number in numbers)
        return id_keys(_as_strings(cells, lambda each: str(int(each)) if each.is_integer() else repr(each)))
    if pa.types.is_fixed_size_binary(kind) and kind.byte_width == 16:
        return id_keys(_as_strings(array.to_pylist(), lambda each: str(uuid.UUID(bytes=each))))
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        array = _as_strings(array.to_pylist(), lambda each: each.decode("utf-8", "backslashreplace"))
    keys = pc.utf8_trim_whitespace(array.cast(pa.string()))
    keys = pc.if_else(pc.equal(keys, ""), pa.scalar(None, pa.string()), keys)
    if _all_match(keys, _NUMBERS):
        return pc.replace_substring_regex(keys, r"\.0+$", "")
    if _all_match(keys, _UUIDS):
        return pc.utf8_lower(pc.replace_substring_regex(keys, r"[-{}]", ""))
    return keys


def _as_strings(cells: Iterable[Any], written: Callable[[Any], str]) -> pa.Array:
    return pa.array([None if each is None else written(each) for each in cells], pa.string())


def _all_match(keys: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(keys, pattern)).as_py())  # of none at all: True, and nothing to change


def _repeated(keys: pa.Array, among: np.ndarray) -> str | None:
    """``'x' in rows 4 and 9``: the first id that occurs twice among these rows, or None."""
    rows = np.flatnonzero(among & ~np.asarray(pc.is_null(keys)))
    codes = np.asarray(pc.index_in(keys, value_set=pc.unique(keys)))[rows] if len(rows) else rows
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    if not (counts > 1).any():
        return None
    at = np.sort(first[counts > 1])[0]
    again = rows[np.flatnonzero(codes == codes[at])[:3]] + 1
    total = int((counts > 1).sum())
    more = f", and {total - 1:,} further ids more than once" if total > 1 else ""
    return f"{keys[int(rows[at])].as_py()!r} in rows {joined([f'{row:,}' for row in again])}{more}"


def _some(keys: pa.Array) -> str:
    return ", ".join(str(each) for each in pc.drop_null(keys)[:3].to_pylist()) + " …" if len(keys) else "none"


def _is_in(rows_in: np.ndarray, rows: int) -> np.ndarray:
    mask = np.zeros(rows, bool)
    mask[rows_in] = True
    return mask
