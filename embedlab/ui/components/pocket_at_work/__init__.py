"""The pocket encoder at work on Home: it trains in the browser, with two sentences and three buttons."""

from pathlib import Path

import streamlit as st

from embedlab.corpora.base import open_corpus
from embedlab.documentation.docstrings import first_texts
from embedlab.errors import EmbedlabError
from embedlab.figures.map_browser import map_style
from embedlab.figures.one_file import shared_script
from embedlab.learn.browser import browser_source
from embedlab.learn.pocket_corpus import PocketContent, pocket_corpus, pocket_of
from embedlab.palette import class_colours
from embedlab.runs.example import gathered
from embedlab.ui.frame.layout import browser_component, noting
from embedlab.ui.frame.navigation import go_to_own_texts

TOPICS = ("Tables", "Web page elements", "Signal processing", "Linear algebra")  # few files hold many texts of them
AT_ONCE, GATHERED = 60, 100  # texts of each: read now, or from the gathered corpus
_SCRIPTS = [browser_source(f"{name}.js") for name in ("pocket", "tsne", "map", "chart", "training")]
_component = browser_component(
    "pocket_at_work", Path(__file__).parent, "at_work", ["at_work"], style=map_style() + browser_source("chart.css"),
    script="\n".join([shared_script(), *_SCRIPTS]),
)  # fmt: skip


def pocket_at_work() -> None:
    """Dots of four topics move apart while a line rises; nothing if there are too few texts."""
    content = _content()
    if content is not None and noting(_component, "own")(key="home.pocket", data=content).get("own"):
        go_to_own_texts()


@st.cache_resource(max_entries=1, show_spinner=False)
def _content() -> PocketContent | None:
    """None if the libraries hold too few texts on these topics; from those gathered so far, if not all are."""
    fingerprint = gathered()
    try:
        if fingerprint is None:
            return pocket_of("docs", first_texts(TOPICS, AT_ONCE), class_colours(TOPICS)).as_content
        return pocket_corpus(open_corpus(fingerprint), TOPICS, GATHERED).as_content
    except EmbedlabError:
        return None
