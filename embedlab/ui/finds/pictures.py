"""The picture of a Find's curves, its leaderboard, and what was not tried or failed."""

import pyarrow as pa
import streamlit as st

from embedlab.distance import Distance
from embedlab.figures.find_curves import find_curves
from embedlab.finds.curves import curves_of, references_of
from embedlab.finds.in_words import is_share
from embedlab.finds.leaderboard import columns, failed, not_tried, rows_of
from embedlab.finds.model import Candidate, FindResults
from embedlab.finds.store import Find
from embedlab.numbers import counted
from embedlab.ui.components.chart import chart
from embedlab.ui.frame.distance import by_distance, shown_distance
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import count, duration, escaped

X_NAMES = {"steps": "Steps", "seconds": "Seconds", "share": "Share of training"}


def curves(find: Find, results: FindResults) -> None:
    """All candidates in one picture, over steps, seconds or the share of their training."""
    distance = shown_distance()
    rows = curves_of(results, distance)
    if not rows:
        st.caption("The first candidates are being measured.")
        return
    key = f"find.x-{find.id}"
    x = st.session_state.get(key) or "steps"
    in_shares = is_share(results.metric)
    figure = find_curves(
        rows, references=references_of(results, distance), rungs=results.rungs[:-1], x=x, metric=results.metric,
        by=by_distance(distance) if in_shares else "", in_shares=in_shares, identity=find.id, dark=is_dark(),
    )  # fmt: skip
    chart(figure, key=f"find-curves-{find.id}")
    st.segmented_control("Over", list(X_NAMES), default="steps", key=key, format_func=X_NAMES.get, required=True,
                         label_visibility="collapsed")  # fmt: skip
    if results.development_texts:
        one, where = ("development text", "") if in_shares else ("row", " of the half that selects")
        measured = f"Measured on {counted(results.development_texts, one)}{where}"
        st.caption(f"{measured}; click a name in the legend to hide its curves.")


def leaderboard(results: FindResults) -> None:
    """The best by the shown distance first."""
    distance = shown_distance()
    rows = rows_of(results, distance)
    if not rows:
        return
    _, error = columns(results.metric, distance)
    names = [name for name in rows[0] if name != error or any(row[name] is not None for row in rows)]
    table = pa.table({name: [row[name] for row in rows] for name in names})
    st.dataframe(
        table, hide_index=True, placeholder="–", column_config=_formats(results, distance),
        height=table_height(len(rows)), alt=f"{len(rows)} candidates, best first {by_distance(distance)}.",
    )  # fmt: skip
    for candidate in failed(results):
        st.caption(escaped(f"{candidate.title} failed: {candidate.reason}", 600))


def _formats(results: FindResults, distance: Distance) -> dict:
    value, error = columns(results.metric, distance)
    digits = "%.1f" if is_share(results.metric) else "%.3f"
    numbers = {value: digits, error: digits, "seconds": "%.0f"}
    return {
        "rank": st.column_config.NumberColumn("rank", width=60),
        "against the best": st.column_config.TextColumn("against the best", width=150),
        "settings": st.column_config.TextColumn("settings", width=300),
        **{name: st.column_config.NumberColumn(name, format=format_) for name, format_ in numbers.items()},
    }


def not_tried_section(results: FindResults) -> None:
    """What did not fit, with what it would cost."""
    left_out = not_tried(results)
    if left_out:
        with st.expander(f"Not tried: {count(len(left_out))}"):
            for candidate in left_out:
                st.write(escaped(_line(candidate), 400))


def _line(candidate: Candidate) -> str:
    if candidate.reason or candidate.cost_seconds is None:
        return f"{candidate.title}: {candidate.reason or 'it did not fit the budget.'}"
    return f"{candidate.title}: it would take about {duration(candidate.cost_seconds)}."
