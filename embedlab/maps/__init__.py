"""Embedding -> two coordinates; the map methods in display order."""

from embedlab.maps.pca import PCA
from embedlab.maps.tsne import TSNE
from embedlab.maps.umap import UMAP
from embedlab.registry import Registry

MAPS = Registry("map method", [TSNE, UMAP, PCA])
