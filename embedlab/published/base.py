"""One printed value with everything that says where it comes from, and how a printed grid becomes such values."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

MISSING = {"–", "-", "…"}


@dataclass(frozen=True)
class Model:
    """A row or column head of a table: the printed name, and what of ours it is."""

    name: str
    encoder: str | None = None  # key of embedlab/encoders/catalog.py: the encoder a run would start from
    recipe: str | None = None  # key of a recipe; ``untouched`` for an encoder as it is
    note: str = ""


@dataclass(frozen=True)
class Published:
    """One value as a paper prints it."""

    paper: str  # short name, as parts have it: Crops, TSDAE, UNSEE, SemCSE, LA(SER)³
    table: str  # "Table 1"
    source: str  # section and where the table stands
    model: str
    metric: str  # key of ours where there is one; ``mteb`` is the main score of the mteb task named by ``task``
    value: float  # as printed
    unit: str = "percent"  # percent (0 to 100), share (0 to 1) or rank (1 is best)
    encoder: str | None = None
    recipe: str | None = None
    corpus: str | None = None  # key of the corpus catalog
    benchmark: str | None = None  # key of the named set of tasks
    task: str | None = None  # a task of that set, a type of task, or ``average``
    group: str = ""  # the heading above a block of rows
    setting: str = ""  # what else a value depends on; empty for the plain comparison
    deviation: float | None = None  # standard deviation over seeds, where printed
    n: int | None = None  # test texts, where known
    note: str = ""

    @property
    def share(self) -> float | None:
        """The value as ours are, between 0 and 1; None for a rank."""
        if self.unit == "rank":
            return None
        return self.value / 100 if self.unit == "percent" else self.value


def by_columns(like: Published, models: list[Model], lines: str, named: dict[str, dict]) -> list[Published]:
    """A grid whose columns are models: each line is ``name | value value …``; ``named`` says what a line measures."""
    found = []
    for name, values in cells(lines):
        assert len(values) == len(models), f"{like.paper}, {like.table}: {name} has {len(values)} values"
        for model, value in zip(models, values, strict=True):
            if value is not None:
                found.append(replace(_of(like, model), value=value, **named[name]))
    return found


def by_rows(like: Published, models: dict[str, Model], lines: str, columns: list[dict]) -> list[Published]:
    """A grid whose rows are models; each of ``columns`` says what that column measures."""
    found = []
    for name, values in cells(lines):
        assert len(values) == len(columns), f"{like.paper}, {like.table}: {name} has {len(values)} values"
        for column, value in zip(columns, values, strict=True):
            if value is not None:
                found.append(replace(_of(like, models.get(name, Model(name))), value=value, **column))
    return found


def cells(lines: str) -> Iterable[tuple[str, list[float | None]]]:
    """``name | 1.5 – 2`` -> name and values, None where the paper has a dash."""
    for line in lines.strip().splitlines():
        name, _, values = line.partition("|")
        yield name.strip(), [None if value in MISSING else float(value) for value in values.split()]


def _of(like: Published, model: Model) -> Published:
    note = " ".join(filter(None, (like.note, model.note)))
    return replace(like, model=model.name, encoder=model.encoder, recipe=model.recipe, note=note)
