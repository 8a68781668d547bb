"""Everything that was measured of some rows, as columns that may stand side by side.

A further kind of column is a module with ``columns(rows, asked)`` and an entry in ``KINDS``.
"""

from collections.abc import Sequence

from embedlab.compare.columns import metrics, numbers, tasks
from embedlab.compare.columns.base import Column, ColumnRequest
from embedlab.compare.rows import ComparedRow

KINDS = (metrics, tasks, numbers)


def columns_of(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """Corpora and evaluation sets, public benchmarks, geometry; of each column at least one row has a value."""
    return [column for kind in KINDS for column in kind.columns(rows, request) if column.values]
