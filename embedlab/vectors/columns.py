"""Which columns of a file are vectors (one list column, numbered number columns, x and y), and which could be ids."""

import re

import numpy as np
import pyarrow as pa

from embedlab.errors import CorpusError
from embedlab.vectors.ids import is_id_name

_USUAL_NAMES = ("embedding", "embeddings", "vector", "vectors")
_NUMBERED = re.compile(r"(.*?)(\d{1,6})")


def plane_columns(schema: pa.Schema, name: str) -> tuple[str, ...]:
    """The columns x and y, however capitalised."""
    known = {each.name.casefold(): each.name for each in schema if _is_number(each.type)}
    if "x" not in known or "y" not in known:
        message = f"Coordinates need the number columns x and y, but {name!r} has {_listed(schema)}. Rename them."
        raise CorpusError("E-COLUMN", message)
    return known["x"], known["y"]


def vector_columns(schema: pa.Schema, name: str, wanted: str | None) -> tuple[str, ...]:
    """A list column as itself, numbered columns in the order of their numbers."""
    found = {each.name: (each.name,) for each in schema if _is_list(each.type) and _is_number(each.type.value_type)}
    found |= {stem: columns for stem, columns in _numbered(schema).items() if stem not in found}
    chosen = _chosen(list(found), wanted)
    if len(chosen) != 1:
        several = f"several candidates: {', '.join(map(repr, found))}. Specify one" if found else "neither"
        raise CorpusError(
            "E-COLUMN",
            "Embeddings are one list column or numbered number columns (e0, e1, …), but found in "
            f"{name!r}: {f'no {wanted!r}; ' if wanted else ''}{several}. It has {_listed(schema)}.",
        )
    columns = found[chosen[0]]
    if len(columns) > 1:
        numbers = [int(_NUMBERED.fullmatch(each).group(2)) for each in columns]
        missing = next((a + 1 for a, b in zip(numbers, numbers[1:], strict=False) if b != a + 1), None)
        if missing is not None:
            message = f"Numbered columns must be consecutive, but {name!r} has no {chosen[0]}{missing}. Add it."
            raise CorpusError("E-COLUMN", message)
    return columns


def id_columns(schema: pa.Schema, vectors: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of one value a row that could name a text; of floating-point numbers only those with an id's name."""
    return tuple(each.name for each in schema if each.name not in vectors and _can_be_id(each))


def array_of_npz(arrays: dict[str, np.ndarray], name: str, wanted: str | None) -> str:
    """Which of these arrays holds the vectors: the one that is ``wanted``, the only one, or the one so called."""
    tables = [each for each, found in arrays.items() if found.ndim == 2 and found.size and found.dtype.kind in "fiu"]
    chosen = _chosen(tables, wanted or None)
    if len(chosen) != 1:
        there = ", ".join(f"{each} {values.dtype} {values.shape}" for each, values in arrays.items()) or "none"
        message = f"Embeddings are one array of real numbers (rows, dim), but {name!r} has: {there}. Specify one."
        raise CorpusError("E-COLUMN", message)
    return chosen[0]


def is_string(kind: pa.DataType) -> bool:
    """Whether cells of this Arrow type are strings, however stored."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _chosen(names: list[str], wanted: str | None) -> list[str]:
    """The one that is ``wanted``; else the only one, or those that are called as vectors usually are."""
    if wanted is not None or len(names) == 1:
        return [each for each in names if wanted in (None, each)]
    return [each for each in names if each.casefold() in _USUAL_NAMES]


def _can_be_id(field: pa.Field) -> bool:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.types.is_integer(kind) or is_string(kind) or is_id_name(field.name)


def _numbered(schema: pa.Schema) -> dict[str, tuple[str, ...]]:
    """Number columns of one stem and two numbers or more: stem -> names by their number."""
    stems: dict[str, list[tuple[int, str]]] = {}
    for each in schema:
        parts = _NUMBERED.fullmatch(each.name)
        if parts is not None and _is_number(each.type):
            stems.setdefault(parts.group(1), []).append((int(parts.group(2)), each.name))
    return {stem: tuple(name for _, name in sorted(columns)) for stem, columns in stems.items() if len(columns) > 1}


def _listed(schema: pa.Schema) -> str:
    shown = ", ".join(f"{each.name} ({each.type})" for each in list(schema)[:8])
    return shown + (f" and {len(schema) - 8:,} more" if len(schema) > 8 else "")


def _is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)
