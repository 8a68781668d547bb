"""The pocket encoder at work on Home: it trains in the browser, with two sentences and three buttons."""

from pathlib import Path

import streamlit as st

from embedlab.figures.map_browser import map_style
from embedlab.figures.one_file import shared_script
from embedlab.learn.browser import browser_source
from embedlab.learn.pocket_corpus import first_pocket
from embedlab.ui.frame.navigation import go_to_own_texts

_FOLDER = Path(__file__).parent
_SCRIPTS = [browser_source(f"{name}.js") for name in ("pocket", "tsne", "map", "chart", "training")]


def _source(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "embedlab.pocket_at_work",
    html=_source("at_work.html"),
    css=map_style() + browser_source("chart.css") + _source("at_work.css"),
    js="\n".join([shared_script(), *_SCRIPTS, _source("at_work.js")]),  # one module
)


def pocket_at_work() -> None:
    """Dots of four topics move apart while a line rises; nothing if there are too few texts."""
    content = _content()
    if content is None:
        return
    result = _component(key="home.pocket", data=content, on_own_change=lambda: None)
    if result.get("own"):
        go_to_own_texts()


@st.cache_resource(max_entries=1, show_spinner=False)
def _content() -> dict | None:
    pocket = first_pocket()
    return None if pocket is None else pocket.as_content
