"""What moved: texts and groups ranked by how many of their neighbors changed, and whether that helped."""

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared


def show_moves(view: Compared, corpus: Corpus) -> None:
    """The ranked lists, and the texts with their neighbors before and after."""
