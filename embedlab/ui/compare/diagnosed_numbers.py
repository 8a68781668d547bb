"""The chosen runs by every diagnostic that is one number, before and after; no best, for none has a good direction."""

import pyarrow as pa
import streamlit as st

from embedlab.diagnostics import DIAGNOSTICS, number_of
from embedlab.numbers import counted
from embedlab.runs.diagnosed import read_diagnosed, robustness_of
from embedlab.runs.folder import RunFolder
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.navigation import go_button

_DIGITS = 3
ROBUSTNESS = "Moved by length (sd)"  # 0: robust


def diagnosed_numbers(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """A table of what was measured of any of them, or the way to the page that measures it."""
    st.subheader("Diagnostics", anchor=False)
    table = numbers_table(chosen, names)
    if table is None:
        st.caption(
            "None has been measured for these runs yet: effective rank, hubness, sensitivity to word order and others."
        )
        go_button("Open Diagnostics", "diagnostics", name="compare.diagnostics")
        return
    st.dataframe(table, hide_index=True, placeholder="–", height=table_height(table.num_rows),
                 column_config={"run": st.column_config.TextColumn(pinned=True)},
                 alt=f"Diagnostics of {counted(table.num_rows, 'run')}, before and after.")  # fmt: skip
    st.caption("Before → after fine-tuning. A larger number is neither better nor worse by itself.")


def numbers_table(chosen: list[RunFolder], names: dict[str, str]) -> pa.Table | None:
    """One run a row, one number a column; None where nothing was measured."""
    offered = {part.key: number for part in DIAGNOSTICS if (number := number_of(part)) is not None}
    found = {(run.id, key): read_diagnosed(run, key) for run in chosen for key in offered}
    shown = [key for key in offered if any(found[run.id, key] for run in chosen)]
    robust = [_both(robustness_of(run)) for run in chosen]
    if not shown and not any(robust):
        return None
    columns = {"run": [names[run.id] for run in chosen]} | ({ROBUSTNESS: robust} if any(robust) else {})
    for key in shown:
        name, title = offered[key]
        each = [found[run.id, key] for run in chosen]
        columns[title] = [None if told is None else _both(told.number(name)) for told in each]
    return pa.table({title: pa.array(values, pa.string()) for title, values in columns.items()})


def _both(numbers: tuple[float | None, float | None]) -> str | None:
    if numbers == (None, None):
        return None
    return " → ".join("–" if number is None else f"{number:.{_DIGITS}g}".replace("-", "−") for number in numbers)
