"""Align on selection: the right map refitted to the left one by chosen texts only, until it is undone."""

import numpy as np
import streamlit as st

from embedlab.plane import FEWEST
from embedlab.runs.drawn_map import DrawnMap
from embedlab.ui.components.pair_of_maps import Compared, aligned_on
from embedlab.ui.frame.text import count

KEY = "maps.aligned_on"


def aligned(view: Compared, drawn: tuple[DrawnMap, DrawnMap]) -> tuple[DrawnMap, DrawnMap]:
    """The maps as they are to be drawn; where texts were chosen to align on, says how many, with the way back."""
    kept = st.session_state.get(KEY)
    if kept is None or kept["of"] != _of(view):
        return drawn
    chosen = np.zeros(1 + max(int(each.rows.max()) for each in drawn), bool)
    chosen[kept["rows"][kept["rows"] < len(chosen)]] = True
    with st.container(horizontal=True, vertical_alignment="center"):
        said = f"The right map is aligned on {count(len(kept['rows']))} selected texts; the others follow."
        st.caption(said)
        st.button("Undo", key="maps.align-undo", type="tertiary", on_click=_forget, help="Align on all texts again.")
    left, right = drawn
    return left, aligned_on(right, left, chosen)


def align_button(view: Compared, rows: np.ndarray) -> None:
    """Offer to align on these corpus rows; nothing where they already decide, or are too few."""
    kept = st.session_state.get(KEY)
    is_done = kept is not None and kept["of"] == _of(view) and np.array_equal(np.sort(rows), kept["rows"])
    if len(rows) < FEWEST or is_done or view.is_single:
        return
    st.button(
        f"Align on these {count(len(rows))} texts",
        key="maps.align",
        on_click=_keep,
        args=(_of(view), np.sort(rows)),
        help="Moves, turns and scales the right map so that these texts lie as near as possible to where they lie on "
        "the left. What then differs among them did not come from the way the map happens to lie.",
    )


def _of(view: Compared) -> tuple[str, str]:
    return view.run.id, view.against


def _keep(of: tuple[str, str], rows: np.ndarray) -> None:
    st.session_state[KEY] = {"of": of, "rows": rows}


def _forget() -> None:
    st.session_state.pop(KEY, None)
