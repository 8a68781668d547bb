"""Maps of one set of texts after every layer, each drawn on from the one above it, so that a slider can move them."""

import numpy as np

from embedlab.errors import EmbedlabError
from embedlab.maps.few_points import first_frame, next_frame
from embedlab.progress import Progress, silent

SEED = 42
ITERATIONS = 500  # at most, from one layer to the next: they differ more than two evaluations of a training


def layer_maps(by_layer: np.ndarray, *, onto: np.ndarray | None = None, progress: Progress = silent) -> np.ndarray:
    """t-SNE of each layer: the last one first, from ``onto`` where another encoder's last layer is drawn already.

    A layer that cannot be drawn (all vectors alike, as [CLS] before the first layer) repeats the one above it.
    by_layer: (layers + 1, texts, dim), onto: (texts, 2) -> (layers + 1, texts, 2) float32
    """
    drawn, last = [], onto
    for done, embeddings in enumerate(by_layer[::-1]):
        progress("Drawing a map of every layer", done, len(by_layer))
        last = _drawn(embeddings, last)
        drawn.append(last)
    return np.stack(drawn[::-1])


def _drawn(embeddings: np.ndarray, last: np.ndarray | None) -> np.ndarray:
    if last is None:
        found = first_frame(embeddings, seed=SEED)
        middle = np.nanmean(found, axis=0) if np.isfinite(found).any() else np.zeros(2)
        return np.where(np.isfinite(found), found, middle).astype(np.float32)
    try:
        found = next_frame(embeddings, last, iterations=ITERATIONS)
    except (EmbedlabError, ArithmeticError, ValueError, RuntimeError):
        return last
    return np.where(np.isfinite(found), found, last).astype(np.float32)
