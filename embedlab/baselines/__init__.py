"""What any encoder must beat: vectors and scores from words alone; the baselines in display order."""

from embedlab.baselines.bm25 import BM25
from embedlab.baselines.random_projection import RandomProjection
from embedlab.baselines.static_vectors import StaticVectors
from embedlab.baselines.tfidf import SVD, TfIdf, UnscaledSVD
from embedlab.registry import Registry

BASELINES = Registry("baseline", [TfIdf, SVD, UnscaledSVD, BM25, StaticVectors, RandomProjection])
