"""Who neighbors whom: the share of each class among the neighbors of each class, before, after, and the change."""

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared


def show_class_neighbors(view: Compared, corpus: Corpus) -> None:
    """Class by class, with the texts behind each cell."""
