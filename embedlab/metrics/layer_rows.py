"""What was measured after a layer, as it is kept, and its numbers by one distance, as figures and tables take them."""

from collections.abc import Mapping

from embedlab.distance import Distance
from embedlab.measurement import ByDistance, Found, Measurement

STATES = ("before", "after")


class LayerAccuracy(Measurement):
    """``gained`` test texts are right after this layer and wrong after the last one, ``lost`` the other way."""

    gained: int
    lost: int


class LayerMeasured(Found):
    """One encoder after one layer; ``linear`` where a probe was asked for."""

    knn: ByDistance[LayerAccuracy]
    zero_vectors: int
    linear: Measurement | None = None


def row_by(row: Mapping, distance: Distance) -> dict:
    """A row of ``layers.json`` by this distance: ``layer pooling before after standard_error_before …``."""
    found = {"layer": row["layer"], "pooling": row["pooling"], **numbers_by(row, distance)}
    for state, kept in _measured(row).items():
        found[f"zero_vectors_{state}"] = kept["zero_vectors"]
        if linear := kept.get("linear"):
            found |= {f"linear_{state}": linear["value"], f"linear_standard_error_{state}": linear["error"]}
    return found


def numbers_by(row: Mapping, distance: Distance) -> dict:
    """Those of its numbers that the other distance has otherwise; None ``before`` or ``after`` of no encoder."""
    found = dict.fromkeys(STATES)
    for state, kept in _measured(row).items():
        knn = kept["knn"][distance]
        found |= {state: knn["value"], f"standard_error_{state}": knn["error"]}
        found |= {f"{name}_{state}": knn[name] for name in ("gained", "lost")}
    return found


def _measured(row: Mapping) -> dict[str, Mapping]:
    return {state: row[state] for state in STATES if row[state] is not None}
