"""A study seen by one distance, over one measure: as figures take it."""

from collections.abc import Mapping

from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.studies.measures import ACCURACY, drawn_over


def seen_by(found: Mapping, distance: Distance, measure: str = ACCURACY) -> dict:
    """The summary of a study with what was measured by this distance: ``points line references counted answer``.

    ``distance`` is the one they are by; ``by`` says it. Each point has the other distance's ``accuracy`` and ``error``
    under ``beside``, None where it has none. ``measure`` is what stands as the ``height`` of points and seeds.
    """
    told, others = (found["measured"].by(each) for each in (distance, other_distance(distance)))
    by_other = f"by {DISTANCES[other_distance(distance)]}"
    points = [_beside(*both, by_other) for both in zip(told["points"], others["points"], strict=True)]
    line = None if told["line"] is None else _beside(told["line"], others["line"], by_other)
    by = f"by {DISTANCES[distance]}"
    return drawn_over({**found, **told, "points": points, "line": line, "distance": distance, "by": by}, measure)


def _beside(point: Mapping, other: Mapping, by: str) -> dict:
    numbers = {"by": by, "accuracy": other["accuracy"], "error": other["error"]}
    return {**point, "beside": None if other["accuracy"] is None else numbers}
