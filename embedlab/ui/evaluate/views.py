"""The views of Scores: how good the embeddings are, for which classes, on which benchmarks, and how they were made."""

from functools import partial

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.report.methods import methods_of
from embedlab.runs.folder import RunFolder
from embedlab.ui.evaluate.benchmarks_view import show_benchmarks
from embedlab.ui.evaluate.classes_view import example_classes, show_classes
from embedlab.ui.evaluate.metrics_view import show_metrics
from embedlab.ui.frame.files import paragraph_shown
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
    paragraph_shown(paragraph.text, paragraph.bibtex if paragraph.keys else "", of=run.id)


SCORE_VIEWS = {
    "Metrics": _view(show_metrics, needs_embeddings=True),
    "Classes": _view(show_classes, needs_embeddings=True),
    "Benchmarks": _view(show_benchmarks, needs_embeddings=True, needs_encoder=True),
    "Methods": _view(show_methods),
}
