"""Centring: the mean of all texts becomes the origin (crops paper, Table S2)."""

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.numbers import counted
from embedlab.postprocessing.base import Processed, points_of
from embedlab.progress import Progress, silent


class CentreConfig(Config):
    """Whether lengths count before the mean is taken."""

    normalise_first: bool = Field(
        False, description="Divide each vector by its length (L2) first; the paper's Table S2 does not."
    )


class Centre:
    """No Euclidean distance changes, every cosine does."""

    key = "centre"
    title = "Centring"
    sentence = "Subtract the mean vector: Euclidean neighbors stay the same, cosine ones change."
    formula = r"x_i - \bar{x}"
    paper = "crops, Table S2"
    config_class = CentreConfig

    @staticmethod
    def fit_transform(
        embeddings: np.ndarray, rows: np.ndarray, config: CentreConfig, progress: Progress = silent
    ) -> Processed:
        """Vectors less their mean over all texts that have one."""
        points = points_of(embeddings, rows, title=Centre.title, normalise_first=config.normalise_first)
        progress(f"Centring {counted(len(points.rows), 'text')}")
        return points.processed(points.vectors - points.vectors.mean(axis=0))
