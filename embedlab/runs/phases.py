"""A run and the phases before it on one x axis: kNN accuracy of the corpus that all of them were watched on."""

from dataclasses import dataclass

from embedlab.distance import Distance
from embedlab.errors import EmbedlabError
from embedlab.measurement import from_row
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run, read_rows, settings_of

_DEEPEST = 20


@dataclass(frozen=True)
class WatchedPhase:
    """One run: ``rows`` of ``step knn standard_error texts is_whole``; steps count from the first phase on."""

    run: str
    corpus: str  # fingerprint of what it was trained on
    rows: list[dict]


def watched_phases(run: RunFolder, distance: Distance) -> list[WatchedPhase]:
    """First to last; empty of a run that watched no target. An earlier phase that watched another one is left out."""
    target = settings_of(run).get("target")
    if target is None:
        return []
    found, encoder = [run], settings_of(run).get("encoder") or ""
    while encoder.startswith("run:") and len(found) < _DEEPEST:
        try:
            earlier = open_run(encoder.removeprefix("run:"))
            asked = settings_of(earlier)
        except EmbedlabError:
            break
        if asked.get("target") != target:
            break
        found, encoder = [earlier, *found], asked.get("encoder") or ""
    phases, began = [], 0
    for each in found:
        rows = _rows(each, distance)
        steps = [{**row, "step": row["step"] + began} for row in rows]
        phases.append(WatchedPhase(each.id, settings_of(each).get("corpus", ""), steps))
        began = steps[-1]["step"] if steps else began
    return phases


def _rows(run: RunFolder, distance: Distance) -> list[dict]:
    rows = [row for row in read_rows(run.metrics)[0] if row.get("target_knn") is not None]
    measured = [from_row(row["target_knn"]).by(distance) for row in rows]
    return [
        {"step": row["step"], "knn": found.value, "standard_error": found.error, "texts": row["target_texts"],
         "is_whole": row["target_is_whole"]}
        for row, found in zip(rows, measured, strict=True)
    ]  # fmt: skip
