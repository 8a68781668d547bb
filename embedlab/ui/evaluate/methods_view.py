"""How a run was made, as a paragraph with its citations, ready to paste."""

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.report.methods import methods_of
from embedlab.runs.folder import RunFolder
from embedlab.ui.frame.page import show_error

_LINE, _CHARACTERS, _MOST = 21, 110, 420  # pixels a line, characters in one, pixels of the box


def show_methods(run: RunFolder) -> None:
    """The text and its BibTeX entries, each with a button that copies it."""
    try:
        found = methods_of(run)
    except EmbedlabError as error:
        show_error(error)
        return
    st.caption("Written from the run's folder: every number in it was measured or set in this run.")
    st.code(found.text, language=None, wrap_lines=True, height=_height(found.text))
    if found.keys:
        st.subheader("BibTeX", anchor=False)
        st.code(found.bibtex, language="latex", wrap_lines=True, height=_height(found.bibtex))
    st.download_button("Download as text", f"{found.text}\n\n{found.bibtex}\n", f"methods-{run.id}.txt", "text/plain",
                       key="methods.text", on_click="ignore")  # fmt: skip


def _height(text: str) -> int:
    """About as high as the text, so that what stands below does not jump when it comes; a long one is scrolled."""
    lines = sum(1 + len(line) // _CHARACTERS for line in text.splitlines())
    return min(_MOST, _LINE * (lines + 2))
