"""From queries, documents and judgements to a set that retrieval is measured on, by trec_eval's rules."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, repeat

import pyarrow as pa

from embedlab.copies import normalised
from embedlab.corpora import names as usual
from embedlab.corpora.notes import CountedRows
from embedlab.corpora.sets.stored import strings
from embedlab.corpora.tables import FAILING_SHARE, Table, number_of
from embedlab.errors import CorpusError
from embedlab.numbers import counted

_QRELS = ("query-id", "iteration", "corpus-id", "score")  # of TREC, in this order
_RUN = ("query-id", "iteration", "corpus-id", "rank", "score", "tag")
_FORMATS = {_QRELS: "TREC judgments", _RUN: "TREC run file"}
_DOCUMENT_TEXTS = (*usual.TEXT_NAMES, "contents", "passage")


def with_names(table: Table, *, ranks: bool = False) -> Table:
    """TREC's columns without a header get their names.

    A run file, which judges nothing, is refused where judgements are needed, and they where it is (``ranks``).
    """
    if table.report.header_row != 0:
        return table
    rows = [list(row.values()) for row in table.columns.to_pylist()]
    rows = [str(row[0]).split() if len(row) == 1 else row for row in rows]
    width = len(rows[0]) if rows else 0
    names = {3: ("query-id", "corpus-id", "score"), 4: _QRELS, 6: _RUN}.get(width)
    if names is None or any(" " in cell for row in rows[:100] for cell in row):
        return table
    whole = [len(row) == width and number_of(row[names.index("score")]) is not None for row in rows]
    failing = CountedRows(row for row, is_whole in enumerate(whole) if not is_whole)
    if failing.total > 0.1 * len(rows):
        return table
    if names is _RUN and not ranks:
        raise CorpusError(
            "E-RUN-FILE",
            f"{table.name!r} is a TREC run file (query, Q0, document, rank, score, tag): a ranking, not judgments. "
            f"Give the judgments with --on and this file with --ranking.",
        )
    wrong = f"not {width} columns with a numeric grade"
    renamed = Table(
        columns=pa.table(list(map(strings, zip(*compress(rows, whole), strict=True))), names=list(names)),
        name=table.name,
        notes=[note for note in table.notes if note.code != "W-NO-HEADER"],
        report=table.report.having(format=_FORMATS.get(names, table.report.format)).without(failing, wrong),
    )
    renamed.fails(failing, len(rows), f"are {wrong}", "or specify the separator (--separator)")
    return renamed


def is_of_queries(file: Table) -> bool:
    """Whether a table says which documents are relevant to which queries."""
    sides = (usual.DOCUMENT_ID_NAMES, [*usual.QUERY_ID_NAMES, *usual.QUERY_NAMES])
    return all(file.column_called(names) is not None for names in sides)


def queries_of(
    judgements: Table, documents: Table, queries: Table | None, files: str, *, self_retrieval: str | None = None
) -> dict[str, pa.Table]:
    """The set of judgements (perhaps with the texts of queries), of documents, and of queries where they are apart.

    A grade above 0 is relevant and is its gain; ``grades`` only say that. ``files``: which they are.
    ``self_retrieval``: ``leave`` a query's own document out, or ``keep`` it; None: as ids and texts tell.
    """
    texts, remark, repeated = _documents(documents)
    judgements.leave_out(repeated, "documents that are listed twice")
    judgements.remark(files)
    judged = judgements_of(judgements)
    judgements.remark(remark)
    query_texts = judged.texts
    if queries is not None:
        id_column = _column(queries, [*usual.QUERY_ID_NAMES, *usual.ID_NAMES], "queries")
        text_column = _column(queries, [*usual.QUERY_NAMES, *usual.TEXT_NAMES], "queries", id_column)
        query_texts = dict(zip(ids_of(queries, id_column), queries.texts(text_column), strict=True))
    find_query, find_document = _finder(query_texts), _finder(texts)
    row_of = {doc: row for row, doc in enumerate(texts)}
    keys, relevant, without_text, missing = [], [], 0, []
    unknown_queries, unknown = CountedRows(), CountedRows()
    for query, grades in judged.grades.items():
        if (key := find_query(query)) is None:
            unknown_queries.add_all(row for row, _ in grades.values())
            continue
        there = {doc: row_of.get(find_document(doc) or doc) for doc in grades}  # its row, None where it is no document
        absent = [doc for doc, row in there.items() if row is None]
        missing += absent
        unknown.add_all(grades[doc][0] for doc in absent)
        if query_texts[key]:
            keys.append(key)
            gains = ((there[doc], gain) for doc, (_, gain) in grades.items() if gain > 0)
            relevant.append({row: gain for row, gain in gains if row is not None})
        else:
            without_text += 1
    strangers = f"judged documents that are not among the documents{_zeros(missing, texts)}"
    judgements.leave_out(unknown_queries, "judgments of queries that have no text")
    judgements.leave_out(unknown, strangers)
    without = relevant.count({})
    if without == len(relevant):
        raise CorpusError(
            "E-NO-RELEVANT",
            f"Retrieval needs queries with a relevant text, but none of the {len(relevant):,} queries of "
            f"{judgements.name!r} has one{_zeros(missing, texts)}. Check that doc_ids name the documents and that "
            "grades are above 0.",
        )
    unjudged = queries is not None and len(query_texts) > len(judged.grades)
    chosen_texts = [query_texts[key] for key in keys]
    own_rows, remark = _own(self_retrieval, keys if judged.has_ids else None, chosen_texts, relevant, texts)
    judgements.remark(
        f"left out {counted(without_text, 'query', 'queries')} without a text" if without_text else "",
        f"dropped {counted(without, 'query', 'queries')} without a relevant text" if without else "",
        f"skipped {counted(len(query_texts) - len(keys), 'query', 'queries')} without judgments" if unjudged else "",
        remark,
    )
    main = {
        "query": strings(chosen_texts),
        "rows": pa.array(map(list, relevant), pa.list_(pa.int64())),
        "gains": pa.array([list(each.values()) for each in relevant], pa.list_(pa.float64())),
    }
    if any(own_rows):
        main["own"] = pa.array(own_rows, pa.list_(pa.int64()))
    sources = [each for each in (documents, queries) if each is not None]
    judgements.notes += [note for each in sources for note in each.notes if note.code != "W-NO-HEADER"]
    of_documents = pa.table({"id": strings(list(texts)), "text": strings(list(texts.values()))})
    return {"queries": pa.table(main), "documents": of_documents}


@dataclass
class JudgedQueries:
    """The judgements of each query, by document: row of the file and grade; the last one of a document counts."""

    grades: dict[str, dict[str, tuple[int, float]]]
    texts: dict[str, str]  # of the queries, where the table has them
    has_ids: bool


def judgements_of(table: Table) -> JudgedQueries:
    """The judgements of a table of whichever shape; its report says how it was read."""
    document = table.column_called(usual.DOCUMENT_ID_NAMES)
    if document is None:
        message = f"Judgments need a column of document ids ({', '.join(usual.DOCUMENT_ID_NAMES[:3])} …)"
        columns = ", ".join(table.columns.column_names[:12])
        raise CorpusError("E-SET-COLUMNS", f"{message}, but {table.name!r} has {columns}.")
    text = table.column_called(usual.QUERY_NAMES)
    key = table.column_called([*usual.QUERY_ID_NAMES, *(usual.ID_NAMES if text is not None else [])], [document])
    grade = table.column_called(usual.GRADE_NAMES, [document, text, key])
    cells, count = table.column(document), len(table.columns)
    is_listed = any(isinstance(cell, list) or str(cell).lstrip().startswith("[") for cell in cells)
    texts = table.texts(text) if text is not None else [""] * count
    keys = texts if key is None else ids_of(table, key)
    if not is_listed and key in usual.ID_NAMES and len(set(keys)) == len(keys) > len(set(texts)):
        key, keys = None, texts  # ids of the rows, not of the queries
    if key is None and is_listed:
        keys = [f"{row}" for row in range(count)]  # each row is a query, also where two ask the same
    roles = {"query": text, "query id": key, "document": document, "grade": grade}
    table.report = table.report.having(columns={role: column for role, column in roles.items() if column})
    judged, failing = JudgedQueries({}, dict(zip(keys, texts, strict=True)), key is not None), CountedRows()
    repeated = differing = 0
    graded = _graded(table, document, grade, is_listed=is_listed, failing=failing)
    for number, (query, gains) in enumerate(zip(keys, graded, strict=True)):
        of_query, row = judged.grades.setdefault(query, {}), table.place(number) - 1
        for doc, gain in gains:
            repeated += doc in of_query
            differing += of_query.get(doc, (row, gain))[1] != gain
            of_query[doc] = (row, gain)
    table.leave_out(failing, "the grade is not a number")
    if failing.total > FAILING_SHARE * count:
        raise CorpusError(
            "E-GRADES",
            f"{grade} of {table.name!r} must be numbers, but {failing.total:,} of {count:,} rows (first: "
            f"{failing.first[0] + 1:,}) have something else. Correct them, or rename the column of the grades.",
        )
    if repeated:
        last = f", {differing:,} of them with a different grade: the last one counts" if differing else ""
        table.remark(
            f"{counted(repeated, 'judgment repeats', 'judgments repeat')} an earlier one of the same document{last}"
        )
    if grade is not None and grade.casefold() == "grades" and is_listed:
        table.remark("all grades above 0 count the same (a column named gain would weight them)")
    return judged


def _graded(
    table: Table, document: str, grade: str | None, *, is_listed: bool, failing: CountedRows
) -> Iterator[list[tuple[str, float]]]:
    """The documents of each row with the gain of each."""
    grades = table.lists(grade) if grade is not None else repeat(None)
    for row, (docs, written) in enumerate(zip(table.lists(document), grades, strict=False)):
        docs = [doc for doc in map(_id, docs) if doc or is_listed]
        values = [1.0] * len(docs) if written is None else [number_of(cell) for cell in written]
        gains = [value for value in values if value is not None]
        if not is_listed and not gains and written is not None:
            failing.add(table.place(row) - 1)
            yield []
            continue
        if len(values) != len(docs) or len(gains) < len(values):
            raise CorpusError(
                "E-GRADES",
                f"{grade} of {table.name!r} must be as many numbers as {document}, but row {table.place(row):,} "
                f"has {len(values)} for {len(docs)}, or a value that is not a number. Correct it.",
            )
        is_yes_or_no = is_listed and grade is not None and grade.casefold() == "grades"
        yield [(doc, float(gain > 0) if is_yes_or_no else gain) for doc, gain in zip(docs, gains, strict=True)]


def _documents(table: Table) -> tuple[dict[str, str], str, CountedRows]:
    """Texts with their titles by ids, what was decided, and rows that are there twice."""
    key = _column(table, [*usual.DOCUMENT_ID_NAMES, *usual.ID_NAMES], "documents")
    text, title = _column(table, _DOCUMENT_TEXTS, "documents", key), table.column_called(usual.TITLE_NAMES)
    texts = table.texts(text)
    if title is not None:  # before its text, once, as retrieval benchmarks join them
        texts = [
            body if not head or normalised(body).startswith(normalised(head)) else f"{head} {body}".strip()
            for head, body in zip(table.texts(title), texts, strict=True)
        ]
    by_id: dict[str, str] = {}
    repeated = CountedRows()
    for row, (doc, written) in enumerate(zip(ids_of(table, key), texts, strict=True)):
        if doc in by_id:
            repeated.add(row)
        if by_id.setdefault(doc, written) != written:
            message = f"Each id may appear only once in the documents of {table.name!r}"
            raise CorpusError("E-DOC-ID", f"{message}, but {doc!r} appears twice with different texts.")
    empty = sum(not written for written in by_id.values())
    remark = f"documents by {key!r} with {f'{title!r} and ' if title else ''}{text!r}: {len(by_id):,}"
    return by_id, remark + (f", {empty:,} of them without a text" if empty else ""), repeated


def _column(table: Table, names: Sequence[str], what: str, taken: str | None = None) -> str:
    """The column that plays a role; of a file without names the first is the id, the second the text."""
    column = table.column_called(names, [taken])
    columns = table.columns.column_names
    if column is None and table.report.header_row == 0 and len(columns) >= 2:
        return columns[0 if any(name in usual.ID_NAMES for name in names) else 1]
    if column is None:
        message = f"A file of {what} needs an id and a text ({names[0]}, text)"
        raise CorpusError("E-SET-COLUMNS", f"{message}, but {table.name!r} has {', '.join(columns[:12])}.")
    return column


def ids_of(table: Table, column: str) -> list[str]:
    """Ids as they are written; whole numbers without a point."""
    return [_id(value) for value in table.column(column)]


def _id(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a column of whole numbers with a gap is one of floats
    return "" if value is None else str(value).strip()


def _finder(ids: Collection[str]) -> Callable[[str], str | None]:
    """Which id is meant: the one that is so written, else a whole number that was written 1.0. 007 is never 7."""

    def plain(written: str) -> str:
        return re.sub(r"^(\d+)\.0+$", r"\1", written)

    meant = {plain(each): each for each in ids}
    return lambda key: key if key in ids else meant.get(plain(key))


def _zeros(missing: list[str], ids: Iterable[str]) -> str:
    """A hint where ids differ by leading zeros alone, as a spreadsheet makes them."""
    short = {each.lstrip("0"): each for each in ids}
    other = next((doc for doc in missing if doc.lstrip("0") in short), None)
    return "" if other is None else f" ({other!r} is not {short[other.lstrip('0')]!r}: were leading zeros lost?)"


def _own(
    wish: str | None,
    keys: list[str] | None,
    queries: list[str],
    relevant: list[dict[int, float]],
    documents: dict[str, str],
) -> tuple[list[list[int]], str]:
    """The documents that each query is itself, by row, and the sentence about them.

    As in BEIR ids tell; a judged one stays. Ids that are only counted on both sides say nothing unless texts agree,
    and of queries without ids the texts alone tell.
    """
    nothing: list[list[int]] = [[]] * len(queries)
    if wish == "keep":
        return nothing, "a query's own document is kept (--own keep)"
    identities, names = (queries, documents.values()) if keys is None else (keys, documents)
    form = normalised if keys is None else str
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(names):
        rows_of[form(name)].append(row)
    itself = [rows_of.get(form(each), []) for each in identities]
    if wish is None and keys is not None:
        same = [(query, key) for query, key, rows in zip(queries, keys, itself, strict=True) if rows]
        alike = sum(normalised(query) in normalised(documents[key]) for query, key in same)
        if same and all(key.isdecimal() for _, key in same) and 2 * alike < len(same):
            remark = f"{len(same):,} queries have the id of a document, but not its text: no document is excluded"
            return nothing, f"{remark} (--own leave excludes them)"
    itself = [[row for row in rows if row not in there] for rows, there in zip(itself, relevant, strict=True)]
    count, by = sum(map(bool, itself)), "text" if keys is None else "id"
    there = counted(count, "query is", "queries are")
    remark = f"{there} among the documents (same {by}): a query does not retrieve itself"
    return itself, f"{remark} (--own keep allows it)" if count else ""
