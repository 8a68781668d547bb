"""Rows that the papers print of the columns of a side-by-side table: a model a row, a table of a paper a group."""

from collections.abc import Sequence

from embedlab.compare.columns.base import Column
from embedlab.compare.tables import Cell, Group, Line


def printed_groups(columns: Sequence[Column]) -> list[Group]:
    """In the order of the papers; cells of columns that a table has not are empty, gains are never printed."""
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for column in columns:
        for value in column.printed_values():
            models = found.setdefault((value.paper, value.table), {})
            models.setdefault(value.model, {}).setdefault(column.key, column.printed_value(value))
    return [
        Group(
            f"Printed in {paper}, {table}",
            [Line([model], [_cell(column, cells) for column in columns]) for model, cells in models.items()],
        )
        for (paper, table), models in found.items()
    ]


def _cell(column: Column, cells: dict[str, float]) -> Cell:
    return Cell(cells.get(column.key), scale=column.scale, digits=column.digits, is_published=True)
