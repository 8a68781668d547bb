"""A JSON document that is not one object a line: which records it holds, in the shapes that people's programs write."""

import json
import re
from collections.abc import Sequence

from embedlab.corpora.formats.header import column_names, header_rows
from embedlab.corpora.names import KNOWN_NAMES

SPLIT_NAMES = ("train", "training", "test", "validation", "valid", "val", "dev")
_BLANKS = re.compile(r"[\s,]*")
_ROWS_NAMES = ("data", "rows", "records", "items", "examples", "instances", "documents", "results", "corpus", "texts")


def parsed(text: str) -> object:
    """The JSON value of a text, or None: also for one nested too deep or with a number of thousands of digits.

    ``NaN``, which Python writes for a missing number, is None.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def parsed_sequence(text: str) -> list | None:
    """The values of a text that holds one after the other, over any lines; None where it holds anything else."""
    values, place = [], _BLANKS.match(text).end()
    try:
        while place < len(text):
            value, place = _DECODER.raw_decode(text, place)
            values.append(value)
            place = _BLANKS.match(text, place).end()
    except (ValueError, RecursionError):
        return None
    return values


def records_of(document: object) -> tuple[list[dict], str] | None:
    """The rows of a document, and its shape in words; None where it is no table."""
    if isinstance(document, list):
        return _of_list(document)
    if not isinstance(document, dict) or not document:
        return None
    if {"columns", "data"} <= document.keys() and _is_list_of(document["data"], list):
        return _named(document["data"], document["columns"]), "JSON of columns and data"
    values = list(document.values())
    if all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        if not any(isinstance(each, dict | list) for value in values for each in value[:1]):
            return _named(list(zip(*values, strict=True)), list(document)), "JSON lists by column"
    if all(isinstance(value, dict) and value for value in values):
        return _of_maps(document)
    return _of_wrapper(document)


def _of_list(document: list) -> tuple[list[dict], str] | None:
    if _is_list_of(document, dict):
        inner = [record.get("row") for record in document]
        return (inner if _is_list_of(inner, dict) else document), "a JSON list of records"
    if _is_list_of(document, list):
        rows = [["" if cell is None else str(cell) for cell in row] for row in document if row]
        if not rows:
            return None
        above = header_rows(rows)
        names = column_names(rows[above - 1] if above else [], max(map(len, rows)))
        return _named([row for row in document if row][above:], names), "a JSON list of lists"
    if _is_list_of(document, str):
        return [{"text": text} for text in document], "a JSON list of texts"
    return None


def _of_maps(document: dict) -> tuple[list[dict], str]:
    """Records by id, or columns by row number as pandas writes them: names tell, else numbers, else size."""
    outer, inner = document.keys(), {key for value in document.values() for key in value}
    names = [len(KNOWN_NAMES & {key.casefold() for key in keys}) for keys in (outer, inner)]
    numbered = [all(key.isdigit() for key in keys) for keys in (outer, inner)]
    if (names[0], numbered[1], len(inner)) > (names[1], numbered[0], len(outer)):
        rows = list(dict.fromkeys(key for value in document.values() for key in value))
        return [{name: value.get(row) for name, value in document.items()} for row in rows], "JSON columns by row"
    return [{"id": key, **value} for key, value in document.items()], "JSON records by id"


def _of_wrapper(document: dict) -> tuple[list[dict], str] | None:
    """The one list of records within an object, or several that are splits, or the one with a usual name."""
    tables = {key: _of_list(value) for key, value in document.items() if isinstance(value, list) and value}
    tables = {key: found for key, found in tables.items() if found is not None and not _is_list_of(document[key], str)}
    splits = {key: found for key, found in tables.items() if key.casefold() in SPLIT_NAMES}
    if splits:
        rows = [{**record, "split": key} for key, (records, _) in splits.items() for record in records]
        return rows, f"JSON lists of records under {', '.join(splits)}"
    named = [key for key in tables if key.casefold() in _ROWS_NAMES]
    chosen = list(tables) if len(tables) == 1 else named[:1]
    return (tables[chosen[0]][0], f"a JSON list of records under {chosen[0]!r}") if chosen else None


def _named(rows: Sequence[Sequence], names: Sequence) -> list[dict]:
    return [dict(zip(map(str, names), row, strict=False)) for row in rows]


def _is_list_of(values: object, kind: type) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(each, kind) for each in values)


_DECODER = json.JSONDecoder(parse_constant=lambda constant: None if constant == "NaN" else float(constant))
