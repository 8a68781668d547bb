"""Everything side by side as a table: runs, untouched encoders and baselines in rows, columns with their gains."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from embedlab.comparison.best import supervised
from embedlab.comparison.columns import Column
from embedlab.comparison.rows import RUN, ComparedRow
from embedlab.comparison.sheet import facts_of, marks_of, trained_on_notes, unequal_length
from embedlab.comparison.tables import Sheet, TableCell, TableGroup, TableLine
from embedlab.errors import SettingsError

GAINS = "Gain: after minus before for the same run; in brackets its 95 % interval, if the same units were measured"
PRINTED = "Printed rows use the papers' own settings and test texts, kNN accuracy with Euclidean distance."
NONE_PRINTED = "The papers print none of these columns."
TITLE = "performance score"


@dataclass(frozen=True)
class PerformanceScore:
    """``scores`` by row key, between 0 and 1; ``columns`` that were used; ``why`` there are none."""

    scores: dict[str, float] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    why: str = ""

    @property
    def sentence(self) -> str:
        """For the note below the table."""
        if self.why:
            return self.why
        return (
            f"Performance score of SemCSE (section 5.2), over {'; '.join(self.columns)}: 1 is the best of the "
            f"{len(self.scores)} rows that have all of these in every column, 0.5 the median, 0 as far below it "
            f"again or farther. It depends on the other rows; a row trained with labels is left out unless all are."
        )


def side_sheet(
    rows: Sequence[ComparedRow],
    columns: Sequence[Column],
    *,
    gains: bool = True,
    score: bool = False,
    printed: bool = False,
) -> Sheet:
    """``gains`` adds a column after each that has any; ``score`` adds SemCSE's; ``printed`` the papers' rows."""
    gained = [(column, gains and bool(column.gains)) for column in columns]
    scored = performance_of(columns, rows) if score else None
    has_score = scored is not None and not scored.why
    heads, plain = [], []
    for column, has_gain in gained:
        heads += [column.head] + ([f"{column.name}: gain"] if has_gain else [])
        plain += [column.name] + ([f"{column.name}: gain"] if has_gain else [])
    heads, plain = (each + [TITLE] * has_score for each in (heads, plain))
    marks, has_several = marks_of(list(rows)), len({row.corpus for row in rows if row.corpus}) > 1
    by_corpus: dict[str, list[TableLine]] = {}
    for row in rows:
        line = _line(row, gained, scored if has_score else None, marks)
        by_corpus.setdefault(row.corpus_name if has_several else "", []).append(line)
    groups = [TableGroup(title, lines) for title, lines in by_corpus.items()]
    notes = _notes(rows, gained, scored)
    if printed:
        papers = [_widened(group, gained, has_score) for group in printed_groups(columns)]
        notes.append(PRINTED if papers else NONE_PRINTED)
        groups += papers
    return Sheet(["run"], heads, groups, notes, plain)


def _line(
    row: ComparedRow, gained: list[tuple[Column, bool]], scored: PerformanceScore | None, marks: dict[str, str]
) -> TableLine:
    cells = []
    for column, has_gain in gained:
        reading, gain = column.values.get(row.key), column.gains.get(row.key)
        cells.append(column.cell() if reading is None else column.cell(reading.value, error=reading.error))
        if has_gain:
            cells.append(column.cell(is_change=True, **({} if gain is None else vars(gain))))
    if scored is not None:
        cells.append(TableCell(scored.scores.get(row.key), digits=2))
    return TableLine([marks.get(row.key, "") + row.name], cells, facts_of(row))


def _widened(group: TableGroup, gained: list[tuple[Column, bool]], has_score: bool) -> TableGroup:
    """A group with empty cells in the columns of gains and score."""
    lines = []
    for line in group.lines:
        cells = []
        for (_, has_gain), cell in zip(gained, line.cells, strict=True):
            cells += [cell, TableCell(is_published=True)] if has_gain else [cell]
        lines.append(TableLine(line.words, cells + [TableCell(is_published=True)] * has_score))
    return TableGroup(group.title, lines)


def _notes(
    rows: Sequence[ComparedRow], gained: list[tuple[Column, bool]], scored: PerformanceScore | None
) -> list[str]:
    notes = ["± is one standard error."] if any(
        reading.error is not None for column, _ in gained for reading in column.values.values()
    ) else []  # fmt: skip
    if any(has_gain for _, has_gain in gained):
        notes.append(f"{GAINS}.")
    lower = [column.name for column, _ in gained if column.higher_is_better is False]
    notes += [f"Lower is better: {'; '.join(lower)}."] if lower else []
    neither = [column.name for column, _ in gained if column.higher_is_better is None]
    notes += [f"Neither higher nor lower is better by itself: {'; '.join(neither)}."] if neither else []
    notes += trained_on_notes(list(rows))
    notes += unequal_length(row.texts_read for row in rows if row.kind == RUN)
    upper = [row.name for row in rows if row.key in supervised(list(rows))]
    notes += [f"Trained on labels, an upper bound: {'; '.join(upper)}."] if upper else []
    return notes + ([scored.sentence] if scored is not None else [])


def printed_groups(columns: Sequence[Column]) -> list[TableGroup]:
    """The papers' rows in order; columns that a table lacks stay empty, gains are never printed."""
    tables: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for column in columns:
        for value in column.printed_values():
            models = tables.setdefault((value.paper, value.table), {})
            models.setdefault(value.model, {}).setdefault(column.key, column.printed_value(value))
    return [
        TableGroup(
            f"Printed in {paper}, {table}",
            [
                TableLine([model], [column.cell(cells.get(column.key), is_published=True) for column in columns])
                for model, cells in models.items()
            ],
        )
        for (paper, table), models in tables.items()
    ]


def performance_of(columns: Sequence[Column], rows: Sequence[ComparedRow]) -> PerformanceScore:
    """Over columns with a better direction, each metric by one distance, for rows that have a value in all.

    A row that was trained by labels, where others were not, is an upper bound and takes no part.
    """
    counted = [column for column in columns if column.counts and column.higher_is_better is not None]
    if not counted:
        return PerformanceScore(why="No performance score: no column says whether higher or lower is better.")
    keys = [row.key for row in rows if row.key not in supervised(list(rows))]
    whole = [key for key in keys if all(key in column.values for column in counted)]
    if len(whole) < FEWEST_MODELS:
        number = f"{len(whole)} row{'' if len(whole) == 1 else 's'}"
        return PerformanceScore(
            why=f"No performance score: it needs {FEWEST_MODELS} rows with a value in each of "
            f"{'; '.join(column.name for column in counted)}, but there {'is' if len(whole) == 1 else 'are'} {number}."
        )
    values = np.array([[column.values[key].value for column in counted] for key in whole])
    scores = performance(values, higher_is_better=[bool(column.higher_is_better) for column in counted])
    return PerformanceScore(dict(zip(whole, scores.tolist(), strict=True)), tuple(column.name for column in counted))


FEWEST_MODELS = 4


def performance(values: np.ndarray, *, higher_is_better: list[bool]) -> np.ndarray:
    """max(0, 1 − ½ (x − best) / (median − best)), mean over the tasks: 1 is the best at all, ½ the median, 0 the end.

    Depends on the compared models. Where the median is the best value, that scores 1 and others 0.
    values: (models, tasks) -> (models,)
    """
    values = np.asarray(values, float)
    if len(values) < FEWEST_MODELS:
        raise SettingsError(
            "E-FEW-MODELS",
            f"The performance score needs at least {FEWEST_MODELS} compared runs, but there are {len(values)}."
            " Choose more runs.",
        )
    best = np.where(higher_is_better, values.max(axis=0), values.min(axis=0))
    reach = np.median(values, axis=0) - best
    scores = np.maximum(0, 1 - (values - best) / np.where(reach == 0, 1, reach) / 2)
    return np.where(reach == 0, values == best, scores).mean(axis=1)
