"""Made-up maps."""

import numpy as np

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])


def points(texts: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Clusters of various sizes and shapes.  -> (texts, 2), (texts,)"""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, classes + 1) ** 0.6
    categories = rng.choice(classes, size=texts, p=shares / shares.sum())
    angle = np.arange(classes) * 2.399963
    centres = np.sqrt(np.arange(classes) + 0.6)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) * 6
    stretch = rng.uniform(0.5, 2.2, (classes, 2))
    return centres[categories] + rng.normal(size=(texts, 2)) * stretch[categories], categories.astype(np.uint16)
