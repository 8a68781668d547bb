"""From files to an evaluation set: which columns each kind needs, and what is wrong with a row, in a sentence."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa
from pydantic import Field

from embedlab.config import validated
from embedlab.corpora.evaluation_sets import EvaluationSet, SetDraft, store_set, strings
from embedlab.corpora.files import read_table
from embedlab.corpora.names import ANCHOR_NAMES, POSITIVE_NAMES, SCORE_NAMES
from embedlab.corpora.notes import Note, notes_of
from embedlab.corpora.pairs.judgements import is_judged, judgement_in
from embedlab.corpora.reading_report import ReadingReport, ReadOptions
from embedlab.corpora.retrieval.layouts import RetrievalFiles, files_beside, unpacked_if_zip
from embedlab.corpora.retrieval.queries import (
    Judged,
    RetrievalTables,
    is_of_queries,
    judgements_of,
    queries_draft,
    with_names,
)
from embedlab.corpora.set_cells import column_called, listed_texts, rows_left_out, rows_of_split, texts_of
from embedlab.corpora.tables import Table, require_columns
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent

SHAPES = (
    "pairs: sentence1, sentence2 and score or is_paraphrase (true, false, empty for undecided)",
    "queries: query, doc_ids (a list, or one a row) and perhaps gain or grades, with a documents file: doc_id, text",
    "judgements: query-id, corpus-id and score, or TREC's four columns, with files of queries and of documents",
    "candidates: query, positive and negative (lists of texts)",
)


class SetReading(ReadOptions):
    """What the user says about an evaluation set; what is left out is proposed from names and content."""

    documents: str | None = Field(None, description="The file of the texts that queries search.")
    queries: str | None = Field(None, description="The file of the texts of queries, beside a file of judgements.")
    split: str | None = Field(None, description="Rows whose column split has this value, or judgements of this split.")
    anchor: str | None = Field(None, description="The column of the first texts of pairs.")
    positive: str | None = Field(None, description="The column of the texts that are compared with them.")
    score: str | None = Field(None, description="The column that says how alike both are.")
    scale: tuple[float, float] | None = Field(None, description="Lowest and highest score; found if not given.")
    own: Literal["leave", "keep"] | None = Field(None, description="Whether a query may find itself.")
    name: str = Field("", description="What the set is called.")


def read_set(
    path: str, *, usual: tuple[str, ...] = ("test",), file_name: str = "", progress: Progress = silent, **reading
) -> EvaluationSet:
    """Read, check and store the set that a file, or a folder as BEIR keeps them, holds.

    ``reading``: fields of ``SetReading``. Without ``split`` the first of the ``usual`` values that is there.
    ``file_name`` is what the user calls the file of an upload.
    """
    asked = validated(SetReading, reading)
    place = Path(path).expanduser()
    file_name = file_name or place.name
    name = asked.name or Path(file_name).stem
    with unpacked_if_zip(place, file_name) as folder:
        file, table, split, paths = _rows(place, folder, asked, usual, progress, file_name)
        name += f", {split}" if split not in (None, "", "test") else ""
        if folder is not None or is_of_queries(file):
            tables = _beside(place, folder, paths, file, asked, name, progress)
            draft = queries_draft(tables, table, name=name, own=asked.own)
        elif {"query", "positive", "negative"} <= set(file.columns.column_names) and not asked.score:
            draft = _candidates(file, table, name)
        else:
            draft = _pairs(file, table, asked, name)
    draft.source = file_name
    draft.notes[:0] = file.notes
    return store_set(draft)


def read_judgements(path: str, *, progress: Progress = silent, **reading) -> tuple[Judged, ReadingReport]:
    """The judgements of a file or folder alone, without the texts; ``reading`` as of ``read_set``."""
    asked, place = validated(SetReading, reading), Path(path).expanduser()
    with unpacked_if_zip(place, place.name) as folder:
        file, rows, *_ = _rows(place, folder, asked, ("test",), progress, place.name)
    if not is_of_queries(file):
        raise CorpusError("E-SET-COLUMNS", f"{place.name!r} holds no judgements. Needed are {SHAPES[2]}.")
    judged = judgements_of(rows, place.name)
    return judged, file.report.having(columns=judged.roles)


def read_ranking(path: str, *, progress: Progress = silent) -> tuple[dict[str, dict[str, float]], ReadingReport]:
    """A run file of TREC: the score of each document that was ranked for a query, by their ids."""
    place = Path(path).expanduser()
    table = with_names(read_table(place, SetReading(), progress).sound(SetReading()), ranks=True)
    if not {"rank", "tag"} <= set(table.columns.column_names):
        message = f"{place.name!r} is no run file of TREC: query, Q0, document, rank, score and tag in each row."
        raise CorpusError("E-RANKING", message)
    scores: dict[str, dict[str, float]] = {}
    columns = (table.columns.column(name).to_pylist() for name in ("query-id", "corpus-id", "score"))
    for query, document, score in zip(*columns, strict=True):
        scores.setdefault(query, {})[document] = float(score)
    return scores, table.report.having(rows=len(table.columns))


def _rows(
    place: Path, folder: RetrievalFiles | None, asked: SetReading, usual: Sequence[str], progress: Progress, name: str
) -> tuple[Table, pa.Table, str | None, list[Path]]:
    """A file or the judgements of a folder; their rows of the split, which split that is, which files of the folder."""
    if folder is None:
        # with names there may be more that speaks against the reading
        file = with_names(read_table(place, asked, progress, name=name).sound(asked)).sound(asked)
        return file, *rows_of_split(file, asked.split, usual, asked.name or Path(name).stem), []
    split, paths = folder.of_split(asked.split, usual)
    file = with_names(folder.joined(paths, asked, progress)).sound(asked)
    file.report = file.report.having(format=f"{folder.format}, {file.report.format}")
    return file, rows_of_split(file, None, (), name)[0], split, paths


def _beside(
    place: Path, folder: RetrievalFiles | None, qrels: list[Path], file: Table, asked: SetReading, name: str, progress
) -> RetrievalTables:
    """The judgements with their documents and queries: those that are named, else those of the folder they lie in."""
    named = [each and read_table(Path(each).expanduser(), asked, progress).sound(asked)
             for each in (asked.documents, asked.queries)]  # fmt: skip
    has_texts = "query" in {column.casefold() for column in file.columns.column_names}
    if named[0] is not None and (named[1] is not None or has_texts):
        return RetrievalTables(file, *named)
    folder = folder or files_beside(place)
    if folder is None or not (folder.queries or has_texts or named[1]):
        has_documents = folder is not None or named[0] is not None
        needed = "their texts (--queries)" if has_documents else "the documents they search (--documents)"
        message = f"{name!r} holds queries or judgements of them; {needed} are needed too. Name their file."
        raise CorpusError("E-DOCUMENTS", message)
    documents = named[0] or folder.joined(folder.documents, asked, progress)
    queries = named[1] or (folder.joined(folder.queries, asked, progress) if folder.queries and not has_texts else None)
    return RetrievalTables(file, documents, queries, (folder.sentence(qrels),))


def _pairs(file: Table, table: pa.Table, asked: SetReading, name: str) -> SetDraft:
    require_columns((asked.anchor, asked.positive, asked.score), file.columns.column_names, name)
    first = asked.anchor or column_called(table, ANCHOR_NAMES, [asked.positive, asked.score])
    second = asked.positive or column_called(table, POSITIVE_NAMES, [first, asked.score])
    names = [column for column in file.columns.column_names if column not in (first, second)]
    called = [column for column in names if column.casefold() in SCORE_NAMES]
    judging = sorted(called, key=lambda column: SCORE_NAMES.index(column.casefold()))
    judging = [column for column in judging if is_judged(table, column)]
    if "is_paraphrase" in called:
        judging = [*(column for column in judging if column == "score"), "is_paraphrase"]
    judging = [asked.score] if asked.score else judging or called[:1]
    if first is None or second is None or not judging:
        found = ", ".join(file.columns.column_names[:12])
        raise CorpusError("E-SET-COLUMNS", f"{name!r} has the columns {found}. Needed are {'; or '.join(SHAPES)}.")
    one, other = texts_of(table, first), texts_of(table, second)
    kept = [row for row in range(len(table)) if one[row] and other[row]]
    lefts = rows_left_out(table, range(len(table)), "one of the two texts is empty", but=kept)
    notes, remarks, roles, serves, scale = [], [], {"texts": (first, second)}, [], None
    columns: dict[str, list] = {"score": [None] * len(table), "same": [None] * len(table)}
    for column in judging:
        try:
            is_score = column.casefold() != "is_paraphrase" and (asked.score or column == judging[0])
            scaled = asked.scale if is_score else None
            judged = judgement_in(table, column, texts=(first, second), name=name, scale=scaled)
        except CorpusError as error:
            if asked.scale is not None or "is_paraphrase" not in judging or column == "is_paraphrase":
                raise
            notes.append(Note(code="W-SCORE", message=f"The column {column} is not used. {error.message}"))
            continue
        if judged.kind == "nli" or judged.kind in roles:
            remarks.append(f"not used: {column!r} (--score names another column)")
            continue
        roles[judged.kind] = column
        scale = judged.scale if judged.kind == "score" else scale
        remarks += [judged.remark] if judged.remark and judged.kind == "score" else []
        values = judged.values
        columns[judged.kind] = values if judged.kind == "score" else [None if v is None else v == 1 for v in values]
        unjudged = (row for row in kept if values[row] is None)
        reason = "no score" if judged.kind == "score" else "undecided, and no part of average precision"
        lefts += rows_left_out(table, unjudged, reason)
    if sum(columns["score"][row] is not None for row in kept) >= 3:
        serves.append("sts")
    if {True, False} <= {columns["same"][row] for row in kept}:
        serves.append("paraphrase")
    if not serves:
        nli = "" if set(roles) > {"texts"} else f" ({judging[0]!r} holds NLI labels, which are no scores)"
        raise CorpusError(
            "E-SET-EMPTY",
            f"{name!r} needs at least 3 scored pairs, or pairs that say the same and pairs that do not, but has "
            f"{len(kept):,} pairs that are neither{nli}. Choose another file, split or column (--score).",
        )
    schema = {"sentence1": pa.large_string(), "sentence2": pa.large_string(), "score": pa.float64(), "same": pa.bool_()}
    columns |= {"sentence1": one, "sentence2": other}
    made = pa.table({each: pa.array([columns[each][row] for row in kept], kind) for each, kind in schema.items()})
    report = file.report.having(
        columns={{"same": "yes or no"}.get(role, role): column for role, column in roles.items()},
        scale=scale,
        left_out=(*file.report.left_out, *lefts),
        remarks=(*file.report.remarks, *remarks),
    )
    return SetDraft(name, "", "pairs", tuple(serves), {"pairs": made}, notes, report)


def _candidates(file: Table, table: pa.Table, name: str) -> SetDraft:
    names, texts, rows = ["query", "positive", "negative"], texts_of(table, "query"), range(len(table))
    sides = [[listed_texts(table, side, row, name) for row in rows] for side in names[1:]]
    kept = [row for row in rows if texts[row]]
    queries, positive, negative = ([column[row] for row in kept] for column in (texts, *sides))
    whole = sum(bool(yes and no) for yes, no in zip(positive, negative, strict=True))
    if whole == 0:
        raise CorpusError(
            "E-NO-RELEVANT",
            f"Reranking needs queries with positive and negative texts, but none of the {len(queries):,} of "
            f"{name!r} has both. Choose another file.",
        )
    skipped = f"{len(queries) - whole:,} queries lack positive or negative texts and are skipped."
    notes = notes_of({"W-ONE-SIDED": skipped} if whole < len(queries) else {})
    lists = [pa.array(each, pa.list_(pa.large_string())) for each in (positive, negative)]
    made = pa.table([strings(queries), *lists], names=names)
    empty = rows_left_out(table, rows, "no query", but=kept)
    report = file.report.having(columns={each: each for each in names}, left_out=(*file.report.left_out, *empty))
    return SetDraft(name, "", "candidates", ("reranking",), {"candidates": made}, notes, report)
