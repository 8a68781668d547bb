"""From queries, documents and judgements to a set that retrieval is measured on, by trec_eval's rules."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import pyarrow as pa

from embedlab.copies import normalised
from embedlab.corpora import names as usual
from embedlab.corpora.evaluation_sets import SetDraft, strings
from embedlab.corpora.notes import CountedRows
from embedlab.corpora.reading_report import left_out
from embedlab.corpora.set_cells import column_called, lists_of, number_of, place_of, texts_of
from embedlab.corpora.tables import FAILING_SHARE, Table
from embedlab.errors import CorpusError

_QRELS = ("query-id", "iteration", "corpus-id", "score")  # of TREC, in this order
_RUN = ("query-id", "iteration", "corpus-id", "rank", "score", "tag")
_FORMATS = {_QRELS: "TREC judgements", _RUN: "TREC run file"}
_DOCUMENT_TEXTS = (*usual.TEXT_NAMES, "contents", "passage")


def with_names(table: Table, *, ranks: bool = False) -> Table:
    """TREC's columns without a header get their names.

    A run file, which judges nothing, is refused where judgements are needed, and they where it is (``ranks``).
    """
    columns = table.columns.column_names
    if table.report.header_row != 0:
        return table
    rows = list(zip(*(column.to_pylist() for column in table.columns.columns), strict=True))
    split = [" ".join(str(cell) for cell in row).split() if len(columns) == 1 else list(row) for row in rows]
    width = len(split[0]) if split else 0
    names = {3: ("query-id", "corpus-id", "score"), 4: _QRELS, 6: _RUN}.get(width)
    is_spaced = any(" " in cell for row in split[:100] for cell in row)
    if names is None or is_spaced:
        return table
    grade = names.index("score")
    failing = [row for row, cells in enumerate(split) if len(cells) != width or number_of(cells[grade]) is None]
    if len(failing) > 0.1 * len(split):
        return table
    if names is _RUN and not ranks:
        raise CorpusError(
            "E-RUN-FILE",
            f"{table.name!r} is a run file of TREC (query, Q0, document, rank, score, tag): a ranking, which judges "
            "nothing. Name the judgements with --on, and measure it with --ranking.",
        )
    left = set(failing)
    whole = zip(*(cells for row, cells in enumerate(split) if row not in left), strict=True)
    made = pa.table(list(map(strings, whole)), names=list(names))
    counted, wrong = CountedRows(failing), f"not {width} columns with a number for a grade"
    report = table.report.having(format=_FORMATS.get(names, table.report.format), left_out=left_out(counted, wrong))
    found = Table(made, table.name, [note for note in table.notes if note.code != "W-NO-HEADER"], report)
    found.fails(counted, len(split), f"are {wrong}", "or name the separator (--separator)")
    return found


def is_of_queries(file: Table) -> bool:
    """Whether a table says which documents are relevant to which queries."""
    sides = (usual.DOCUMENT_ID_NAMES, [*usual.QUERY_ID_NAMES, *usual.QUERY_NAMES])
    return all(column_called(file, names) is not None for names in sides)


def queries_draft(
    judgements: Table, documents: Table, queries: Table | None, files: str, *, own: str | None = None
) -> SetDraft:
    """The set of judgements (perhaps with the texts of queries), of documents, and of queries where they are apart.

    A grade above 0 is relevant and is its gain; ``grades`` only say that. ``files``: which they are. ``own``: leave a
    query's own document out, or keep it; found from ids and texts, where it is None.
    """
    ids, texts, remark, repeated = _documents(documents)
    judged = judgements_of(judgements)
    judgements.remark(files, *judged.remarks, remark)
    judgements.leave_out(repeated, "documents that are listed twice")
    query_texts = judged.texts
    if queries is not None:
        key = _column(queries, [*usual.QUERY_ID_NAMES, *usual.ID_NAMES], "queries")
        text = _column(queries, [*usual.QUERY_NAMES, *usual.TEXT_NAMES], "queries", key)
        query_texts = dict(zip(ids_of(queries, key), texts_of(queries, text), strict=True))
    known, find_document = list(query_texts), _finder(ids)
    find_query = _finder(known)
    keys, relevant, without_text, missing = [], [], 0, []
    unknown_queries, unknown = CountedRows(), CountedRows()
    for query, grades in judged.grades.items():
        found = find_query(query)
        if found is None:
            unknown_queries.add_all(row for row, _ in grades.values())
            continue
        of_query: dict[int, float] = {}  # row of the document -> gain
        for document, (row, grade) in grades.items():
            place = find_document(document)
            if place is None:
                unknown.add(row)
                missing.append(document)
            elif grade > 0:
                of_query[place] = grade
        if query_texts[known[found]]:
            keys.append(known[found])
            relevant.append(of_query)
        else:
            without_text += 1
    strangers = f"judged documents that are not among the documents{_zeros(missing, ids)}"
    judgements.leave_out(judged.failing, "no number for a grade")
    judgements.leave_out(unknown_queries, "judgements of queries that have no text")
    judgements.leave_out(unknown, strangers)
    if without_text:
        judgements.remark(f"{without_text:,} queries without a text are left out")
    written, rows = [query_texts[key] for key in keys], [list(each) for each in relevant]
    without = rows.count([])
    if without == len(rows):
        raise CorpusError(
            "E-NO-RELEVANT",
            f"Retrieval needs queries with a relevant text, but none of the {len(rows):,} queries of "
            f"{judgements.name!r} has one{_zeros(missing, ids)}. Check that doc_ids name the documents and that grades "
            "are above 0.",
        )
    if without:
        judgements.remark(f"{without:,} queries have no relevant text and are dropped")
    if queries is not None and len(known) > len(judged.grades):
        judgements.remark(f"{len(known) - len(keys):,} queries that nobody judged take no part")
    own_rows, remark = _own(own, keys if judged.has_ids else None, written, rows, ids, texts)
    judgements.remark(remark)
    main = {
        "query": strings(written),
        "rows": pa.array(rows, pa.list_(pa.int64())),
        "gains": pa.array([list(each.values()) for each in relevant], pa.list_(pa.float64())),
    }
    if any(own_rows):
        main["own"] = pa.array(own_rows, pa.list_(pa.int64()))
    beside = [each for each in (documents, queries) if each is not None]
    notes = [note for each in beside for note in each.notes if note.code != "W-NO-HEADER"]
    made = {"queries": pa.table(main), "documents": pa.table({"id": strings(ids), "text": strings(texts)})}
    report = judgements.report.having(columns=judged.roles)
    return SetDraft(judgements.name, "", "queries", ("retrieval",), made, notes, report)


@dataclass
class Judged:
    """What people said of each query, by document: row of the file and grade; the last one of a document counts."""

    grades: dict[str, dict[str, tuple[int, float]]]
    texts: dict[str, str]  # of the queries, where the table has them
    has_ids: bool
    roles: dict[str, str]
    remarks: list[str] = field(default_factory=list)
    failing: CountedRows = field(default_factory=CountedRows)


def judgements_of(table: Table) -> Judged:
    """What a table of judgements says, in whichever shape."""
    document = column_called(table, usual.DOCUMENT_ID_NAMES)
    text = column_called(table, usual.QUERY_NAMES)
    key = column_called(table, [*usual.QUERY_ID_NAMES, *(usual.ID_NAMES if text is not None else [])], [document])
    grade = column_called(table, usual.GRADE_NAMES, [document, text, key])
    cells, count = table.column(document), len(table.columns)
    is_listed = any(isinstance(cell, list) or str(cell).lstrip().startswith("[") for cell in cells)
    texts = texts_of(table, text) if text is not None else [""] * count
    keys = texts if key is None else ids_of(table, key)
    if not is_listed and key in usual.ID_NAMES and len(set(keys)) == len(keys) > len(set(texts)):
        key, keys = None, texts  # ids of the rows, not of the queries
    if key is None and is_listed:
        keys = [f"{row}" for row in range(count)]  # each row is a query, also where two ask the same
    roles = {"query": text, "query id": key, "document": document, "grade": grade}
    found = Judged({}, dict(zip(keys, texts, strict=True)), key is not None, {k: v for k, v in roles.items() if v})
    repeated = differing = 0
    graded = _graded(table, document, grade, is_listed=is_listed, failing=found.failing)
    for number, (query, gains) in enumerate(zip(keys, graded, strict=True)):
        of_query, row = found.grades.setdefault(query, {}), place_of(table, number) - 1
        for doc, gain in gains:
            repeated += doc in of_query
            differing += of_query.get(doc, (row, gain))[1] != gain
            of_query[doc] = (row, gain)
    if found.failing.total > FAILING_SHARE * count:
        raise CorpusError(
            "E-GRADES",
            f"{grade} of {table.name!r} must be numbers, but {found.failing.total:,} of {count:,} rows (first: "
            f"{found.failing.first[0] + 1:,}) have something else. Correct them, or rename the column of the grades.",
        )
    if repeated:
        last = f", {differing:,} of them with another grade: the last one counts" if differing else ""
        found.remarks.append(f"{repeated:,} judgements are of a document that was judged before{last}")
    if grade is not None and grade.casefold() == "grades" and is_listed:
        found.remarks.append("any grade above 0 counts the same (a column gain weighs)")
    return found


def _graded(
    table: Table, document: str, grade: str | None, *, is_listed: bool, failing: CountedRows
) -> Iterator[list[tuple[str, float]]]:
    """The documents of each row with the gain of each."""

    def cells(column: str) -> Iterator[list]:
        alone = ([cell] for cell in table.column(column))
        return lists_of(table, column) if is_listed else alone

    grades = cells(grade) if grade is not None else repeat(None)
    for row, (docs, written) in enumerate(zip(cells(document), grades, strict=False)):
        docs = [doc for doc in map(_id, docs) if doc or is_listed]
        values = [1.0] * len(docs) if written is None else [number_of(cell) for cell in written]
        if not is_listed and values == [None]:
            failing.add(place_of(table, row) - 1)
            yield []
            continue
        if len(values) != len(docs) or None in values:
            raise CorpusError(
                "E-GRADES",
                f"{grade} of {table.name!r} must be as many numbers as {document}, but row {place_of(table, row):,} "
                f"has {len(values)} for {len(docs)}, or something that is no number. Correct it.",
            )
        is_yes_or_no = is_listed and grade is not None and grade.casefold() == "grades"
        yield [(doc, float(value > 0) if is_yes_or_no else value) for doc, value in zip(docs, values, strict=True)]


def _documents(table: Table) -> tuple[list[str], list[str], str, CountedRows]:
    """Ids, texts with their titles, what was decided, and rows that are there twice."""
    key = _column(table, [*usual.DOCUMENT_ID_NAMES, *usual.ID_NAMES], "documents")
    text, title = _column(table, _DOCUMENT_TEXTS, "documents", key), column_called(table, usual.TITLE_NAMES)
    texts = texts_of(table, text)
    if title is not None:
        texts = [_with_title(head, body) for head, body in zip(texts_of(table, title), texts, strict=True)]
    kept, repeated = {}, CountedRows()
    for row, (doc, written) in enumerate(zip(ids_of(table, key), texts, strict=True)):
        if doc in kept:
            repeated.add(row)
        if kept.setdefault(doc, written) != written:
            message = f"Each id may stand once in the documents of {table.name!r}"
            raise CorpusError("E-DOC-ID", f"{message}, but {doc!r} is twice, with other texts.")
    empty = sum(not written for written in kept.values())
    said = f"documents by {key!r} with {f'{title!r} and ' if title else ''}{text!r}: {len(kept):,}"
    return list(kept), list(kept.values()), said + (f", {empty:,} of them without a text" if empty else ""), repeated


def _column(table: Table, names: Sequence[str], what: str, taken: str | None = None) -> str:
    """The column that plays a role; of a file without names the first is the id, the second the text."""
    found = column_called(table, names, [taken])
    columns = table.columns.column_names
    if found is None and table.report.header_row == 0 and len(columns) >= 2:
        return columns[0 if any(name in usual.ID_NAMES for name in names) else 1]
    if found is None:
        message = f"A file of {what} needs an id and a text ({names[0]}, text)"
        raise CorpusError("E-SET-COLUMNS", f"{message}, but {table.name!r} has {', '.join(columns[:12])}.")
    return found


def ids_of(table: Table, column: str) -> list[str]:
    """Ids as they are written; whole numbers without a point."""
    return [_id(value) for value in table.column(column)]


def _id(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a column of whole numbers with a gap is one of floats
    return "" if value is None else str(value).strip()


def _finder(ids: Iterable[str]) -> Callable[[str], int | None]:
    """Where an id stands: as it is written, else as a whole number that was written 1.0. 007 is never 7."""
    exact = {found: place for place, found in enumerate(ids)}
    plain = {_plain(found): place for found, place in exact.items()}
    return lambda wanted: exact.get(wanted, plain.get(_plain(wanted)))


def _plain(written: str) -> str:
    return re.sub(r"^(\d+)\.0+$", r"\1", written)


def _zeros(missing: list[str], ids: list[str]) -> str:
    """Where ids differ by leading zeros alone, as a spreadsheet makes them."""
    short = {found.lstrip("0"): found for found in ids}
    other = next((doc for doc in missing if doc.lstrip("0") in short), None)
    return "" if other is None else f" ({other!r} is not {short[other.lstrip('0')]!r}: were leading zeros lost?)"


def _own(
    wish: str | None, keys: list[str] | None, queries: list[str], relevant: list[list[int]], ids: list[str], texts: list
) -> tuple[list[list[int]], str]:
    """The documents that each query is itself, by row, and the sentence about them.

    As in BEIR ids tell; a judged one stays. Ids that are only counted on both sides say nothing unless texts agree,
    and of queries without ids the texts alone tell.
    """
    if wish == "keep":
        return [[] for _ in queries], "a query's own document stays (as asked)"
    place = {doc: row for row, doc in enumerate(ids)}
    if keys is not None:
        own = [[place[key]] if key in place else [] for key in keys]
        same = [(query, texts[rows[0]]) for query, rows in zip(queries, own, strict=True) if rows]
        alike = sum(normalised(query) in normalised(text) for query, text in same)
        are_counted = all(ids[rows[0]].isdecimal() for rows in own if rows)
        if wish is None and same and are_counted and 2 * alike < len(same):
            counted = f"{len(same):,} queries have the number of a document, but not its text: nothing is left out"
            return [[] for _ in queries], f"{counted} (--own leave does)"
        by = "id"
    else:
        rows_of: dict[str, list[int]] = defaultdict(list)
        for row, text in enumerate(texts):
            rows_of[normalised(text)].append(row)
        own, by = [rows_of[normalised(query)] for query in queries], "text"
    own = [[row for row in rows if row not in there] for rows, there in zip(own, relevant, strict=True)]
    count = sum(map(bool, own))
    remark = f"{count:,} queries are themselves among the documents (by their {by}): a query does not find itself"
    return own, f"{remark} (--own keep lets it)" if count else ""


def _with_title(title: str, text: str) -> str:
    """Title and text, once, as retrieval benchmarks join them."""
    return text if not title or normalised(text).startswith(normalised(title)) else f"{title} {text}".strip()
