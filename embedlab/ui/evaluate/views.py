"""The views of Scores: how good the embeddings are, for which classes, on which benchmarks, and how they were made."""

from functools import partial

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.report.methods import methods_of
from embedlab.runs.folder import RunFolder
from embedlab.ui.evaluate.benchmarks_view import show_benchmarks
from embedlab.ui.evaluate.classes_view import example_classes, show_classes
from embedlab.ui.evaluate.metrics_view import show_metrics
from embedlab.ui.frame.files import download
from embedlab.ui.frame.page import View, show_error

_EXPLAINED = (
    "The same vectors are measured in several ways: by neighbors with the same label, by a linear classifier, by "
    "clustering, by search, and by how well two parts of a text retrieve each other. The test texts are a fixed "
    "tenth of the labeled ones and select nothing. Baselines from word counts are shown with every number, because "
    "they are often hard to beat. A change is called clear only if its 95 % interval excludes zero."
)
_SOURCE = "Crops paper, section 3.4 and Table S2; TSDAE, section 4; SemCSE, section 5; MTEB."


_view = partial(View, explained=_EXPLAINED, source=_SOURCE, example=example_classes)


def show_methods(run: RunFolder) -> None:
    """The text and its BibTeX entries, each with a button that copies it."""
    try:
        paragraph = methods_of(run)
    except EmbedlabError as error:
        show_error(error)
        return
    st.caption("Written from the run's folder: every number in it was measured or set in this run.")
    st.code(paragraph.text, language=None, wrap_lines=True, height=_height(paragraph.text))
    if paragraph.keys:
        st.subheader("BibTeX", anchor=False)
        st.code(paragraph.bibtex, language="latex", wrap_lines=True, height=_height(paragraph.bibtex))
    file = f"{paragraph.text}\n\n{paragraph.bibtex}\n"
    download("Download as text", file, f"methods-{run.id}.txt", key="methods.text")


SCORE_VIEWS = {
    "Metrics": _view(show_metrics, needs_embeddings=True),
    "Classes": _view(show_classes, needs_embeddings=True),
    "Benchmarks": _view(show_benchmarks, needs_embeddings=True, needs_encoder=True),
    "Methods": _view(show_methods),
}


_LINE, _CHARACTERS, _MOST = 21, 110, 420  # pixels a line, characters in one, pixels of the box


def _height(text: str) -> int:
    """Approximately the text's height, so that content below does not jump; a long text scrolls."""
    lines = sum(1 + len(line) // _CHARACTERS for line in text.splitlines())
    return min(_MOST, _LINE * (lines + 2))
