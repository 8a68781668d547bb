"""Which texts a replay holds, and what of each."""

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.figures.text import shortened
from embedlab.metrics.shares import by_share
from embedlab.runs.film import probe_of
from embedlab.runs.folder import RunFolder

TEXTS = 5000
CHARACTERS, TITLE_CHARACTERS = 300, 100
SEED = 0


def texts_in_replay(run: RunFolder, kept: int) -> int:
    """How many texts the file will hold at most, known without reading any; 0 for a run without film and maps."""
    probe = probe_of(run)
    drawn = any(run.map("after", method).exists() for method in ("tsne", "umap", "pca", "own"))
    return min(TEXTS, kept) if drawn else 0 if probe is None else len(probe)


def chosen_rows(probe: np.ndarray, mapped: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
    """The probe texts and, of those on the maps, as many further ones as make 5,000: each class by its share.

    probe, mapped: corpus rows -> (texts,), in file order
    """
    probe = probe[:TEXTS]
    further = np.setdiff1d(mapped, probe)
    more = by_share(further, labels, TEXTS - len(probe), np.random.default_rng(SEED))
    return np.sort(np.concatenate([probe, more]).astype(np.int64))


def text_of(corpus: Corpus, row: int) -> list[str]:
    """Title and text, cut."""
    title = corpus.titles[row] if corpus.titles is not None else ""
    return [shortened(title or "", TITLE_CHARACTERS), shortened(corpus.texts[row], CHARACTERS)]
