"""The pages in the order of the work, the address of every view, links between them, and former addresses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from embedlab.ui.frame.state import CORPUS_SOURCE, DROPPED, OWN_FILE

TAB, VIEW = "tab", "view"  # of Run and Runs, in the address
RESULT, MAP, SCORES, INSIDE, EXPORT = "Result", "Map", "Scores", "Inside", "Export"  # the tabs of Run
SWEEP = "Sweep"  # of Train


@dataclass(frozen=True)
class Place:
    """A page, and its parameters in the address besides the run."""

    page: str
    address: Mapping[str, str] = field(default_factory=dict)


TITLES = {
    "home": ("Home", ":material/home:"),
    "data": ("Data", ":material/description:"),
    "train": ("Train", ":material/show_chart:"),
    "run": ("Run", ":material/scatter_plot:"),
    "runs": ("Runs", ":material/compare_arrows:"),
    "learn": ("Learn", ":material/school:"),
}
PLACES = {
    **{key: Place(key) for key in TITLES},
    "corpus": Place("data", {"data": "Corpora"}),
    "evaluation sets": Place("data", {"data": "Evaluation sets"}),
    "result": Place("run", {TAB: RESULT}),
    "pairs": Place("data", {"data": "Training pairs"}),
    "own embeddings": Place("data", {"data": "Embeddings"}),
    "selections": Place("data", {"data": "Selections"}),
    "evaluate": Place("run", {TAB: SCORES}),
    "classes": Place("run", {TAB: SCORES, VIEW: "Classes"}),
    "maps": Place("run", {TAB: MAP}),
    "moved": Place("run", {TAB: MAP, VIEW: "What moved"}),
    "neighbors": Place("run", {TAB: MAP, VIEW: "Neighbors"}),
    "layers": Place("run", {TAB: INSIDE, VIEW: "Layers"}),
    "length": Place("run", {TAB: INSIDE, VIEW: "Length"}),
    "diagnostics": Place("run", {TAB: INSIDE, VIEW: "Diagnostics"}),
    "export": Place("run", {TAB: EXPORT}),
    "embeddings": Place("run", {TAB: EXPORT, VIEW: "Embeddings"}),
    "figure": Place("run", {TAB: EXPORT, VIEW: "Figure"}),
    "replay": Place("run", {TAB: EXPORT, VIEW: "Replay"}),
    "tables": Place("run", {TAB: EXPORT, VIEW: "Tables"}),
    "settings": Place("run", {TAB: EXPORT, VIEW: "Result and settings"}),
    "compare": Place("runs", {VIEW: "Metrics"}),
    "glance": Place("runs", {VIEW: "At a glance"}),
    "sweep": Place("train", {"train.view": SWEEP}),
    "studies": Place("runs", {VIEW: "Studies"}),
}
FORMER_PAGES = ("corpus", "evaluate", "maps", "neighbors", "layers", "length", "diagnostics", "compare", "studies")
_FORMER_NAMES = {"maps.view": VIEW, "evaluate.view": VIEW, "compare.show": VIEW}
_FORMER_VIEWS = {"Maps": "Map", "A text's flight": "A text's path"}


def forwarded(former: str, address: Mapping[str, str]) -> Place:
    """Where a former page's address leads: its current view, with all other parameters."""
    view = PLACES[former]
    names = {_FORMER_NAMES.get(name, name): _FORMER_VIEWS.get(value, value) for name, value in address.items()}
    if names.get(VIEW) == EXPORT:
        names = {name: value for name, value in names.items() if name != VIEW} | {TAB: EXPORT}
    return Place(view.page, {**view.address, **names})


FOLDER = Path(__file__).resolve().parents[3] / "pages"


def page(key: str) -> StreamlitPage:
    """One page; ``home`` answers at ``/``, every other one under its own name."""
    title, icon = TITLES[key]
    is_home = key == "home"
    return st.Page(FOLDER / f"{key}.py", title=title, icon=icon, default=is_home, url_path=None if is_home else key)


def go_to(key: str) -> None:
    """Open a view now.  ``key``: of ``PLACES``"""
    view = PLACES[key]
    st.switch_page(page(view.page), query_params=view.address)


def go_button(label: str, key: str, *, name: str = "", help: str | None = None) -> None:  # noqa: A002
    """A button that opens a view."""
    if st.button(label, key=name or f"go-{key}-{label}", help=help):
        go_to(key)


def go_to_own_texts(file: Path | None = None) -> None:
    """Open Data where files are read, with this one."""
    st.session_state[CORPUS_SOURCE] = OWN_FILE
    if file is not None:
        st.session_state[DROPPED] = str(file)
    go_to("corpus")
