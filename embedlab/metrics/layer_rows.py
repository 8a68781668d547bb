"""What was measured after a layer, as it is kept, its numbers by one distance, and which layer is best."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import ByDistance, Found, Measurement
from embedlab.numbers import percent
from embedlab.statistics.intervals import LEVEL, Difference, counted_shares
from embedlab.statistics.verdict import FEWEST_TEXTS

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


OPENINGS = {"before": "Before", "after": "After fine-tuning"}
ALONE = "As it is"  # of an encoder that nothing was trained from


@dataclass(frozen=True)
class BestLayer:
    """Shares by one distance; ``difference`` is the best layer minus the last.

    Its interval is widened, because the best of ``compared`` layers was picked: the level is 1 − 5 %/(compared − 1).
    """

    layer: int
    last: int
    value: float
    last_value: float
    is_clear: bool
    compared: int
    difference: Difference

    def as_json(self) -> dict:
        """Plain values."""
        return asdict(self)


def best_layer(
    rows: Iterable[Mapping], *, pooling: str, state: str, distance: Distance, test_texts: int
) -> BestLayer | None:
    """Of one pooling, ``before`` or ``after``; None where it was not measured. Of equal layers the last wins."""
    by = [row_by(row, distance) for row in rows if row["pooling"] == pooling and row[state] is not None]
    measured = {row["layer"]: row for row in by}
    if not measured:
        return None
    last = max(measured)
    best = max(measured, key=lambda layer: (measured[layer][state], layer))
    top, end, others = measured[best], measured[last], max(len(measured) - 1, 1)
    gained, lost = top[f"gained_{state}"], top[f"lost_{state}"]
    level = 1 - (1 - LEVEL) / others if others > 1 else LEVEL
    difference = counted_shares(n=test_texts, gained=gained, lost=lost, level=level)
    is_clear = best != last and difference.is_clear and test_texts >= FEWEST_TEXTS
    return BestLayer(best, last, top[state], end[state], is_clear, len(measured), difference)


def best_layers_told(found: Mapping, *, pooling: str, distance: Distance, states: Sequence[str]) -> str:
    """``After fine-tuning, layer 2 of 4 knows the topic best by cosine: 52.0 %, against the last layer …``.

    ``found``: ``layers`` and ``test_texts``, as measured. Empty of an encoder with a single layer.
    """
    said = []
    for state in states:
        best = best_layer(
            found["layers"], pooling=pooling, state=state, distance=distance, test_texts=found["test_texts"]
        )
        if best is not None and best.compared > 1:
            opening = OPENINGS[state] if len(states) > 1 else ALONE
            said.append(_sentence(best, opening, f" by {DISTANCES[distance]}" if not said else ""))
    return " ".join(said)


def _sentence(best: BestLayer, opening: str, by: str) -> str:
    value = percent(best.value)
    if best.layer == best.last:
        return f"{opening}, the last layer ({best.last}) knows the topic best{by}: {value}."
    began = f"{opening}, layer {best.layer} of {best.last} knows the topic best{by}: {value},"
    gap = f"{best.difference.points} against the last layer"
    return f"{began} {gap}." if best.is_clear else f"{began} {gap}: within the error."
