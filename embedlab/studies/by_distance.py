"""A study by both distances in one dict, Euclidean under the plain keys as in a run's result; and seen by one."""

from collections.abc import Mapping

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance, other_distance
from embedlab.studies.measures import ACCURACY, drawn_over
from embedlab.studies.points import Point

_DEVELOPMENT = ("development", "development_error")
OF_A_POINT = ("accuracy", "error", "sd", "low", "high", "before", "measured", *_DEVELOPMENT)
OF_A_SEED = ("accuracy", "standard_error", "before", "measured", *_DEVELOPMENT)
ONLY_EUCLIDEAN = "By Euclidean distance, because some of its runs are from before cosine was kept."


def as_json(euclidean: Point, cosine: Point) -> dict:
    """A point with the same by cosine under ``cosine``, also of its seeds; None there where a run kept none."""
    both = zip(euclidean.seeds, cosine.seeds, strict=True)
    seeds = [{**vars(one), COSINE: _of(vars(other), OF_A_SEED)} for one, other in both]
    is_whole = len(euclidean.finished) == len(cosine.finished)
    by_cosine = _of(vars(cosine), OF_A_POINT) if is_whole else None
    return {**vars(euclidean), "seeds": seeds, COSINE: by_cosine}


def seen_by(found: Mapping, distance: Distance, measure: str = ACCURACY) -> dict:
    """The summary of a study with the values of this distance under the plain keys; a figure takes it so.

    ``distance`` is the one they are by, Euclidean where a run kept no cosine; ``by`` says it. Each point has the other
    distance's ``accuracy`` and ``error`` under ``beside``, None where it has none. ``measure`` is what stands as the
    ``height`` of points and seeds.
    """
    distance = distance if _has_cosine(found) else EUCLIDEAN
    line = found["line"]
    shown = {
        **found,
        "distance": distance,
        "by": f"by {DISTANCES[distance]}",
        "points": [_seen(point, distance) for point in found["points"]],
        "line": None if line is None else _seen(line, distance),
    }
    if distance == COSINE:
        told = found[COSINE]
        shown |= {"references": told["references"], "answer": told["answer"] or found["answer"]}
    return drawn_over(shown, measure)


def values_by(point: Mapping, distance: Distance) -> Mapping:
    """What a point of a summary, or a seed of it, says by this distance; empty where that was not kept."""
    return point if distance == EUCLIDEAN else point[COSINE] or {}


def _seen(point: Mapping, distance: Distance) -> dict:
    other = other_distance(distance)
    beside = values_by(point, other)
    return {
        **point,
        **values_by(point, distance),
        "seeds": [{**seed, **values_by(seed, distance)} for seed in point["seeds"]],
        "beside": {"by": f"by {DISTANCES[other]}", "accuracy": beside["accuracy"], "error": beside["error"]}
        if beside.get("accuracy") is not None
        else None,
    }


def _has_cosine(found: Mapping) -> bool:
    points = [*found["points"], *([found["line"]] if found["line"] else [])]
    return all(point[COSINE] is not None for point in points if point["accuracy"] is not None)


def _of(values: Mapping, names: tuple[str, ...]) -> dict | None:
    """What a live sample said of development texts is Euclidean: there is none by cosine."""
    if values["accuracy"] is None:
        return None
    lacks = () if values["development_is_whole"] else _DEVELOPMENT
    return {name: None if name in lacks else values[name] for name in names}
