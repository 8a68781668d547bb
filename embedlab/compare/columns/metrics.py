"""Columns of metrics: on the corpus of the rows, and on each evaluation set that measured any of them."""

from collections.abc import Sequence

from embedlab.compare.best import measured_metrics, measures_of, title_of
from embedlab.compare.columns.base import Asked, Column, Gain, Reading
from embedlab.compare.rows import RUN, Row
from embedlab.compare.sheet import scale_of
from embedlab.compare.values import KNN, metric_of, predicted_units, values_of
from embedlab.corpora.sets.stored import list_sets
from embedlab.distance import EUCLIDEAN, Distance
from embedlab.runs.evaluations import CORPUS, DIFFERENCE
from embedlab.statistics.intervals import paired_shares


def columns(rows: Sequence[Row], asked: Asked) -> list[Column]:
    """One for each corpus, metric and distance; then one for each evaluation set."""
    found = []
    for corpus in dict.fromkeys(row.corpus for row in rows if row.corpus):
        members = [row for row in rows if row.corpus == corpus]
        found += _of_source(members, CORPUS, members[0].corpus_name, asked, key=corpus)
    sets = {info.fingerprint: info.name for info in list_sets()}
    for source, name in sets.items():
        found += _of_source(rows, source, name, asked, key=source)
    return found


def _of_source(rows: Sequence[Row], source: str, place: str, asked: Asked, *, key: str) -> list[Column]:
    found = []
    for metric in measured_metrics(list(rows), source):
        for distance in (each for _, each in measures_of(metric, asked.shown)):
            read = {row.key: values_of(row, source, distance or EUCLIDEAN).get(metric) for row in rows}
            gains = {row.key: _gain(row, source, metric, distance or EUCLIDEAN) for row in rows}
            scale, digits, unit = scale_of(metric)
            by_papers = source == CORPUS and distance in (None, EUCLIDEAN)
            found.append(
                Column(
                    key=f"{key}/{metric}" + (f"/{distance}" if distance else ""),
                    title=title_of(metric, distance),
                    place=place,
                    values={row: Reading(each.value, each.error) for row, each in read.items() if each},
                    gains={row: each for row, each in gains.items() if each is not None},
                    scale=scale,
                    digits=digits,
                    unit=unit,
                    higher_is_better=metric_of(metric).higher_is_better,
                    counts=distance in (None, asked.shown),
                    printed={"corpus": place, "metric": metric.removesuffix("/cv10")} if by_papers else None,
                )
            )
    return found


def _gain(row: Row, source: str, metric: str, distance: Distance) -> Gain | None:
    """Of a run: what the evaluation kept; of kNN accuracy from its own predictions."""
    if row.kind != RUN:
        return None
    told = row.evaluations.values(source, distance).get(metric, {}).get(DIFFERENCE)
    if told is not None and (kept := told.as_json())["value"] is not None:
        return Gain(kept["value"], kept["low"], kept["high"])
    if (source, metric) != (CORPUS, KNN):
        return None
    before = predicted_units(row, distance, "before")
    after = predicted_units(row, distance, "after")
    if before is None or after is None:
        return None
    change = paired_shares(before=before["correct"], after=after["correct"])
    return Gain(change.value, change.low, change.high)
