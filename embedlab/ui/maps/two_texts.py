"""Two texts picked on a map: how similar they are, and the rank of each in the other's list, before and after."""

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared


def two_texts(view: Compared, corpus: Corpus, first: int, second: int) -> None:
    """Draw what is known of two corpus rows."""
