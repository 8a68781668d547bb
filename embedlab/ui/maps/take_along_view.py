"""Take along: figures for a paper, coordinates and neighbors as files, and the run as one HTML file."""

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared


def show_take_along(view: Compared, corpus: Corpus) -> None:
    """What can be downloaded of this run's maps."""
