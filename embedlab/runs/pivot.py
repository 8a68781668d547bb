"""Recipe by corpus, as the papers' tables are: the mean over seeds with its standard deviation, published beside."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, stdev

from embedlab.published import Published
from embedlab.runs.compared_rows import BASELINE, Row
from embedlab.runs.comparing import title_of
from embedlab.runs.comparison_sheet import scale_of
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.runs.published_beside import place_of, published_beside
from embedlab.runs.row_values import values_of
from embedlab.runs.state import read_state
from embedlab.runs.store import read_settings
from embedlab.runs.tables import Cell, Group, Line, Sheet

_NOT_THE_RECIPE = ("corpus", "encoder", "recipe", "seed", "device", "maps", "checkpoint_every", "evaluate_every")
_NOT_THE_RECIPE += ("live_texts", "live_map", "live_map_texts")
_NOT_THE_RECIPE += ("augmentation", "objective")  # told by their own settings

WORDS = ["encoder", "recipe"]


@dataclass(frozen=True)
class PivotCell:
    """The runs of one recipe on one corpus."""

    mean: float
    sd: float | None  # over seeds; None for one
    seeds: int | None  # None for a baseline, which has none
    published: Published | None = None


@dataclass(frozen=True)
class Pivot:
    """``cells[line][corpus]``, corpora by name in the order they were met."""

    metric: str
    corpora: dict[str, str]  # fingerprint -> name
    cells: dict[tuple[str, str], dict[str, PivotCell]]  # (encoder, recipe) -> by fingerprint

    @property
    def heads(self) -> dict[str, str]:
        """The names as heads of columns, with the fingerprint where two are called the same."""
        said = Counter([*self.corpora.values(), *WORDS])
        return {corpus: f"{name} · {corpus[:4]}" if said[name] > 1 else name for corpus, name in self.corpora.items()}


def pivot_of(rows: list[Row], metric: str, source: str = CORPUS) -> Pivot:
    """One line a baseline, untouched encoder or recipe; recipes told differently stand on lines of their own."""
    measured = [(row, found[metric]["value"]) for row in rows if metric in (found := values_of(row, source))]
    lines: dict[tuple[str, str], dict[str, list[tuple[Row, float]]]] = {}
    names = _line_names([row for row, _ in measured])
    for row, value in measured:
        lines.setdefault(names[row.key], {}).setdefault(row.corpus, []).append((row, value))
    corpora = {row.corpus: row.corpus_name for row, _ in measured}
    cells = {line: {corpus: _cell(found, metric) for corpus, found in by.items()} for line, by in lines.items()}
    return Pivot(metric, corpora, cells)


def pivot_sheet(pivot: Pivot) -> Sheet:
    """As a table, a grey column of published values behind each corpus that has some."""
    scale, digits, unit = scale_of(pivot.metric)
    printed = {corpus for line in pivot.cells.values() for corpus, cell in line.items() if cell.published}
    heads: list[str] = []
    for corpus, name in pivot.heads.items():
        heads += [name, *([f"{name}, published"] if corpus in printed else [])]
    lines = []
    for (encoder, recipe), by_corpus in pivot.cells.items():
        cells = []
        for corpus in pivot.corpora:
            found = by_corpus.get(corpus)
            cells.append(Cell(scale=scale, digits=digits) if found is None
                         else Cell(found.mean, found.sd, "", scale, digits, found.seeds))  # fmt: skip
            if corpus in printed:
                value = found.published if found else None
                cells.append(Cell(value.share if value else None, scale=scale, digits=digits, is_published=True))
        lines.append(Line([encoder, recipe], cells))
    told = f"{title_of(pivot.metric)}{f' ({unit})' if unit else ''}: mean over seeds ± their standard deviation, "
    notes = [told + "in brackets how many."]
    cited = published_in(pivot)
    if cited:
        notes.append(f"Published, of the papers' own settings and test texts: {'; '.join(cited)}.")
    return Sheet(WORDS, heads, [Group("", lines)], notes)


def published_in(pivot: Pivot, corpus: str | None = None) -> list[str]:
    """Paper, table and model of every published value, or of those of one corpus."""
    cells = (cell for by in pivot.cells.values() for key, cell in by.items() if corpus in (None, key))
    return list(dict.fromkeys(place_of(cell.published) for cell in cells if cell.published))


def _cell(found: list[tuple[Row, float]], metric: str) -> PivotCell:
    """Runs of the same seed are one: the first, which is the newest."""
    by_seed: dict[int | None, tuple[Row, float]] = {}
    for row, value in found:
        by_seed.setdefault(row.seed, (row, value))
    values = [value for _, value in by_seed.values()]
    printed = next((value for row, _ in by_seed.values() if (value := published_beside(row, metric))), None)
    seeds = None if found[0][0].kind == BASELINE else len(values)
    return PivotCell(fmean(values), stdev(values) if len(values) > 1 else None, seeds, printed)


def _line_names(rows: Iterable[Row]) -> dict[str, tuple[str, str]]:
    """Encoder and recipe of each row; where a recipe was told differently, also what differs."""
    rows = sorted(rows, key=lambda row: row.kind != BASELINE)
    told = {row.key: _told(row) for row in rows}
    same: dict[tuple, list[Row]] = {}
    for row in rows:
        same.setdefault((row.kind, row.encoder, row.recipe), []).append(row)
    names = {}
    for (kind, encoder, recipe), members in same.items():
        settings = dict.fromkeys(name for row in members for name in told[row.key])
        differ = [name for name in settings if len({repr(told[row.key].get(name)) for row in members}) > 1]
        for row in members:
            words = [f"{name} {_word(told[row.key].get(name))}" for name in differ]
            first = row.name if kind == BASELINE else encoder or "?"
            names[row.key] = (first, ", ".join(["" if kind == BASELINE else recipe or "?", *words]).strip(", "))
    return names


def _told(row: Row) -> dict:
    """What a run was told apart from its corpus, encoder, recipe and seed; an untouched encoder is told nothing."""
    if row.kind == BASELINE or row.trained_on is None:
        return {}
    folder = RunFolder(row.path)
    asked = read_state(folder).get("settings") or read_settings(folder)["settings"]
    found = {name: value for name, value in asked.items() if name not in _NOT_THE_RECIPE}
    for part in ("augmentation", "objective"):
        found |= {f"{part}.{name}": value for name, value in (asked.get(part) or {}).items()}
    return found


def _word(value) -> str:
    return "automatic" if value is None else str(value)
