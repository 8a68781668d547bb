"""Columns of geometry: every diagnostic that is one number, and by how much repeating texts moves their cosines."""

from collections.abc import Callable, Sequence

from embedlab.compare.columns.base import Column, ColumnRequest, ColumnValue, Gain
from embedlab.compare.rows import BASELINE, RUN, ComparedRow
from embedlab.runs.evaluations import read_diagnosed, robustness_of
from embedlab.runs.folder import RunFolder

PLACE = "geometry"
ROBUSTNESS = "Moved by length (sd)"  # 0: robust

Both = tuple[float | None, float | None]


def columns(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """None of them has a good direction but the robustness to length, whose best value is 0."""
    geometry = [_column(rows, "robustness", ROBUSTNESS, robustness_of)]
    for key, (name, title) in request.numbers.items():
        geometry.append(_column(rows, key, title, lambda run, key=key, name=name: _number(run, key, name)))
    return geometry


def _column(rows: Sequence[ComparedRow], key: str, title: str, read: Callable[[RunFolder], Both]) -> Column:
    both = {row.key: _both(row, read) for row in rows if row.kind != BASELINE}
    states = {row.key: row.state for row in rows}
    values = {key: before if states[key] == "before" else after for key, (before, after) in both.items()}
    runs = [row.key for row in rows if row.kind == RUN and None not in both[row.key]]
    return Column(
        key=f"{PLACE}/{key}",
        title=title,
        place="",
        values={key: ColumnValue(value) for key, value in values.items() if value is not None},
        gains={key: Gain(both[key][1] - both[key][0]) for key in runs},
        digits=_digits([abs(value) for value in values.values() if value is not None]),
    )


def _digits(values: Sequence[float]) -> int:
    """About three that count, of the largest."""
    largest = max(values, default=0.0)
    return 1 if largest >= 100 else 2 if largest >= 10 else 3


def _both(row: ComparedRow, read: Callable[[RunFolder], Both]) -> Both:
    """Of an untouched encoder that several runs began with: the first of them that was looked at."""
    values = read(RunFolder(row.path))
    for twin in row.twins:
        if values[0] is None:
            values = (read(RunFolder(twin))[0], values[1])
    return values


def _number(run: RunFolder, key: str, name: str) -> Both:
    diagnosis = read_diagnosed(run, key)
    return (None, None) if diagnosis is None else diagnosis.number(name)
