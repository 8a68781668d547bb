"""The pages in the order of the work, and links between views."""

from pathlib import Path

import streamlit as st

from embedlab.ui.frame.state import CORPUS_SOURCE, OWN_FILE
from embedlab.ui.frame.views.places import PLACES

FOLDER = Path(__file__).resolve().parents[3] / "pages"
TITLES = {
    "home": ("Home", ":material/home:"),
    "data": ("Data", ":material/description:"),
    "train": ("Train", ":material/show_chart:"),
    "run": ("Run", ":material/scatter_plot:"),
    "runs": ("Runs", ":material/compare_arrows:"),
    "learn": ("Learn", ":material/school:"),
}


def page(key: str):
    """One page; ``home`` answers at ``/``, every other one under its own name."""
    title, icon = TITLES[key]
    where = {"default": True} if key == "home" else {"url_path": key}
    return st.Page(FOLDER / f"{key}.py", title=title, icon=icon, **where)


def all_pages() -> list:
    """Every page, in order."""
    return [page(key) for key in TITLES]


def go_to(key: str) -> None:
    """Open a view now.  ``key``: of ``places.PLACES``"""
    place = PLACES[key]
    st.switch_page(page(place.page), query_params=place.address)


def go_button(label: str, key: str, *, primary: bool = False, name: str = "", help: str | None = None) -> None:  # noqa: A002
    """A button that opens a view."""
    kind = "primary" if primary else "secondary"
    if st.button(label, key=name or f"go-{key}-{label}", type=kind, help=help):
        go_to(key)


def go_to_own_texts() -> None:
    """Open Data where files are read."""
    st.session_state[CORPUS_SOURCE] = OWN_FILE
    go_to("corpus")
