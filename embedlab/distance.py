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
