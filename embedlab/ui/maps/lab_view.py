"""Misread the map: four small maps of the same texts, drawn with other settings, seeds, or of random data."""

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared


def show_lab(view: Compared, corpus: Corpus) -> None:
    """The experiments, four maps at a time, and what each of them teaches."""
