"""Tables of records: JSON Lines and JSON documents in the shapes that people's programs write."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from embedlab.corpora.cleaning import DECODER, parsed, without_surrogates
from embedlab.corpora.formats.characters import TextFile
from embedlab.corpora.names import KNOWN_NAMES, SPLIT_NAMES, TEXT_NAMES, header_rows, unique_names
from embedlab.corpora.notes import CountedRows, ReadingReport
from embedlab.corpora.stored.draft import storable_column
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.limits import check_columns, check_rows
from embedlab.table_files import spooled

JSON_NAME = re.compile(r"\.(json|jsonl|ndjson)(\.gz)?$", re.IGNORECASE)
_NO_BLANK = re.compile(r"[^\s,]")
_TEXT_NAMES = frozenset(TEXT_NAMES)
_FEWEST_KEYS = 5  # of an object that holds texts by their ids, not one record
_WORDS = 3.0  # a text has, on average
_DEPTH = 4  # of objects within objects, in which a list of records is looked for
_ROWS_NAMES = ("data", "rows", "records", "items", "examples", "instances", "documents", "results", "corpus", "texts")
Record = dict[str, Any]
RECORDS_AT_ONCE = 10_000  # that are objects at once
_ANSWERS = ("accept", "reject", "ignore")  # of Prodigy
_BAD_LINES = 100  # with more, it is not JSON Lines


def read_json_records(text: TextFile) -> Table | None:
    """One object a line, or a document of another shape that holds records; None where it is not JSON at all.

    Lines are read twice: to know the columns, and to put their values aside. A document is held in memory as a whole,
    and so are the values of columns that are neither strings nor lists of strings.
    """
    name, bad = text.name, CountedRows()
    lines = list(islice(filter(str.strip, text.lines("\n")), 5))
    first = next((value for value in map(parsed, lines) if isinstance(value, dict)), None)
    # one of the first lines is an object, and not one that is the whole file and holds records:
    has_lines = first is not None and not (len(lines[0]) >= text.length - 1 and records_of(first))
    document, shape = ([], "JSON Lines") if has_lines else _document(text)
    if document is None:
        return None
    kinds: dict[str, set[type]] = {}  # column -> the kinds of its values
    rows = 0
    for rows, record in enumerate(_records(text, bad) if has_lines else document, start=1):
        check_rows(rows, name)
        for key, value in record.items():
            of_column = kinds.setdefault(key, set())
            if value is not None:
                of_column.add(_kind(value))
    if not kinds:
        raise CorpusError("E-NO-TEXTS", f"{name!r} has no records with columns. A corpus needs at least one text.")
    check_columns(len(kinds), name)
    columns = _columns(_records(text, CountedRows()) if has_lines else iter(document), kinds)
    report = ReadingReport(format=shape, rows=rows + bad.total)
    table = Table(columns.rename_columns(unique_names(list(kinds))), name, report=report)
    table.leave_out(bad, "not a JSON object (counted by line)")
    if bad.total:
        numbers = ", ".join(f"{line + 1}" for line in bad.first)
        table.say("W-BAD-LINES", f"{bad.total} lines are not JSON objects and were left out (first: line {numbers}).")
        table.fails(bad, rows + bad.total, "are not JSON objects", "or leave them out (--accept-reading)")
    return table


def _records(text: TextFile, bad: CountedRows) -> Iterator[Record]:
    """The object of each line; lines that are none are counted."""
    good, inner = 0, None
    for number, line in enumerate(text.lines("\n")):
        if not line.strip():
            continue
        record = parsed(line)
        if isinstance(record, dict):
            inner = _inner_key(record) if good == 0 else inner
            good += 1
            yield _with_inner(record, inner)
        else:
            bad.add(number)
            if bad.total > max(_BAD_LINES, good):
                message = f"{text.name!r}: {bad.total:,} lines are not JSON objects (first: {bad.first[0] + 1})."
                raise CorpusError("E-NOT-A-TABLE", f"{message} Save it again with one object per line.")


def _document(text: TextFile) -> tuple[list[Record] | None, str]:
    """The records of a file that is one JSON value, or several over more lines than one; None where it is no JSON."""
    values, name = parsed_sequence(text.whole()), text.name
    if values is None:
        if JSON_NAME.search(name):
            raise CorpusError(
                "E-NOT-A-TABLE",
                f"{name!r} is called JSON but cannot be read as JSON. Save it as one object per line (JSON Lines) "
                f"or one list of objects.",
            )
        return None, ""
    records = records_of(values[0] if len(values) == 1 else values)
    if values in ([], [[]], [{}]):
        return [], "JSON"
    if records is None:
        raise CorpusError(
            "E-NOT-A-TABLE",
            f"{name!r} is JSON but not a table: expected records (objects with the same keys) in a list, one per "
            f"line, or by id, but found {_described(values[0])}. Save the records as one object per line (JSON Lines).",
        )
    return records


def _described(value: object) -> str:
    """``an object with the keys 'a', 'b'``"""
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(map(repr, list(value)[:6]))}"
    return f"a list of {type(value[0]).__name__} values" if isinstance(value, list) and value else f"{value!r:.40}"


def _kind(value: object) -> type:
    """``str``, ``list`` of a list of strings, ``object`` of what else there is."""
    if isinstance(value, list):
        return list if all(isinstance(each, str) for each in value) else object
    return str if isinstance(value, str) else object


def _columns(records: Iterator[Record], kinds: dict[str, set[type]]) -> pa.Table:
    """Strings and lists of strings are put aside part by part; the values of other columns are held."""
    alike = {key: next(iter(ready), str) for key, ready in kinds.items() if len(ready) < 2 and object not in ready}
    typed = {key: pa.large_string() if kind is str else pa.list_(pa.string()) for key, kind in alike.items()}
    held: dict[str, list] = {key: [] for key in kinds if key not in typed}
    with spooled(pa.schema([(f"{number}", kind) for number, kind in enumerate(typed.values())])) as aside:
        while part := list(islice(records, RECORDS_AT_ONCE)):
            for key, values in held.items():
                values += (record.get(key) for record in part)
            arrays = [pa.array([_whole(record.get(key)) for record in part], kind) for key, kind in typed.items()]
            if typed:
                aside.add(pa.record_batch(arrays, schema=aside.schema))
        table = aside.table()
    ready = dict(zip(typed, table.columns, strict=True)) | {
        key: storable_column(values) for key, values in held.items()
    }
    return pa.table([ready[key] for key in kinds], names=[f"{number}" for number in range(len(kinds))])


def _whole(value: str | list[str] | None) -> str | list[str] | None:
    """Without what no file can hold."""
    if isinstance(value, list):
        return [without_surrogates(each) for each in value]
    return None if value is None else without_surrogates(value)


def parsed_sequence(text: str) -> list[Any] | None:
    """The values of a text that holds one after the other, over any lines; None where it holds anything else."""
    values, position = [], 0
    try:
        while begin := _NO_BLANK.search(text, position):
            value, position = DECODER.raw_decode(text, begin.start())
            values.append(value)
    except (ValueError, RecursionError):
        return None
    return values


def records_of(document: object) -> tuple[list[Record], str] | None:
    """The rows of a document, and its shape in words; None where it is no table."""
    if isinstance(document, list):
        return _of_list(document)
    if not isinstance(document, dict) or not document:
        return None
    if {"columns", "data"} <= document.keys() and _is_list_of(document["data"], list):
        return _named(document["data"], document["columns"]), "JSON of columns and data"
    values = list(document.values())
    lists = {key: value for key, value in document.items() if isinstance(value, list) and value}
    names = {key.casefold() for key in document}
    if not names & KNOWN_NAMES and len(lists) == len(values) > 1 and all(map(_are_texts, values)):
        role = "split" if names <= set(SPLIT_NAMES) else "label"
        return [{"text": text, role: key} for key, texts in lists.items() for text in texts], f"JSON texts by {role}"
    if len({len(value) for value in lists.values()}) == 1:
        is_flat = not any(isinstance(value[0], dict | list) for value in lists.values())
        if (is_flat and len(lists) == len(values)) or _TEXT_NAMES & {key.casefold() for key in lists}:
            return _named(list(zip(*lists.values(), strict=True)), list(lists)), "JSON lists by column"
    if not names & KNOWN_NAMES and len(values) >= _FEWEST_KEYS and _is_list_of(values, str):
        if sum(map(len, document)) > sum(map(len, values)):
            return [{"text": key, "label": value} for key, value in document.items()], "JSON labels by text"
        return [{"id": key, "text": value} for key, value in document.items()], "JSON texts by id"
    if all(isinstance(value, dict) and value for value in values):
        return _of_judgements(document) or _of_wrapper(document, nested=True) or _of_maps(document)
    return _of_wrapper(document) or _of_wrapper(document, nested=True)


def _of_list(document: list) -> tuple[list[Record], str] | None:
    if _is_list_of(document, dict):
        inner = _inner_key(document[0])
        return [_with_inner(record, inner) for record in document], "a JSON list of records"
    if _is_list_of(document, list):
        rows = [["" if cell is None else str(cell) for cell in row] for row in document if row]
        if not rows:
            return None
        above = header_rows(rows)
        names = unique_names(rows[above - 1] if above else [], max(map(len, rows)))
        return _named([row for row in document if row][above:], names), "a JSON list of lists"
    return ([{"text": text} for text in document], "a JSON list of texts") if _is_list_of(document, str) else None


def _are_texts(values: list) -> bool:
    """Whether these are strings of several words."""
    return _is_list_of(values, str) and sum(value.count(" ") + 1 for value in values) >= _WORDS * len(values)


def _inner_key(record: Record) -> str | None:
    """The key of the object that holds a record's columns: ``row`` of the hub, ``_source`` of Elasticsearch …"""
    if _TEXT_NAMES & {key.casefold() for key in record}:
        return None
    inner = (key for key, value in record.items() if isinstance(value, dict))
    return next((key for key in inner if key == "row" or _TEXT_NAMES & {each.casefold() for each in record[key]}), None)


def _with_inner(record: Record, key: str | None) -> Record:
    """A record with the columns of the object under this key in its place, and the classes that people chose."""
    classes = chosen_classes(record)
    if key is not None and isinstance(record.get(key), dict):
        record = {name: value for name, value in record.items() if not isinstance(value, dict | list)} | record[key]
    return record if classes is None else {**record, "label": classes}


def _of_judgements(document: Record) -> tuple[list[Record], str] | None:
    """Grades by document by query, as pytrec_eval has them; not numbers by row by column, whose rows are the same."""
    rows = [(query, key, grade) for query, grades in document.items() for key, grade in grades.items()]
    is_graded = all(isinstance(grade, int | float) for *_, grade in rows)
    different = {key for _, key, _ in rows}
    if not is_graded or len(different) < 2 * len(rows) / len(document) or different & KNOWN_NAMES:
        return None
    return _named(rows, ("query-id", "corpus-id", "score")), "JSON grades by document by query"


def _of_maps(document: Record) -> tuple[list[Record], str]:
    """Records by id, or columns by row number as pandas writes them: names tell, else numbers, else size."""
    outer, inner = document.keys(), {key for value in document.values() for key in value}
    names = [len(KNOWN_NAMES & {key.casefold() for key in keys}) for keys in (outer, inner)]
    numbered = [all(key.isdigit() for key in keys) for keys in (outer, inner)]
    if (names[0], numbered[1], len(inner)) > (names[1], numbered[0], len(outer)):
        rows = list(dict.fromkeys(key for value in document.values() for key in value))
        return [{name: value.get(row) for name, value in document.items()} for row in rows], "JSON columns by row"
    return [{"id": key, **value} for key, value in document.items()], "JSON records by id"


def _of_wrapper(document: Record, *, nested: bool = False) -> tuple[list[Record], str] | None:
    """The one list of records within an object, or several that are splits, or the one with a usual name.

    ``nested``: the one within objects in it.
    """
    read = {key: _of_list(value) for key, value in _lists_in(document, depth=_DEPTH if nested else 1)}
    tables = {key: table for key, table in read.items() if table is not None and table[1] != "a JSON list of texts"}
    if nested:
        tables = tables if len(tables) == 1 and "." in next(iter(tables)) else {}
    splits = [key for key in tables if key.casefold() in SPLIT_NAMES]
    if splits:
        rows = [{**record, "split": key} for key in splits for record in tables[key][0]]
        others = ", ".join(repr(key) for key in tables if key not in splits)
        return rows, f"JSON lists of records under {', '.join(splits)}" + (f" (not read: {others})" if others else "")
    chosen = list(tables) if len(tables) == 1 else [key for key in tables if key.casefold() in _ROWS_NAMES][:1]
    return (tables[chosen[0]][0], f"a JSON list of records under {chosen[0]!r}") if chosen else None


def _lists_in(document: Record, path: str = "", *, depth: int) -> Iterator[tuple[str, list]]:
    """The lists in an object and in objects in it, with the keys that lead there."""
    for key, value in document.items():
        if isinstance(value, dict) and depth > 1:
            yield from _lists_in(value, f"{path}{key}.", depth=depth - 1)
        elif isinstance(value, list) and value:
            yield f"{path}{key}", value


def _named(rows: Sequence[Sequence[Any]], names: Sequence[Any]) -> list[Record]:
    return [dict(zip(map(str, names), row, strict=False)) for row in rows]


def _is_list_of(values: object, kind: type) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(each, kind) for each in values)


def chosen_classes(record: dict[str, Any]) -> list[str] | None:
    """The classes that people chose for a record in Label Studio, Prodigy, Doccano or spaCy, each once.

    None where it is no export of one of these annotation tools, or names its label.
    """
    if record.get("answer") in _ANSWERS and ("accept" in record or {"_input_hash", "label"} <= record.keys()):
        options = record.get("accept", [record.get("label")])
        chosen = options if record["answer"] == "accept" and isinstance(options, list) else []
    elif isinstance(record.get("cats"), dict) and "label" not in record:  # of spaCy
        chosen = [label for label, share in record["cats"].items() if isinstance(share, int | float) and share >= 0.5]
    elif isinstance(record.get("annotations"), list) and "label" not in record:
        chosen = [label for annotation in record["annotations"] for label in _annotated(annotation)]
    else:
        return None
    return list(dict.fromkeys(str(label) for label in chosen if label is not None))


def _annotated(annotation: object) -> list[Any]:
    """The classes of one annotation of a whole text; none of a span in it."""
    if not isinstance(annotation, dict) or "start_offset" in annotation:
        return []
    results = annotation.get("result", [])
    values = [each.get("value") for each in results if isinstance(each, dict)] if isinstance(results, list) else []
    choices = [value["choices"] for value in values if isinstance(value, dict) and "choices" in value]
    return [label for labels in choices if isinstance(labels, list) for label in labels] or [annotation.get("label")]
