"""Everything measured for some rows, as columns that can be shown side by side.

A further kind of column is a function of the rows and the request, and an entry in ``KINDS``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from embedlab.comparison.best import difference_of, measured_metrics, measures_of, title_of
from embedlab.comparison.published import Published, published_values
from embedlab.comparison.rows import BASELINE, RUN, ComparedRow
from embedlab.comparison.sheet import scale_of
from embedlab.comparison.tables import TableCell
from embedlab.comparison.values import metric_of, predicted_units, values_of
from embedlab.corpora.sets.stored import list_sets
from embedlab.distance import SHOWN_FIRST, Distance, is_of_papers, or_either
from embedlab.runs.benchmark_scores import read_pointer, read_summaries
from embedlab.runs.evaluations import CORPUS, DIFFERENCE, read_diagnosed, robustness_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import KNN, KNN_BY_FOLDS
from embedlab.statistics.intervals import LEVEL


@dataclass(frozen=True)
class ColumnRequest:
    """A reader's choices: the distance shown first, and the scalar diagnostics.

    ``numbers``: a diagnostic's key -> (the number's name in its file, its title).
    """

    first: Distance = SHOWN_FIRST
    numbers: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnValue:
    """One value with its standard error, in the metric's own unit."""

    value: float
    error: float | None = None


@dataclass(frozen=True)
class Gain:
    """After minus before for one run; 95 % bounds where the same units were measured twice."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Column:
    """``place`` is the corpus, set or benchmark; ``values`` and ``gains`` are keyed by row.

    ``higher_is_better`` is None where no direction is good. ``counts``: whether it enters the performance score, which
    takes a metric by one distance and protocol alone. ``printed``: the fields by which papers' values of it are found.
    """

    key: str
    title: str
    place: str
    values: Mapping[str, ColumnValue]
    gains: Mapping[str, Gain] = field(default_factory=dict)
    scale: float = 1.0
    digits: int = 1
    unit: str = ""
    higher_is_better: bool | None = None
    counts: bool = True
    printed: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """``kNN accuracy by cosine, docs``"""
        return f"{self.title}, {self.place}" if self.place else self.title

    @property
    def head(self) -> str:
        """``kNN accuracy by cosine, docs (%)``"""
        return self.name + (f" ({self.unit})" if self.unit else "")

    def cell(self, value: float | None = None, **facts: Any) -> TableCell:
        """A cell of this column."""
        return TableCell(value, scale=self.scale, digits=self.digits, **facts)

    def printed_values(self) -> list[Published]:
        """Values that papers print for exactly this column, with default settings."""
        return [] if self.printed is None else published_values(**self.printed, setting="")

    def printed_value(self, value: Published) -> float:
        """A printed value in the column's unit: a share, or a rank unchanged."""
        return value.value if value.share is None else value.share


def metric_columns(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """One column per corpus, metric and distance, then one per evaluation set."""
    result = []
    for corpus in dict.fromkeys(row.corpus for row in rows if row.corpus):
        members = [row for row in rows if row.corpus == corpus]
        result += _of_source(members, CORPUS, members[0].corpus_name, request, key=corpus)
    for info in list_sets():
        result += _of_source(rows, info.fingerprint, info.name, request, key=info.fingerprint)
    return result


def _of_source(
    rows: Sequence[ComparedRow], source: str, name: str, request: ColumnRequest, *, key: str
) -> list[Column]:
    result = []
    metrics = measured_metrics(list(rows), source)
    for metric in metrics:
        for distance in (each for _, each in measures_of(metric, request.first)):
            read = {row.key: values_of(row, source, or_either(distance)).get(metric) for row in rows}
            gains = {row.key: _gain(row, source, metric, or_either(distance)) for row in rows}
            scale, digits, unit = scale_of(metric)
            by_papers = source == CORPUS and is_of_papers(distance)
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
                    counts=distance in (None, request.first) and not (metric == KNN and KNN_BY_FOLDS in metrics),
                    printed={"corpus": name, "metric": metric.removesuffix("/cv10")} if by_papers else None,
                )
            )
    return result


def _gain(row: ComparedRow, source: str, metric: str, distance: Distance) -> Gain | None:
    """The gain of a run: the stored one, or for kNN accuracy computed from its predictions."""
    if row.kind != RUN:
        return None
    difference = row.evaluations.values(source, distance).get(metric, {}).get(DIFFERENCE)
    if difference is not None and (values := difference.as_json())["value"] is not None:
        return Gain(values["value"], values["low"], values["high"])
    if source != CORPUS or metric not in (KNN, KNN_BY_FOLDS):
        return None
    before = predicted_units(row, metric, distance, "before")
    after = predicted_units(row, metric, distance, "after")
    if before is None or after is None:
        return None
    change = difference_of(metric)(before=before, after=after, level=LEVEL)
    return Gain(change.value, change.low, change.high)


AVERAGE = "average"


def benchmark_columns(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """A task that several sets share appears under the first of them."""
    measured = {row.key: dict(_scores(row)) for row in rows if row.kind != BASELINE}
    began = {row.key: dict(_scores(row, "before")) for row in rows if row.kind == RUN}
    score_keys = {key: None for scores in measured.values() for key in scores}
    result, tasks = [], set()
    for benchmark, title, task in sorted(score_keys, key=lambda score_key: (score_key[0], score_key[2] != AVERAGE)):
        if task != AVERAGE and task in tasks:
            continue
        tasks.add(task)
        score_key = (benchmark, title, task)
        values = {row: scores[score_key] for row, scores in measured.items() if score_key in scores}
        before = {row: scores[score_key] for row, scores in began.items() if score_key in scores}
        result.append(
            Column(
                key=f"{benchmark}/{task}",
                title=task,
                place=title,
                values={row: ColumnValue(value) for row, value in values.items()},
                gains={row: Gain(values[row] - before[row]) for row in values if row in before},
                scale=100.0,
                unit="×100",
                higher_is_better=True,
                counts=task != AVERAGE,
                printed={"benchmark": benchmark, "task": task},
            )
        )
    return result


def _scores(row: ComparedRow, state: str = "") -> Iterator[tuple[tuple[str, str, str], float]]:
    """(set, its title, task or average) -> score of this row's encoder."""
    for path, its_state in ((row.path, state or row.state), *((twin, "before") for twin in row.twins)):
        encoder = read_pointer(RunFolder(path), its_state)
        for summary in read_summaries(encoder) if encoder else []:
            title = summary.title.partition(",")[0]
            yield from (((summary.set, title, task), score) for task, score in summary.scores.items())
            if summary.average is not None:
                yield (summary.set, title, AVERAGE), summary.average


PLACE = "geometry"
ROBUSTNESS = "Moved by length (sd)"  # 0: robust

Both = tuple[float | None, float | None]


def geometry_columns(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """None of them has a better direction, except robustness to length, which is best at 0."""
    geometry = [_column(rows, "robustness", ROBUSTNESS, robustness_of)]
    for key, (name, title) in request.numbers.items():
        geometry.append(_column(rows, key, title, partial(_number, key=key, name=name)))
    return geometry


def _column(rows: Sequence[ComparedRow], key: str, title: str, read: Callable[[RunFolder], Both]) -> Column:
    """With digits for about three significant figures of the largest value.

    The value of an untouched encoder of several runs is that of the first run that has one.
    """
    values, gains = {}, {}
    for row in (row for row in rows if row.kind != BASELINE):
        before, after = read(RunFolder(row.path))
        for twin in row.twins:
            before = read(RunFolder(twin))[0] if before is None else before
        value = before if row.state == "before" else after
        if value is not None:
            values[row.key] = ColumnValue(value)
        if row.kind == RUN and before is not None and after is not None:
            gains[row.key] = Gain(after - before)
    largest = max((abs(each.value) for each in values.values()), default=0.0)
    digits = 1 if largest >= 100 else 2 if largest >= 10 else 3
    return Column(f"{PLACE}/{key}", title, place="", values=values, gains=gains, digits=digits)


def _number(run: RunFolder, *, key: str, name: str) -> Both:
    diagnosis = read_diagnosed(run, key)
    return (None, None) if diagnosis is None else diagnosis.number(name)


KINDS = (metric_columns, benchmark_columns, geometry_columns)


def columns_of(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """Columns for corpora and evaluation sets, public benchmarks, and geometry, each with at least one value."""
    return [column for kind in KINDS for column in kind(rows, request) if column.values]
