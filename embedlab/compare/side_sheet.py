"""Everything side by side as a table: runs, untouched encoders and baselines by columns, each with its gain beside."""

from collections.abc import Sequence

from embedlab.compare.best import supervised
from embedlab.compare.columns.base import Column, Gain
from embedlab.compare.performance_score import TITLE, PerformanceScore, performance_of
from embedlab.compare.rows import RUN, ComparedRow
from embedlab.compare.sheet import MARK, TRAINED_ON, marks_of, unequal_length
from embedlab.compare.tables import Sheet, TableCell, TableGroup, TableLine

GAINS = "Gain: after minus before for the same run; in brackets its 95 % interval, if the same units were measured"
PRINTED = "Printed rows use the papers' own settings and test texts, kNN accuracy with Euclidean distance."
NONE_PRINTED = "The papers print none of these columns."
_LOWER = "lower is better"


def side_sheet(
    rows: Sequence[ComparedRow],
    columns: Sequence[Column],
    *,
    gains: bool = True,
    score: bool = False,
    printed: bool = False,
) -> Sheet:
    """``gains`` adds a column behind each that has any; ``score`` SemCSE's; ``printed`` the papers' rows below."""
    gained = [(column, gains and bool(column.gains)) for column in columns]
    scored = performance_of(columns, rows) if score else None
    has_score = scored is not None and not scored.why
    heads, plain = [], []
    for column, has_gain in gained:
        heads += [column.head] + ([f"{column.name}: gain"] if has_gain else [])
        plain += [column.name] + ([f"{column.name}: gain"] if has_gain else [])
    heads, plain = (each + [TITLE] * has_score for each in (heads, plain))
    groups = [
        TableGroup(title, [_line(row, gained, scored if has_score else None, marks_of(list(rows))) for row in members])
        for title, members in _grouped(rows).items()
    ]
    notes = _notes(rows, gained, scored)
    if printed:
        papers = [_widened(group, gained, has_score) for group in printed_groups(columns)]
        notes.append(PRINTED if papers else NONE_PRINTED)
        groups += papers
    return Sheet(["run"], heads, groups, notes, plain)


def _grouped(rows: Sequence[ComparedRow]) -> dict[str, list[ComparedRow]]:
    """By corpus, where there are several."""
    several = len({row.corpus for row in rows if row.corpus}) > 1
    groups: dict[str, list[ComparedRow]] = {}
    for row in rows:
        groups.setdefault(row.corpus_name if several else "", []).append(row)
    return groups


def _line(
    row: ComparedRow, gained: list[tuple[Column, bool]], scored: PerformanceScore | None, marks: dict[str, str]
) -> TableLine:
    cells = []
    for column, has_gain in gained:
        reading = column.values.get(row.key)
        cells.append(
            TableCell(scale=column.scale, digits=column.digits)
            if reading is None
            else TableCell(reading.value, reading.error, scale=column.scale, digits=column.digits)
        )
        cells += [_gained(column, column.gains.get(row.key))] if has_gain else []
    if scored is not None:
        cells.append(TableCell(scored.scores.get(row.key), digits=2))
    facts = {"id": row.path.name, "corpus": row.corpus_name, "encoder": row.encoder, "recipe": row.recipe}
    facts |= {"seed": row.seed, "trained on": TRAINED_ON.get(row.trained_on or "")}
    return TableLine([marks.get(row.key, "") + row.name], cells, facts)


def _gained(column: Column, gain: Gain | None) -> TableCell:
    layout = {"scale": column.scale, "digits": column.digits, "is_change": True}
    return TableCell(**layout) if gain is None else TableCell(gain.value, low=gain.low, high=gain.high, **layout)


def _widened(group: TableGroup, gained: list[tuple[Column, bool]], has_score: bool) -> TableGroup:
    """With empty cells where gains and score stand."""
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
    notes += [f"{_LOWER.capitalize()}: {'; '.join(lower)}."] if lower else []
    neither = [column.name for column, _ in gained if column.higher_is_better is None]
    notes += [f"Neither higher nor lower is better by itself: {'; '.join(neither)}."] if neither else []
    if any(marks_of(list(rows)).values()):
        notes.append(f"{MARK} trained on the train split only, the others on all texts without labels, or on labels.")
    notes += unequal_length(row.texts_read for row in rows if row.kind == RUN)
    upper = [row.name for row in rows if row.key in supervised(list(rows))]
    notes += [f"Trained on labels, an upper bound: {'; '.join(upper)}."] if upper else []
    return notes + ([scored.sentence] if scored is not None else [])


def printed_groups(columns: Sequence[Column]) -> list[TableGroup]:
    """In the order of the papers; cells of columns that a table has not are empty, gains are never printed."""
    tables: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for column in columns:
        for value in column.printed_values():
            models = tables.setdefault((value.paper, value.table), {})
            models.setdefault(value.model, {}).setdefault(column.key, column.printed_value(value))
    return [
        TableGroup(
            f"Printed in {paper}, {table}",
            [TableLine([model], [_cell(column, cells) for column in columns]) for model, cells in models.items()],
        )
        for (paper, table), models in tables.items()
    ]


def _cell(column: Column, cells: dict[str, float]) -> TableCell:
    return TableCell(cells.get(column.key), scale=column.scale, digits=column.digits, is_published=True)
