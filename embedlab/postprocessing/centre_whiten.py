"""Centering and whitening (crops paper, Table S2)."""

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.numbers import counted
from embedlab.postprocessing.base import PostProcessing, Processed, rounding, usable_vectors
from embedlab.progress import Progress, silent
from embedlab.vectors.directions import are_directions, one_blas_thread, signs_of


class NormaliseConfig(Config):
    """Whether vectors are normalised before anything else."""

    normalise_first: bool = Field(
        False, description="Divide each vector by its length (L2) first; the paper's Table S2 does not."
    )


class Centre(PostProcessing):
    """Changes every cosine but no Euclidean distance."""

    key = "centre"
    title = "Centering"
    sentence = "Subtract the mean vector: Euclidean neighbors stay the same, cosine ones change."
    formula = r"x_i - \bar{x}"
    paper = "crops, Table S2"
    config_class = NormaliseConfig

    @staticmethod
    def fit_transform(
        embeddings: np.ndarray, rows: np.ndarray, config: NormaliseConfig, progress: Progress = silent
    ) -> Processed:
        """Vectors minus their mean over all usable texts."""
        points = usable_vectors(embeddings, rows, title=Centre.title, normalise_first=config.normalise_first)
        progress(f"Centering {counted(len(points.rows), 'text')}")
        return points.processed(points.vectors - points.vectors.mean(axis=0))


class Whiten(PostProcessing):
    """Equals scikit-learn's ``PCA(whiten=True)`` with all components; components without variance are zero here."""

    key = "whiten"
    title = "Whitening"
    sentence = "Scale every principal component to the same variance, so that none dominates."
    formula = r"\Lambda^{-1/2} V^\top (x_i - \bar{x}), \quad \mathrm{cov}(x) = V \Lambda V^\top"
    paper = "crops, Table S2; Su et al. 2021"
    config_class = NormaliseConfig

    @staticmethod
    def fit_transform(
        embeddings: np.ndarray, rows: np.ndarray, config: NormaliseConfig, progress: Progress = silent
    ) -> Processed:
        """Columns are components in order of variance; missing ones at the end are zero."""
        points = usable_vectors(embeddings, rows, title=Whiten.title, normalise_first=config.normalise_first)
        texts, dim = points.vectors.shape
        progress(f"Whitening {texts:,} texts")
        centred = points.vectors - points.vectors.mean(axis=0)
        axes, deviations = principal_components(centred)
        has_variance = deviations > rounding(points.vectors)
        white = np.zeros((texts, dim))
        components = int(has_variance.sum())
        white[:, :components] = centred @ (axes[:, has_variance] / deviations[has_variance])
        remarks = []
        if components < dim:
            remarks.append(f"{dim - components:,} of {dim:,} components have no variance and are dropped.")
        if components >= texts - 1:
            remarks.append(
                f"With {texts:,} texts in {dim:,} dimensions, whitening puts all of them at the same distance from "
                f"each other, so their neighbors mean nothing."
            )
        return points.processed(white, components=components, remarks=remarks)


def principal_components(centred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Axes and standard deviations in order of variance; the largest coordinate of each axis is positive.

    Axes without variance, which rounding chooses, are left out.

    centred: (texts, dim) -> (dim, components), (components,)
    """
    from sklearn.decomposition import PCA

    texts, dim = centred.shape
    with one_blas_thread():
        pca = PCA(svd_solver="full" if texts < dim else "covariance_eigh").fit(centred)
    if texts < dim:
        is_there = are_directions(pca.singular_values_, centred.shape)
    else:
        is_there = are_directions(pca.explained_variance_, (dim, dim))  # computed from the covariance
    axes = pca.components_[is_there].T
    return axes * signs_of(axes), np.sqrt(pca.explained_variance_[is_there])
