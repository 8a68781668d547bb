"""Recipe by corpus, as in the papers' tables: the mean and standard deviation over seeds, with published values."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from pydantic import JsonValue

from embedlab.comparison.best import measures_of, title_of
from embedlab.comparison.published import Published, place_of, published_beside
from embedlab.comparison.rows import BASELINE, ComparedRow, beginnings_apart, differing, words_of
from embedlab.comparison.sheet import scale_of
from embedlab.comparison.tables import Sheet, TableCell, TableGroup, TableLine
from embedlab.comparison.values import metric_of, values_of
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, is_of_papers, or_either
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.measurement import ByDistance, shown_by
from embedlab.numbers import with_unit
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import settings_of
from embedlab.training.recipes import recipe_title

_PARTS = ("augmentation", "objective", "adapter")
_NOT_THE_RECIPE = set(
    "corpus encoder recipe seed device maps checkpoint_every evaluate_every live_texts live_map live_map_texts".split()
) | set(_PARTS)  # which are compared by their own settings

WORDS = ["encoder", "recipe"]


@dataclass(frozen=True)
class PivotCell:
    """The runs of one recipe on one corpus."""

    mean: float
    sd: float | None  # over seeds; None for one
    seeds: int | None  # None for a baseline, which has none
    published: Published | None = None  # beside Euclidean values, by which the papers computed theirs


Cells = dict[tuple[str, str], dict[str, PivotCell]]  # (encoder, recipe) -> by fingerprint


@dataclass(frozen=True)
class Pivot:
    """``cells[line][corpus]``, corpora by name in order of appearance."""

    metric: str
    corpora: dict[str, str]  # fingerprint -> name
    lines: Cells | ByDistance[Cells]

    @property
    def is_by_both(self) -> bool:
        """Whether the metric is measured by both distances."""
        return isinstance(self.lines, ByDistance)

    @property
    def cells(self) -> Cells:
        """The cells by Euclidean distance if the metric has it, as in the papers."""
        return shown_by(self.lines, EUCLIDEAN)

    def cell(self, line: tuple[str, str], corpus: str, distance: Distance | None) -> PivotCell | None:
        """The cell by this distance if the metric has several; None if nothing was measured."""
        return shown_by(self.lines, or_either(distance)).get(line, {}).get(corpus)

    @property
    def heads(self) -> dict[str, str]:
        """The column headings, with the fingerprint where two names are equal."""
        counts = Counter([*self.corpora.values(), *WORDS])
        return {corpus: f"{name} · {corpus[:4]}" if counts[name] > 1 else name for corpus, name in self.corpora.items()}


def pivot_of(rows: list[ComparedRow], metric: str, source: str = CORPUS) -> Pivot:
    """One line per baseline, untouched encoder or recipe; a recipe with different settings gets a line for each."""
    measured = [row for row in rows if metric in values_of(row, source)]
    names, corpora = _line_names(measured), {row.corpus: row.corpus_name for row in measured}

    def by(distance: Distance) -> Cells:
        lines: dict[tuple[str, str], dict[str, list[tuple[ComparedRow, float]]]] = {}
        for row in measured:
            if (measured_value := values_of(row, source, distance).get(metric)) is not None:
                lines.setdefault(names[row.key], {}).setdefault(row.corpus, []).append((row, measured_value.value))
        return {
            line: {corpus: _cell(measured_value, metric) for corpus, measured_value in of.items()}
            for line, of in lines.items()
        }

    return Pivot(metric, corpora, ByDistance.of(by) if metric_of(metric).by_both else by(or_either(None)))


def pivot_sheet(pivot: Pivot, first: Distance = SHOWN_FIRST) -> Sheet:
    """The pivot as a table, with a grey column of published values after each corpus that has some.

    A metric that both distances measure has a column for each of them, the one that is ``shown`` first.
    """
    scale, digits, unit = scale_of(pivot.metric)
    with_published = {corpus for line in pivot.cells.values() for corpus, cell in line.items() if cell.published}
    distances = [distance for _, distance in measures_of(pivot.metric, first)]
    columns = [
        (corpus, distance, is_published)
        for corpus in pivot.corpora
        for distance in distances
        for is_published in ([False, True] if corpus in with_published and is_of_papers(distance) else [False])
    ]
    heads = [head_of_column(pivot, corpus, distance, is_published=printed) for corpus, distance, printed in columns]
    lines = []
    for line in pivot.cells:
        cells = []
        for corpus, distance, is_published in columns:
            entry, empty = pivot.cell(line, corpus, distance), TableCell(scale=scale, digits=digits)
            if is_published:
                value = None if entry is None or entry.published is None else entry.published.share
                cells.append(replace(empty, value=value, is_published=True))
            elif entry is None:
                cells.append(empty)
            else:
                cells.append(replace(empty, value=entry.mean, error=entry.sd, seeds=entry.seeds))
        recipe, sign, differs = line[1].partition(", ")
        lines.append(TableLine([encoder_title(line[0]), f"{recipe_title(recipe)}{sign}{differs}"], cells))
    title = with_unit(title_of(pivot.metric, *distances), unit)
    notes = [f"{title}: mean over seeds ± their standard deviation, in brackets how many."]
    if cited := published_in(pivot):
        notes.append(f"Published values use the papers' own settings and test texts: {'; '.join(cited)}.")
    return Sheet(WORDS, heads, [TableGroup("", lines)], notes)


def head_of_column(pivot: Pivot, corpus: str, distance: Distance | None, *, is_published: bool) -> str:
    """``iclr``, ``iclr (cosine)``, ``iclr (Euclidean distance), published``"""
    by = "" if distance is None else f" ({DISTANCES[distance]})"
    return f"{pivot.heads[corpus]}{by}{', published' if is_published else ''}"


def published_in(pivot: Pivot, corpus: str | None = None) -> list[str]:
    """Paper, table and model of every published value, or of those of one corpus."""
    cells = (cell for by in pivot.cells.values() for key, cell in by.items() if corpus in (None, key))
    return list(dict.fromkeys(place_of(cell.published) for cell in cells if cell.published))


def _cell(pairs: list[tuple[ComparedRow, float]], metric: str) -> PivotCell:
    """Of runs with the same seed only the newest counts."""
    by_seed: dict[int | None, tuple[ComparedRow, float]] = {}
    for row, value in pairs:
        by_seed.setdefault(row.seed, (row, value))
    values = [value for _, value in by_seed.values()]
    published = next((printed for row, _ in by_seed.values() if (printed := published_beside(row, metric))), None)
    seeds = None if pairs[0][0].kind == BASELINE else len(values)
    return PivotCell(fmean(values), stdev(values) if len(values) > 1 else None, seeds, published)


def _line_names(rows: Iterable[ComparedRow]) -> dict[str, tuple[str, str]]:
    """Encoder and recipe of each row, and for a recipe with different settings what differs.

    Where encoders of one name began differently, so that several untouched ones stand in the table, each row says
    which it began with.
    """
    rows = sorted(rows, key=lambda row: row.kind != BASELINE)
    settings, began = {row.key: _recipe_settings(row) for row in rows}, beginnings_apart(rows)
    same: dict[tuple, list[ComparedRow]] = {}
    for row in rows:
        same.setdefault((row.kind, row.encoder, row.recipe), []).append(row)
    names = {}
    for (kind, encoder, recipe), members in same.items():
        differ = [name for name in differing(settings[row.key] for row in members) if name not in began[members[0].key]]
        for row in members:
            words = words_of(settings[row.key], differ) + words_of(began[row.key], began[row.key])
            first = row.name if kind == BASELINE else encoder or "?"
            names[row.key] = (first, ", ".join(["" if kind == BASELINE else recipe or "?", *words]).strip(", "))
    return names


def _recipe_settings(row: ComparedRow) -> dict[str, JsonValue]:
    """A run's settings except corpus, encoder, recipe and seed; none for an untouched encoder."""
    if row.kind == BASELINE or row.trained_on is None:
        return {}
    settings = settings_of(RunFolder(row.path))
    differences = {name: value for name, value in settings.items() if name not in _NOT_THE_RECIPE}
    for part in _PARTS:
        differences |= {f"{part}.{name}": value for name, value in (settings.get(part) or {}).items()}
    return differences
