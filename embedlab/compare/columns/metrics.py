"""Columns of metrics: on the corpus of the rows, and on each evaluation set that measured any of them."""

from collections.abc import Sequence

from embedlab.compare.best import measured_metrics, measures_of, title_of
from embedlab.compare.columns.base import Column, ColumnRequest, ColumnValue, Gain
from embedlab.compare.rows import RUN, ComparedRow
from embedlab.compare.sheet import scale_of
from embedlab.compare.values import KNN, metric_of, predicted_units, values_of
from embedlab.corpora.sets.stored import list_sets
from embedlab.distance import EUCLIDEAN, Distance
from embedlab.runs.evaluations import CORPUS, DIFFERENCE
from embedlab.statistics.intervals import paired_shares


def columns(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """One for each corpus, metric and distance; then one for each evaluation set."""
    result = []
    for corpus in dict.fromkeys(row.corpus for row in rows if row.corpus):
        members = [row for row in rows if row.corpus == corpus]
        result += _of_source(members, CORPUS, members[0].corpus_name, request, key=corpus)
    sets = {info.fingerprint: info.name for info in list_sets()}
    for source, name in sets.items():
        result += _of_source(rows, source, name, request, key=source)
    return result


def _of_source(
    rows: Sequence[ComparedRow], source: str, name: str, request: ColumnRequest, *, key: str
) -> list[Column]:
    result = []
    for metric in measured_metrics(list(rows), source):
        for distance in (each for _, each in measures_of(metric, request.first)):
            read = {row.key: values_of(row, source, distance or EUCLIDEAN).get(metric) for row in rows}
            gains = {row.key: _gain(row, source, metric, distance or EUCLIDEAN) for row in rows}
            scale, digits, unit = scale_of(metric)
            by_papers = source == CORPUS and distance in (None, EUCLIDEAN)
            result.append(
                Column(
                    key=f"{key}/{metric}" + (f"/{distance}" if distance else ""),
                    title=title_of(metric, distance),
                    place=name,
                    values={row: ColumnValue(each.value, each.error) for row, each in read.items() if each},
                    gains={row: each for row, each in gains.items() if each is not None},
                    scale=scale,
                    digits=digits,
                    unit=unit,
                    higher_is_better=metric_of(metric).higher_is_better,
                    counts=distance in (None, request.first),
                    printed={"corpus": name, "metric": metric.removesuffix("/cv10")} if by_papers else None,
                )
            )
    return result


def _gain(row: ComparedRow, source: str, metric: str, distance: Distance) -> Gain | None:
    """Of a run: what the evaluation kept; of kNN accuracy from its own predictions."""
    if row.kind != RUN:
        return None
    difference = row.evaluations.values(source, distance).get(metric, {}).get(DIFFERENCE)
    if difference is not None and (values := difference.as_json())["value"] is not None:
        return Gain(values["value"], values["low"], values["high"])
    if (source, metric) != (CORPUS, KNN):
        return None
    before = predicted_units(row, distance, "before")
    after = predicted_units(row, distance, "after")
    if before is None or after is None:
        return None
    change = paired_shares(before=before["correct"], after=after["correct"])
    return Gain(change.value, change.low, change.high)
