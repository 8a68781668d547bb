"""Meaningful axes: every text by its cosine to two typed phrases, before and after."""

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared


def show_axes(view: Compared, corpus: Corpus) -> None:
    """Two phrases in, two maps out whose distances mean something."""
