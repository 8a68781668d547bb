"""A chart: plotly.js, loaded once for all, in a component that updates without flicker and keeps zoom and hover."""

import html
import json
import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Protocol

import streamlit as st

from embedlab.ui.frame.layout import browser_component
from embedlab.ui.frame.state import shown_size

_SCRIPTS = "enlarged picture race chart".split()
_component = browser_component(
    "chart", Path(__file__).with_name("chart_browser"), "chart", _SCRIPTS, isolate_styles=False
)


class Figure(Protocol):
    """The interface of a plotly figure used here; plotly itself is imported only in figures/."""

    def to_json(self) -> str: ...


def chart(figure: Figure, *, key: str, on_click: Callable[[], None] | None = None, race: dict | None = None) -> None:
    """Draw or update a chart in place; the reader's zoom stays while ``layout.uirevision`` does.

    The figure's own sentence (``layout.meta.alt``) is read out in place of the picture.
    ``on_click`` runs when the reader clicks a mark, whose place ``clicked(key)`` then is. ``race``: so many first
    traces (``lines``, then ``grey`` ones outside the race) grow together until x is ``end``, where the sentences
    ``verdicts`` appear.
    """
    drawn = json.loads(figure.to_json())
    layout = drawn["layout"]
    file = file_name(layout.get("title", {}).get("text", "")) or file_name(key)
    height = None if race else layout.get("height")  # kept free from the first moment: what stands below does not jump
    room: int | Literal["content"] = "content" if height is None else round(height * shown_size())
    data = dict(
        figure=drawn, alt=layout.get("meta", {}).get("alt", ""), plotly=_address(), file=file, size=shown_size(),
        clicks=on_click is not None, race=race,
    )  # fmt: skip
    callbacks: dict[str, Any] = {} if on_click is None else {"on_clicked_change": on_click}
    _component(data=data, key=key, height=room, **callbacks)


def clicked(key: str) -> tuple[float, float] | None:
    """Where the reader clicked on the chart with this key: x and y, or column and row of a heat map."""
    point = (st.session_state.get(key) or {}).get("clicked")
    return None if point is None else (float(point["x"]), float(point["y"]))


def file_name(title: str) -> str:
    """The file name of a picture with this title, without extension: lower-case words joined by hyphens."""
    words = html.unescape(re.sub(r"<[^>]*>", " ", title)).casefold()
    return re.sub(r"[^\w]+", "-", words).strip("-_")[:60].rstrip("-_")


SMOOTHING = {0.0: "none", 0.6: "light", 0.85: "medium", 0.97: "strong"}


def smoothing_choice(key: str) -> float:
    """The smoothing of curves; the same on every curve until changed."""
    return st.select_slider(
        "Smoothing", list(SMOOTHING), 0.0, format_func=SMOOTHING.__getitem__, key=key, width=170,
        persist_state="session",
        help="An exponential moving average; the measured values stay faint behind it. Drag on "
        "a curve to zoom in, double click to see all of it again.",
    )  # fmt: skip


def prepare_charts() -> None:
    """Let the browser load plotly.js while idle, so that no chart waits for it."""
    _component(key="charts", data=dict(plotly=_address()))


@cache
def _address() -> str:
    return f"assets/plotly.min.js?v={version('plotly')}"
