"""From files to an evaluation set: which columns each kind needs, and what is wrong with a row, in a sentence."""

from pathlib import Path

import pyarrow as pa

from embedlab.copies import normalised
from embedlab.corpora.evaluation_sets import EvaluationSet, SetDraft, store_set, strings
from embedlab.corpora.files import read_table
from embedlab.corpora.notes import Note
from embedlab.corpora.set_cells import ROW, list_of, listed_texts, number_of, place_of, scores_of, texts_of, truths_of
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent

SCALE = (0.0, 5.0)  # of scores, where the user names no other: STS's own
SHAPES = (
    "pairs: sentence1, sentence2 and score (0 to 5) or is_paraphrase (true, false, empty for undecided)",
    "queries: query, doc_ids (a list) and perhaps grades or gain (lists as long), with a documents file: doc_id, text",
    "candidates: query, positive and negative (lists of texts)",
)


def read_set(
    path: str,
    *,
    documents: str | None = None,
    split: str | None = None,
    usual: tuple[str, ...] = ("test",),
    scale: tuple[float, float] | None = None,
    name: str = "",
    file_name: str = "",
    progress: Progress = silent,
) -> EvaluationSet:
    """Read, check and store the set that a file (with ``documents`` beside queries) holds.

    ``split`` keeps the rows whose column ``split`` has that value; the first of the ``usual``
    values that is there by itself.
    ``scale`` is the lowest and the highest score. ``file_name`` is what the user calls the file of an upload.
    """
    file_name = file_name or Path(path).name
    table = _read(path, progress, file_name)
    columns = set(table.column_names)
    table = table.append_column(ROW, pa.array(range(len(table)), pa.int64()))
    shown = name or Path(file_name).stem
    notes: list[Note] = []
    table, chosen = _of_split(table, split, usual, shown, notes)
    shown += f", {chosen}" if chosen not in (None, "test") else ""
    if {"sentence1", "sentence2"} <= columns and columns & {"score", "is_paraphrase"}:
        draft = _pairs(table, scale or SCALE, shown, named=scale is not None)
    elif {"query", "doc_ids"} <= columns:
        draft = _queries(table, _documents(documents, shown, progress), shown)
    elif {"query", "positive", "negative"} <= columns:
        draft = _candidates(table, shown)
    else:
        found = ", ".join([column for column in table.column_names if column != ROW][:12])
        raise CorpusError("E-SET-COLUMNS", f"{shown!r} has the columns {found}. Needed are {'; or '.join(SHAPES)}.")
    draft.source = file_name
    draft.notes[:0] = notes
    return store_set(draft)


def _read(path: str, progress: Progress, name: str = "") -> pa.Table:
    return read_table(Path(path).expanduser(), progress=progress, name=name).columns


def _of_split(table: pa.Table, split: str | None, usual: tuple[str, ...], name: str, notes: list[Note]) -> tuple:
    """The rows of the split, and which it is; None for all."""
    if "split" not in table.column_names:
        if split is not None:
            raise CorpusError(
                "E-COLUMN", f"{name!r} has no column 'split', so {split!r} cannot be chosen. Leave it out."
            )
        return table, None
    values = table.column("split").to_pylist()
    wanted = split or next((each for each in usual if each in values), None)
    if wanted is None:
        return table, None
    kept = [row for row, value in enumerate(values) if value == wanted]
    if not kept:
        there = ", ".join(sorted({str(value) for value in values})[:8])
        raise CorpusError("E-SPLIT", f"No row of {name!r} is of the split {wanted!r}. Choose from: {there}.")
    if len(kept) < len(values):
        message = f"Only the split {wanted!r} is used: {len(kept):,} of {len(values):,} rows."
        notes.append(Note(code="I-SPLIT", message=message))
    return table.take(pa.array(kept, pa.int64())), wanted


def _pairs(table: pa.Table, scale: tuple[float, float], name: str, *, named: bool) -> SetDraft:
    one, other = (texts_of(table, column) for column in ("sentence1", "sentence2"))
    notes, serves = [], []
    judged = truths_of(table, name) if "is_paraphrase" in table.column_names else [None] * len(table)
    scores = scores_of(table, scale, name, needed=named or not any(same is not None for same in judged), notes=notes)
    kept = [row for row in range(len(table)) if one[row] and other[row]]
    if len(kept) < len(table):
        message = f"{len(table) - len(kept):,} pairs with an empty text are left out."
        notes.append(Note(code="W-EMPTY", message=message))
    if sum(scores[row] is not None for row in kept) >= 3:
        serves.append("sts")
    if {True, False} <= {judged[row] for row in kept}:
        serves.append("paraphrase")
        undecided = sum(judged[row] is None for row in kept)
        if undecided:
            message = (
                f"{undecided:,} pairs are undecided (is_paraphrase is empty) and are left out of average precision."
            )
            notes.append(Note(code="I-UNDECIDED", message=message))
    if not serves:
        raise CorpusError(
            "E-SET-EMPTY",
            f"{name!r} needs at least 3 scored pairs, or pairs that say the same and pairs that do not, but has "
            f"{len(kept):,} pairs that are neither. Choose another file or split.",
        )
    made = pa.table(
        {
            "sentence1": strings([one[row] for row in kept]),
            "sentence2": strings([other[row] for row in kept]),
            "score": pa.array([scores[row] for row in kept], pa.float64()),
            "same": pa.array([judged[row] for row in kept], pa.bool_()),
        }
    )
    return SetDraft(name, "", "pairs", tuple(serves), {"pairs": made}, notes)


def _documents(path: str | None, name: str, progress: Progress) -> pa.Table:
    if path is None:
        raise CorpusError(
            "E-DOCUMENTS",
            f"{name!r} holds queries; the texts they search are needed too. Name their file (--documents).",
        )
    table = _read(path, progress)
    if not {"doc_id", "text"} <= set(table.column_names):
        found = ", ".join(table.column_names[:12])
        raise CorpusError("E-SET-COLUMNS", f"A documents file needs doc_id and text, but {path!r} has {found}.")
    return table


def _queries(table: pa.Table, documents: pa.Table, name: str) -> SetDraft:
    """Any grade above 0 is relevant; a ``gain`` list says how much. Unknown and repeated ids are counted."""
    ids = [str(value) for value in documents.column("doc_id").to_pylist()]
    place = {doc: row for row, doc in enumerate(ids)}
    if len(place) < len(ids):
        twice = next(doc for row, doc in enumerate(ids) if place[doc] != row)
        raise CorpusError(
            "E-DOC-ID", f"Each doc_id may stand once in the documents of {name!r}, but {twice!r} is twice."
        )
    texts = texts_of(documents, "text")
    if "title" in documents.column_names:
        texts = [_with_title(title, text) for title, text in zip(texts_of(documents, "title"), texts, strict=True)]
    queries, rows, gains, unknown = [], [], [], 0
    for number, query in enumerate(texts_of(table, "query")):
        relevant: dict[int, float] = {}
        for doc, gain in _judged(table, number, name):
            if doc not in place:
                unknown += 1
            elif gain > 0:
                relevant[place[doc]] = gain
        if query:
            queries.append(query)
            rows.append(list(relevant))
            gains.append(list(relevant.values()))
    notes = []
    if unknown:
        message = f"{unknown:,} judged doc_ids are not among the documents and are left out."
        notes.append(Note(code="W-UNKNOWN-DOCUMENT", message=message))
    without = sum(not found for found in rows)
    if without == len(rows):
        raise CorpusError(
            "E-NO-RELEVANT",
            f"Retrieval needs queries with a relevant text, but none of the {len(rows):,} queries of {name!r} has one. "
            "Check that doc_ids name the documents and that grades are above 0.",
        )
    if without:
        notes.append(
            Note(code="W-NO-RELEVANT", message=f"{without:,} queries have no relevant text: they are dropped.")
        )
    main = pa.table(
        {
            "query": strings(queries),
            "rows": pa.array(rows, pa.list_(pa.int64())),
            "gains": pa.array(gains, pa.list_(pa.float64())),
        }
    )
    return SetDraft(
        name, "", "queries", ("retrieval",),
        {"queries": main, "documents": pa.table({"id": strings(ids), "text": strings(texts)})}, notes,
    )  # fmt: skip


def _judged(table: pa.Table, number: int, name: str) -> list[tuple[str, float]]:
    """The doc_ids of one query with the gain of each."""
    docs = [str(doc) for doc in list_of(table, "doc_ids", number, name)]
    gains: list[float] = [1.0] * len(docs)
    for column, gain_of in (("grades", lambda grade: float(grade > 0)), ("gain", float)):
        if column in table.column_names:
            values = [number_of(value) for value in list_of(table, column, number, name)]
            if len(values) != len(docs) or None in values:
                raise CorpusError(
                    "E-GRADES",
                    f"{column} of {name!r} must be as many numbers as doc_ids, but row {place_of(table, number):,} has "
                    f"{len(values)} for {len(docs)}, or something that is no number. Correct it.",
                )
            gains = [gain_of(value) for value in values]
    return list(zip(docs, gains, strict=True))


def _candidates(table: pa.Table, name: str) -> SetDraft:
    queries, positive, negative = [], [], []
    for number, query in enumerate(texts_of(table, "query")):
        sides = [listed_texts(table, column, number, name) for column in ("positive", "negative")]
        if query:
            queries.append(query)
            positive.append(sides[0])
            negative.append(sides[1])
    whole = sum(bool(yes and no) for yes, no in zip(positive, negative, strict=True))
    if whole == 0:
        raise CorpusError(
            "E-NO-RELEVANT",
            f"Reranking needs queries with positive and negative texts, but none of the {len(queries):,} of "
            f"{name!r} has both. Choose another file.",
        )
    notes = []
    if whole < len(queries):
        message = f"{len(queries) - whole:,} queries lack positive or negative texts and are skipped."
        notes.append(Note(code="W-ONE-SIDED", message=message))
    kind = pa.list_(pa.large_string())
    made = pa.table(
        {"query": strings(queries), "positive": pa.array(positive, kind), "negative": pa.array(negative, kind)}
    )
    return SetDraft(name, "", "candidates", ("reranking",), {"candidates": made}, notes)


def _with_title(title: str, text: str) -> str:
    """Title and text, once, as retrieval benchmarks join them."""
    return text if not title or normalised(text).startswith(normalised(title)) else f"{title} {text}".strip()
