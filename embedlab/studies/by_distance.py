"""A study by both distances in one dict, Euclidean under the plain keys as in a run's result; and seen by one."""

from collections.abc import Mapping

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance, other_distance
from embedlab.studies.measures import ACCURACY, drawn_over
from embedlab.studies.points import Point, SeedResult

_OF_BOTH = ("before", "measured", "development", "development_error")
OF_A_POINT = ("accuracy", "error", "sd", "low", "high", *_OF_BOTH)
OF_A_SEED = ("accuracy", "standard_error", *_OF_BOTH)


def as_json(euclidean: Point, cosine: Point) -> dict:
    """A point with the same by cosine under ``cosine``, also of its seeds; None there where nothing was measured."""
    both = zip(euclidean.seeds, cosine.seeds, strict=True)
    seeds = [{**_whole(one), COSINE: _of(other, OF_A_SEED)} for one, other in both]
    return {**_whole(euclidean), "seeds": seeds, COSINE: _of(cosine, OF_A_POINT)}


def seen_by(found: Mapping, distance: Distance, measure: str = ACCURACY) -> dict:
    """The summary of a study with the values of this distance under the plain keys; a figure takes it so.

    ``distance`` is the one they are by; ``by`` says it. Each point has the other distance's ``accuracy`` and ``error``
    under ``beside``, None where it has none. ``measure`` is what stands as the ``height`` of points and seeds.
    """
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
        shown |= {"references": told["references"], "answer": told["answer"]}
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


def _whole(found: Point | SeedResult) -> dict:
    """Development texts are the whole development part, as ``development_is_whole`` tells."""
    return {**vars(found), "development_is_whole": None if found.development is None else True}


def _of(found: Point | SeedResult, names: tuple[str, ...]) -> dict | None:
    return None if found.accuracy is None else {name: getattr(found, name) for name in names}
