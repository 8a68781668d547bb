"""Colours by measurements on maps: clusters, trust, movement, and whether the move helped."""

from typing import Literal

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.figures.palette import ACCENT, REFERENCE, UNTOUCHED, Shades, categorical, ramp
from embedlab.numbers import percent
from embedlab.runs.drawn_map import UNTOUCHED as ITSELF
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import Clusters, MapTrust, Moves
from embedlab.ui.components.loaded_maps import both_pictures, both_trusts, clusters, moves
from embedlab.ui.components.map_view import NO_CLASS
from embedlab.ui.frame.switches import AS_DRAWN
from embedlab.ui.maps.grouping import written

CLUSTERS_AFTER, CLUSTERS_BEFORE, PICTURE = "clusters-after", "clusters-before", "clusters-of-picture"
TRUE, KEPT, MOVEMENT, EFFECT = "trust-true", "trust-kept", "movement", "effect"
MEASURED = {
    CLUSTERS_AFTER: "Clusters (k-means, after)",
    CLUSTERS_BEFORE: "Clusters (k-means, before)",
    PICTURE: "Clusters of the picture",
    TRUE: "Trust: true neighbors",
    KEPT: "Trust: neighbors kept",
    MOVEMENT: "Movement",
    EFFECT: "Did the move help its class?",
}
KindOfTrust = Literal["true", "kept"]
KINDS_OF_TRUST: tuple[KindOfTrust, ...] = ("true", "kept")
_TRUST_NAMES = ["under 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 % and more"]
_MOVEMENT_EDGES = (0.2, 0.4, 0.6, 0.8)
_SAID = {
    "true": "of the ten neighbors on the map are among the 90 nearest texts in the full space (Euclidean)",
    "kept": "of the ten nearest texts in the full space (Euclidean) are among the 90 neighbors on the map",
}


def measured_choices(run: RunFolder, method: str, against: str) -> dict[str, str]:
    """The choices whose measurements exist, in display order."""
    moved = moves(run, against)
    there = {
        CLUSTERS_AFTER: _clusters_by(CLUSTERS_AFTER, run, method, against) is not None,
        CLUSTERS_BEFORE: _clusters_by(CLUSTERS_BEFORE, run, method, against) is not None,
        PICTURE: (picture := _clusters_by(PICTURE, run, method, against)) is not None and bool(picture.names),
        TRUE: (trusts := both_trusts(run, method, against)) is not None,
        KEPT: trusts is not None,
        MOVEMENT: moved is not None,
        EFFECT: moved is not None and bool(moved.facts["classes"]),
    }
    names = MEASURED if against == ITSELF else MEASURED | {
        CLUSTERS_AFTER: "Clusters (k-means, right)",
        CLUSTERS_BEFORE: "Clusters (k-means, left)",
    }  # fmt: skip
    return {key: names[key] for key in MEASURED if there[key]}


def measured_colouring(corpus: Corpus, run: RunFolder, choice: str, method: str, against: str) -> dict:
    """The fields of a ``Colouring``; all points alike if the measurement is gone."""
    rows = corpus.info.rows
    if choice in (CLUSTERS_AFTER, CLUSTERS_BEFORE, PICTURE):
        measured = _clusters_by(choice, run, method, against)
        return _plain(rows) if measured is None else _by_cluster(measured, rows, choice)
    if choice in (TRUE, KEPT):
        trusts = both_trusts(run, method, against)
        return _plain(rows) if trusts is None else _by_trust(trusts, rows, "true" if choice == TRUE else "kept")
    moved = moves(run, against)
    if moved is None:
        return _plain(rows)
    return _by_movement(moved, rows) if choice == MOVEMENT else _by_effect(moved, rows)


def shown_clusters(run: RunFolder, choice: str | None, method: str, against: str) -> Clusters | None:
    """The clusters behind a choice of colour, for their names on the map; None for other choices."""
    if choice is None or choice not in (CLUSTERS_AFTER, CLUSTERS_BEFORE, PICTURE):
        return None
    return _clusters_by(choice, run, method, against)


def topics(run: RunFolder) -> Clusters | None:
    """The clusters whose keywords name the topics of a map without class names; None if not computed."""
    after = clusters(run, "after")
    return after if after is not None and len(after.names) > 1 else None


def fade_by(
    corpus: Corpus, run: RunFolder, kind: str | None, *, method: str = "tsne", against: str = ITSELF
) -> dict[str, np.ndarray] | None:
    """The opacity of each corpus row on the map ``before`` and ``after``, by trust ``true`` or ``kept``.

    -> (rows,) float32 each, .08 at chance and 1 from the 90 % quantile of both maps on; None where it is not measured
    """
    trusts = None if kind is None else both_trusts(run, method, against)
    if kind is None or trusts is None:
        return None
    values = [getattr(each, kind) for each in trusts]
    measured = np.concatenate([each[np.isfinite(each)] for each in values])
    low, high = trusts[1].means["chance"] or 0.0, float(np.quantile(measured, 0.9)) if len(measured) else 1.0
    visibility = {}
    for side, each, shares in zip(("before", "after"), trusts, values, strict=True):
        visibility[side] = np.ones(corpus.info.rows, np.float32)
        visibility[side][each.rows] = np.clip((np.nan_to_num(shares) - low) / max(high - low, 1e-6), 0.08, 1.0)
    return visibility


def trust_line(run: RunFolder, method: str, against: str = ITSELF) -> str:
    """Both maps' means with chance levels, and what distances on a map do not mean; nothing if not measured."""
    trusts = both_trusts(run, method, against)
    if trusts is None or trusts[0].means["true"] is None or trusts[1].means["true"] is None:
        return ""
    shares = [[percent(each.means[name] or 0.0, 0) for each in trusts] for name in KINDS_OF_TRUST]
    true, stay = (f"left {left}, right {right}" for left, right in shares)
    chance = percent(trusts[1].means["chance"] or 0.0)
    return (
        f"Map trust: {true} of map neighbors are true neighbors; {stay} of true neighbors stay neighbors (chance "
        f"{chance}). Ten neighbors each; true or kept: among the "
        "90 nearest in the full space (Euclidean) or on the map. Distances between far groups, and the size of a "
        "group, mean nothing on a map."
    )


def _clusters_by(choice: str, run: RunFolder, method: str, against: str) -> Clusters | None:
    left, right = both_pictures(run, method, against)
    if choice == PICTURE:
        return clusters(right[0], right[1].stem)
    if choice == CLUSTERS_AFTER:
        return clusters(run, "after")
    return clusters(left[0], "before" if against == ITSELF else "after")


def _plain(rows: int) -> dict:
    return _fields(np.zeros(rows, np.uint16), ["texts"], [ACCENT], "")


def _by_cluster(grouping: Clusters, rows: int, choice: str) -> dict:
    categories = np.full(rows, NO_CLASS, np.uint16)
    categories[grouping.rows] = np.where(grouping.clusters < 0, NO_CLASS, grouping.clusters)
    without = "no cluster"
    note = "k-means on the embeddings (Euclidean distance); a cluster is named by its three most characteristic words."
    if choice == PICTURE:
        without = "between clusters"
        note = "Clusters of the picture: HDBSCAN on the coordinates of the right map, not on the embeddings."
    return _fields(categories, grouping.names, categorical(len(grouping.names)), without, note=note, on_map=True)


def _by_trust(trusts: tuple[MapTrust, MapTrust], rows: int, kind: KindOfTrust) -> dict:
    left, right = (_on_rows(each.rows, _steps(getattr(each, kind)), rows) for each in trusts)
    left_mean, right_mean = (each.means[kind] for each in trusts)
    average = ""
    if left_mean is not None and right_mean is not None:
        average = f" On average {percent(left_mean)} left and {percent(right_mean)} right"
    note = f"Which share {_SAID[kind]}.{average}, by chance {percent(trusts[1].means['chance'] or 0.0)}."
    return _fields(right, _TRUST_NAMES, ramp(len(_TRUST_NAMES)), "not measured", note=note) | {"left": left}


def _steps(values: np.ndarray) -> np.ndarray:
    """Fifths of shares that are whole tenths, -1 for none. (points,) -> (points,)"""
    tenths = np.rint(np.nan_to_num(values, nan=-10) * 10).astype(int)
    return np.where(tenths < 0, -1, np.minimum(tenths // 2, 4))


def _by_movement(moved: Moves, rows: int) -> dict:
    floor = moved.facts["floor"]["value"] or 0.0
    edges = [edge for edge in _MOVEMENT_EDGES if edge > floor]
    bounds = [floor, *edges, 1.0]
    names = [f"not above noise ({written(round(floor, 2))})"]
    names += [f"{written(round(low, 2))} to {written(high)}" for low, high in zip(bounds, bounds[1:], strict=False)]
    steps = np.digitize(np.nan_to_num(moved.movement, nan=0.0), edges, right=True) + 1
    steps = np.where(moved.above, steps, 0)
    steps[~np.isfinite(moved.movement)] = -1
    note = f"Which share of a text's ten nearest texts {AS_DRAWN} changed: 0 none, 1 all. "
    note += moved.facts["floor"]["sentence"]
    return _fields(_on_rows(moved.rows, steps, rows), names, [UNTOUCHED, *ramp(len(names) - 1)], "no vector", note=note)


def _by_effect(moved: Moves, rows: int) -> dict:
    effect = np.nan_to_num(moved.effect, nan=0.0)
    steps = np.where(moved.above & (effect > 0), 0, np.where(moved.above & (effect < 0), 2, 1))
    steps = np.where(np.isfinite(moved.effect), steps, -1)
    names = ["helped", "unchanged", "hurt"]
    note = (
        f"Helped: more of its ten nearest texts {AS_DRAWN} are of its own class than before; hurt: fewer. "
        "Only above noise."
    )
    colours = [ACCENT, UNTOUCHED, REFERENCE]
    return _fields(_on_rows(moved.rows, steps, rows), names, colours, "no label", note=note)


def _on_rows(map_rows: np.ndarray, steps: np.ndarray, rows: int) -> np.ndarray:
    categories = np.full(rows, NO_CLASS, np.uint16)
    categories[map_rows] = np.where(steps < 0, NO_CLASS, steps)
    return categories


def _fields(
    categories: np.ndarray,
    names: list[str],
    colours: list[Shades],
    without: str,
    *,
    note: str = "",
    on_map: bool = False,
) -> dict:
    return {
        "categories": categories,
        "names": names,
        "colours": colours,
        "names_on_map": on_map,
        "without": without,
        "note": note,
    }
