"""The texts chosen by a lasso, a search, a histogram or a selection; and two texts compared."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.colour_groups import Colouring
from embedlab.numbers import count
from embedlab.plane import FEWEST
from embedlab.report.nearest_texts import change_of_two, table_of_two, text_line
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.selections import LassoOrigin
from embedlab.runs.vectors import TwoTexts, between, is_quick, stored_vectors
from embedlab.ui.components.listed_texts import chosen_texts
from embedlab.ui.components.map_view import MapState
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import Compared, aligned_on
from embedlab.ui.components.strip_view import StripState
from embedlab.ui.frame.background import answered
from embedlab.ui.frame.layout import errors_shown, escaped, pair
from embedlab.ui.frame.state import by_distance, shown_distance
from embedlab.ui.maps.finding import SearchHits
from embedlab.ui.maps.selections import keep_selection, show_selection
from embedlab.ui.maps.special import special


def chosen_on_maps(
    view: Compared,
    corpus: Corpus,
    method: str,
    drawn: tuple[DrawnMap, DrawnMap],
    states: dict[str, MapState],
    groups: Colouring,
    hits: SearchHits,
    brushed: StripState,
) -> None:
    """The clicked texts, then the list of chosen ones with its actions."""
    clicked = ((state.picked, state.second) for state in states.values())
    both = ((first, second) for first, second in clicked if first is not None and second is not None)
    two = hits.pair or next(both, None)
    if two is not None:
        two_texts(view, corpus, *two)
    side = next((side for side in states if states[side].selection is not None), None)
    lasso = None
    if side is not None:
        side_map, polygon = drawn[SIDES.index(side)], states[side].selection
        inside = side_map.rows[states[side].selected(side_map.coordinates, groups.on(side)[side_map.rows])]
        chosen = inside[states["after"].shows(groups.on(side))[inside]]  # the right map's legend hides on both
        lasso = LassoOrigin(view.run.id, side, method, tuple(polygon or ()))
        where, total = "in the lasso", len(chosen)
        chosen = chosen if hits.rows is None else chosen[hits.rows[chosen]]
    elif hits.rows is not None:
        chosen, where, total = hits.listed(corpus), "of this corpus", corpus.info.texts
    elif brushed.inside is not None:
        chosen, where, total = np.flatnonzero(~corpus.excluded), "of this corpus", corpus.info.texts
    elif show_selection(corpus):
        return
    else:
        st.caption("Draw a lasso with its tool, or with Shift held, to list the texts inside.")
        return
    if brushed.inside is not None:
        chosen, where = chosen[brushed.inside[chosen]], f"{where}, brushed on {escaped(brushed.words, 90)}"
    st.write(hits.counted(len(chosen), where, total))
    if len(chosen):
        special(corpus, chosen)
        with chosen_texts(corpus, chosen, key="maps.chosen"):
            job = keep_selection(corpus, chosen, suggested=hits.name or brushed.words, drawn=lasso)
            align_button(view, chosen)
        job()


KEY = "maps.aligned_on"


def aligned(view: Compared, drawn: tuple[DrawnMap, DrawnMap]) -> tuple[DrawnMap, DrawnMap]:
    """The maps as drawn; if they are aligned on chosen texts, says on how many, with the way back."""
    alignment = st.session_state.get(KEY)
    if alignment is None or alignment["of"] != _of(view):
        return drawn
    chosen = np.zeros(1 + max(int(each.rows.max()) for each in drawn), bool)
    chosen[alignment["rows"][alignment["rows"] < len(chosen)]] = True
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"The right map is aligned on {count(len(alignment['rows']))} selected texts; the others follow.")
        st.button("Undo", key="maps.align-undo", type="tertiary", on_click=st.session_state.pop, args=(KEY, None),
                  help="Align on all texts again.")  # fmt: skip
    left, right = drawn
    return left, aligned_on(right, left, chosen)


def align_button(view: Compared, rows: np.ndarray) -> None:
    """Offers to align on these corpus rows; nothing if they are already used, or too few."""
    alignment = st.session_state.get(KEY)
    if len(rows) < FEWEST or view.is_single:
        return
    if alignment is not None and alignment["of"] == _of(view) and np.array_equal(np.sort(rows), alignment["rows"]):
        return
    st.button(
        f"Align on these {count(len(rows))} texts",
        key="maps.align",
        on_click=st.session_state.update,
        args=({KEY: {"of": _of(view), "rows": np.sort(rows)}},),
        help="Moves, rotates and scales the right map so that these texts are as close as possible to their "
        "positions on the left. What still differs among them is not an effect of how the map is oriented.",
    )


def _of(view: Compared) -> tuple[str, str]:
    return view.run.id, view.against


def two_texts(view: Compared, corpus: Corpus, first: int, second: int) -> None:
    """Draws the comparison of two corpus rows."""
    for name, row, column in zip(("First text", "Second text"), (first, second), pair("two-texts"), strict=True):
        title, label = corpus.title(row), corpus.label(row)
        head = f":gray[{name}]" + ("" if label is None else f" · {escaped(label, 40)}")
        lines = [head, f"**{escaped(title)}**" if title else "", escaped(corpus.texts[row], 240)]
        with column, st.container(border=True, gap="small"):
            st.markdown("  \n".join(filter(None, lines)))
    if first == second:
        st.caption("Both are the same text. Choose another one as the second.")
        return
    with errors_shown():  # of coordinates alone
        if (comparison := _comparison_of(view, first, second)) is not None:
            words, left, right = view.words, comparison["before"], comparison["after"]
            st.markdown(f"**{change_of_two(left, right, words)}**")
            st.markdown(table_of_two(left, right, words))
            others = count(max(left.others, right.others))
            by = by_distance(shown_distance())
            st.caption(f"Ranks and nearest texts {by} among the {others} other texts; 1st is the nearest.")
            _shared(corpus, left, right, words)


def _comparison_of(view: Compared, first: int, second: int) -> dict[str, TwoTexts] | None:
    """Computed directly if quick, otherwise by the resident process."""
    vectors = [stored_vectors(run, name) for run, name in view.encoders]
    distance = shown_distance()
    if all(is_quick(each.embeddings) for each in vectors):
        return {side: between(each, first, second, distance) for side, each in zip(SIDES, vectors, strict=True)}
    question = {"kind": "two_texts", "run": view.run.id, "first": first, "second": second}
    question |= {"distance": distance, "sides": view.encoders_asked}
    waiting = "Ranking all texts by their distance to these two."
    return answered(question, dict[str, TwoTexts], key="maps.asked-two", waiting=waiting)


def _shared(corpus: Corpus, left: TwoTexts, right: TwoTexts, words: tuple[str, str]) -> None:
    """Which texts are near to both."""
    for word, each in zip(words, (left, right), strict=True):
        if each.shared:
            named = [f"“{escaped(text_line(corpus, row, 60), 60)}”" for row in each.shared[:5]]
            more = len(each.shared) - len(named)
            st.caption(f"Close to both {word}: {', '.join(named)}" + (f" and {more} more." if more else "."))
