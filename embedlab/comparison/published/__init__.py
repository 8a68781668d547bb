"""Values printed in the papers: their tables as rows of ``*.csv``, each value with its source.

A column that a file leaves out, and an empty cell, is the field's default. Every value stands in the order in which it
is printed.
"""

import csv
import re
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.comparison.rows import BASELINE, ComparedRow
from embedlab.errors import EmbedlabError

PAPERS = ("crops", "tsdae", "unsee", "semcse", "laser3")


class Published(BaseModel):
    """One value as a paper prints it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    paper: str  # short name, as parts have it: Crops, TSDAE, UNSEE, SemCSE, LA(SER)³
    table: str  # "Table 1"
    source: str  # section and where the table stands
    model: str
    metric: str  # key of ours where there is one; ``mteb`` is the main score of the mteb task named by ``task``
    value: float  # as printed
    unit: str = "percent"  # percent (0 to 100), share (0 to 1) or rank (1 is best)
    encoder: str | None = None  # key of embedlab/encoder_catalog/catalog.py: the encoder a run would start from
    recipe: str | None = None  # key of a recipe; ``untouched`` for an encoder as it is
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
        """The value as a share between 0 and 1; None for a rank."""
        if self.unit == "rank":
            return None
        return self.value / 100 if self.unit == "percent" else self.value


def published_values(**fields: str | None) -> list[Published]:
    """The values with these fields: ``published_values(corpus="iclr", encoder="mpnet", metric="knn")``.

    In the order of the papers. ``setting=""`` leaves out what a table varies besides its models; a field that
    is not named may be anything, and None means that the paper leaves it open.
    """
    if unknown := fields.keys() - Published.model_fields.keys():
        raise TypeError(f"A published value has no field {', '.join(sorted(unknown))}.")
    return [row for row in _all_values() if all(getattr(row, name) == value for name, value in fields.items())]


def read_values(file: Path) -> list[Published]:
    """The values of one file in order; a malformed row is named."""
    with open(file, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    values = []
    for number, row in enumerate(rows, 2):
        try:
            values.append(Published.model_validate({name: cell for name, cell in row.items() if cell != ""}))
        except ValidationError as error:
            first = error.errors()[0]
            raise EmbedlabError(
                "E-PUBLISHED",
                f"{file.name}, line {number}: {first['loc'][0]} is {row.get(first['loc'][0])!r}, but {first['msg']}.",
            ) from None
    return values


@cache
def _all_values() -> tuple[Published, ...]:
    return tuple(value for paper in PAPERS for value in read_values(Path(__file__).with_name(f"{paper}.csv")))


_EPOCHS = re.compile(r"\b(\d+) epochs?$")


def published_beside(row: ComparedRow, metric: str) -> Published | None:
    """The first match in the order of the papers, or None. A corpus is known by its name, its catalog key."""
    setting = "trained on the train split only" if row.trained_on == "train_split" else ""
    fields = {"corpus": row.corpus_name, "metric": metric.removesuffix("/cv10"), "setting": setting}
    if row.kind == BASELINE:
        key = row.path.name
        model = BASELINE_METHODS[key].printed if key in BASELINE_METHODS else None
        return next(iter(published_values(**fields, model=model)), None)
    if row.encoder is None or row.recipe is None:
        return None
    for published in published_values(**fields, encoder=row.encoder, recipe=row.recipe):
        epochs = _EPOCHS.search(published.model)
        if published.share is not None and (epochs is None or row.epochs == int(epochs[1])):
            return published
    return None


def place_of(value: Published) -> str:
    """``Crops, Table 1: MPNet, crops``"""
    return f"{value.paper}, {value.table}: {value.model}"
