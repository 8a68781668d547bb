"""Named selections: chosen in the address, drawn on every map, made from a lasso or a search, taken along."""

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared


def opened_selection(corpus: Corpus) -> np.ndarray | None:
    """Draw the choice of a stored selection; (corpus rows,) bool, or None where none is chosen."""
    return None


def keep_selection(view: Compared, corpus: Corpus, rows: np.ndarray, *, suggested: str) -> None:
    """Draw what can be done with these corpus rows: name and keep them, make a corpus of them, train on them."""
