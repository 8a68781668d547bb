"""The pages in the order of the work, and links between them."""

from pathlib import Path

import streamlit as st

from embedlab.ui.frame.state import CORPUS_SOURCE, OWN_FILE

FOLDER = Path(__file__).resolve().parents[3] / "pages"
TITLES = {
    "home": ("Home", ":material/home:"),
    "corpus": ("Corpus", ":material/description:"),
    "train": ("Train", ":material/show_chart:"),
    "evaluate": ("Evaluate", ":material/rule:"),
    "maps": ("Maps", ":material/scatter_plot:"),
    "layers": ("Layers", ":material/layers:"),
    "length": ("Length", ":material/straighten:"),
    "diagnostics": ("Diagnostics", ":material/monitoring:"),
    "compare": ("Compare", ":material/compare_arrows:"),
    "studies": ("Studies", ":material/tune:"),
    "neighbors": ("Neighbors", ":material/hub:"),
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
    """Open another page now."""
    st.switch_page(page(key))


def go_button(label: str, key: str, *, primary: bool = False, name: str = "", help: str | None = None) -> None:  # noqa: A002
    """A button that opens another page."""
    kind = "primary" if primary else "secondary"
    if st.button(label, key=name or f"go-{key}-{label}", type=kind, help=help):
        go_to(key)


def go_to_own_texts() -> None:
    """Open Corpus where files are read."""
    st.session_state[CORPUS_SOURCE] = OWN_FILE
    go_to("corpus")
