"""The two distances between texts, and which of them pages show first."""

from typing import Literal

Distance = Literal["cosine", "euclidean"]
COSINE: Distance = "cosine"  # most encoders are trained by it, all are exported with it; pages open on it
EUCLIDEAN: Distance = "euclidean"  # the crops paper's protocol; ``knn`` in JSON
DISTANCES: dict[Distance, str] = {COSINE: "cosine", EUCLIDEAN: "Euclidean distance"}
SHOWN_FIRST = COSINE


def other_distance(distance: Distance) -> Distance:
    """The other of the two."""
    return EUCLIDEAN if distance == COSINE else COSINE


def or_either(distance: Distance | None) -> Distance:
    """This distance, or for what no distance measures any of them, by which values are looked up."""
    return distance or EUCLIDEAN


def is_of_papers(distance: Distance | None) -> bool:
    """Whether published values compare with it: Euclidean distance, or none where a metric has no distance."""
    return distance in (None, EUCLIDEAN)
