"""The texts that a lasso, a search, the strip or a selection holds: what is known of them, and maps laid by them."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.plane import FEWEST
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.selections import LassoOrigin
from embedlab.ui.components.map_view import MapState
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import Compared, aligned_on
from embedlab.ui.components.strip_view import StripState
from embedlab.ui.frame.text import count, escaped
from embedlab.ui.maps.chosen_texts import chosen_texts
from embedlab.ui.maps.colour_by import Colouring
from embedlab.ui.maps.finding import SearchHits
from embedlab.ui.maps.selections import keep_selection, show_selection
from embedlab.ui.maps.special import special
from embedlab.ui.maps.two_texts import two_texts


def chosen_on_maps(
    view: Compared,
    corpus: Corpus,
    method: str,
    drawn: tuple[DrawnMap, DrawnMap],
    states: dict[str, MapState],
    groups: Colouring,
    found: SearchHits,
    brushed: StripState,
) -> None:
    """What was clicked, then the list of what is chosen, with all that can be done with it."""
    if found.pair is not None:
        two_texts(view, corpus, *found.pair)
    else:
        _clicked(view, corpus, states)
    side = next((side for side in states if states[side].selection is not None), None)
    lasso = None
    if side is not None:
        state, own = states[side], drawn[SIDES.index(side)]
        chosen, lasso = (
            _in_lasso(states, side, own, groups),
            LassoOrigin(view.run.id, side, method, tuple(state.selection)),
        )
        where, total = "in the lasso", len(chosen)
        chosen = chosen if found.rows is None else chosen[found.rows[chosen]]
    elif found.rows is not None:
        chosen, where, total = found.listed(corpus), "of this corpus", corpus.info.texts
    elif brushed.inside is not None:
        chosen, where, total = np.flatnonzero(~corpus.excluded), "of this corpus", corpus.info.texts
    elif show_selection(corpus):
        return
    else:
        st.caption("Draw a lasso with its tool, or with Shift held, to list the texts inside.")
        return
    if brushed.inside is not None:
        chosen, where = chosen[brushed.inside[chosen]], f"{where}, brushed on {escaped(brushed.words, 90)}"
    st.write(found.counted(len(chosen), where, total))
    if len(chosen):
        special(corpus, chosen)
        chosen_texts(corpus, chosen, key="maps.chosen")
        keep_selection(view, corpus, chosen, suggested=found.name or brushed.words, drawn=lasso)
        align_button(view, chosen)


def _in_lasso(states: dict[str, MapState], side: str, own: DrawnMap, groups: Colouring) -> np.ndarray:
    """The corpus rows inside the lasso, without those that the legend, which lies on the right map, hides."""
    inside = own.rows[states[side].selected(own.coordinates, groups.on(side)[own.rows])]
    return inside[states["after"].shows(groups.on(side))[inside]]


def _clicked(view: Compared, corpus: Corpus, states: dict[str, MapState]) -> None:
    """Of two clicked texts what lies between them."""
    clicked = next((state for state in states.values() if state.second is not None), None)
    if clicked is not None:
        two_texts(view, corpus, clicked.picked, clicked.second)


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
        help="Moves, rotates and scales the right map so that these texts are as close as possible to their "
        "positions on the left. What still differs among them is not an effect of how the map is oriented.",
    )


def _of(view: Compared) -> tuple[str, str]:
    return view.run.id, view.against


def _keep(of: tuple[str, str], rows: np.ndarray) -> None:
    st.session_state[KEY] = {"of": of, "rows": rows}


def _forget() -> None:
    st.session_state.pop(KEY, None)
