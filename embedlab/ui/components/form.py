"""Draws a form from a part's JSON schema: numbers, switches, words, choices, and optional variants of these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import streamlit as st

from embedlab.config import label_of
from embedlab.errors import SettingsError

Value = Any  # of a field: what JSON holds


@dataclass(frozen=True)
class Filled:
    """The contents of a form. ``wrong``: fields with an invalid value; ``values`` has their initial ones."""

    values: dict[str, Value]
    start: dict[str, Value]  # what the fields began with
    wrong: tuple[str, ...] = ()

    @property
    def changed(self) -> dict[str, Value]:
        """The values that differ from the initial ones."""
        return {name: value for name, value in self.values.items() if value != self.start[name]}

    def __or__(self, other: "Filled") -> "Filled":
        """Both forms as one."""
        return Filled(self.values | other.values, self.start | other.start, (*self.wrong, *other.wrong))


NOTHING = Filled({}, {})
NULL = {"type": "null"}  # one of a field's alternatives where it may be left empty


def config_form(
    schema: dict, *, key: str, values: dict | None = None, only: Sequence[str] | None = None, columns: int = 1,
    automatic: Mapping[str, str] | None = None,
) -> Filled:  # fmt: skip
    """Draw the fields of a schema and return their contents.

    ``values``: where the fields start (a recipe's own settings); ``only``: these fields, in this order; ``automatic``:
    what a field becomes by itself. A field that is optional and left empty is ``None``. What is wrong with a field
    stands below it, and what the form is for waits.
    """
    values, automatic = values or {}, automatic or {}
    fields = schema.get("properties", {})
    names = [name for name in (only if only is not None else fields) if name in fields]
    places = st.columns(columns) if columns > 1 else [st.container()]
    start = {name: values[name] if name in values else fields[name].get("default") for name in names}
    filled, wrong = dict(start), []
    for position, name in enumerate(names):
        with places[position % len(places)]:
            try:
                by_itself = automatic.get(name) or fields[name].get("empty", "")
                filled[name] = field(name, fields[name], start[name], key=f"{key}.{name}", automatic=by_itself)
            except SettingsError as error:
                st.error(error.message)
                wrong.append(label_of(name, fields[name]))
    return Filled(filled, start, tuple(wrong))


def fill_form(schema: dict, *, key: str, values: dict) -> None:
    """Put values into the fields of a form that is drawn later under the same key; for callbacks."""
    for name in schema.get("properties", {}).keys() & values.keys():
        schema_of_field = schema["properties"][name]
        inner = next(each for each in schema_of_field.get("anyOf", [schema_of_field]) if each != NULL)
        is_typed = "enum" not in inner and inner.get("type") not in ("boolean", "integer")
        st.session_state[f"{key}.{name}"] = written(values[name]) if is_typed else values[name]


def field(name: str, schema: dict, start: Value, *, key: str, automatic: str = "") -> Value:
    """One field, drawn by its type; returns its content. ``automatic``: the value if left empty

    Raises
    ------
    SettingsError
        it holds what the schema does not allow.
    """
    alternatives = schema.get("anyOf", [schema])
    inner, optional = next(each for each in alternatives if each != NULL), NULL in alternatives
    label = label_of(name, schema)
    more: dict[str, Any] = {"key": key, "help": schema.get("description"), "persist_state": "session"}
    kind = inner.get("type")
    if "enum" in inner:
        choices = ([None] if optional else []) + inner["enum"]
        index = choices.index(start) if start in choices else 0
        return st.selectbox(label, choices, index, format_func=lambda value: _choice(value, automatic), **more)
    if kind == "boolean":
        return st.toggle(label, bool(start), **more)
    more["placeholder"] = ("automatic" + f": {automatic}" * bool(automatic)) if optional else None
    low, high = _bound(inner, "minimum", "exclusiveMinimum"), _bound(inner, "maximum", "exclusiveMaximum")
    if kind == "integer":  # the browser keeps it within range
        return st.number_input(label, low, high, start, step=1, **more)
    if kind == "number":  # typed as text, because steps do not suit 0.00002
        typed = st.text_input(label, written(start), **more).strip()
        return None if optional and not typed else _number(label, typed, inner, low, high)
    typed = st.text_input(label, start or "", **more)
    typed = typed if schema.get("keeps_blanks") else typed.strip()
    return typed or None if optional else typed


def _number(label: str, typed: str, schema: dict, low: float | None, high: float | None) -> float:
    try:
        value = float(typed)
    except ValueError:
        raise _refused(label, "is not a number" if typed else "is empty", low, high) from None
    outside = (low is not None and value < low) or (high is not None and value > high)
    at_open_end = value in (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"))
    if not isfinite(value) or outside or at_open_end:
        raise _refused(label, "is out of range", low, high)
    return value


def _refused(label: str, what: str, low: float | None, high: float | None) -> SettingsError:
    span = f" from {written(low)} to {written(high)}" if low is not None and high is not None else ""
    return SettingsError("E-SETTING", f"{label} {what}: expected a number{span}.")


def _bound(schema: dict, closed: str, opened: str) -> Any:
    return schema[closed] if closed in schema else schema.get(opened)


def written(value: Value) -> str:
    """As a field shows it, and a reader would type it."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _choice(value: Value, automatic: str) -> str:
    if value in (None, "auto"):
        return f"automatic ({automatic})" if automatic else "automatic"
    return str(value).replace("_", " ")
