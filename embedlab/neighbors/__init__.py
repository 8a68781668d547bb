"""Which texts are nearest to which: the exact neighbor graph, and questions to it."""

from embedlab.neighbors.both_distances import nearest_by_both
from embedlab.neighbors.graph import NeighborGraph, neighbor_graph
from embedlab.neighbors.search import NeighborSearch

__all__ = ["NeighborGraph", "NeighborSearch", "nearest_by_both", "neighbor_graph"]
