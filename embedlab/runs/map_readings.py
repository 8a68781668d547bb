"""What was measured of a run's maps, as arrays: what moved, who neighbors whom, trust, clusters."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from embedlab.errors import RunError
from embedlab.metrics.movement import shares
from embedlab.runs.drawn_map import UNTOUCHED
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.store import open_run
from embedlab.store_root import read_json


@dataclass(frozen=True)
class Moves:
    """What moved between two encoders, one entry a text in corpus order."""

    rows: np.ndarray  # (texts,) of the corpus
    movement: np.ndarray  # (texts,) 0 … 1, not a number without neighbors
    effect: np.ndarray  # (texts,) -1 … 1, not a number without a label
    same_before: np.ndarray  # (texts,) 0 … 10, -1 without a label
    same_after: np.ndarray
    above: np.ndarray  # (texts,) bool: more than noise
    nearest_before: np.ndarray  # (texts, 10) corpus rows, -1 where there is none
    nearest_after: np.ndarray
    facts: dict  # floor, shares, ranked classes and clusters

    def position(self, row: int) -> int | None:
        """Where a corpus row stands in the arrays."""
        place = int(np.searchsorted(self.rows, row))
        return place if place < len(self.rows) and self.rows[place] == row else None


def moves_of(run: RunFolder, against: str) -> Moves | None:
    """None where nobody measured it."""
    path, facts = run.moves(against), run.moves_facts(against)
    if not (path.exists() and facts.exists()):
        return None
    told = read_json(facts)
    if "labels_read" not in told and _saw_labels(run, against):
        return None  # measured before what was trained with labels was told apart
    columns = _columns(path)
    near = [columns[f"nearest_{side}"].combine_chunks().flatten().to_numpy() for side in ("before", "after")]
    rows = columns["id"].to_numpy()
    return Moves(
        rows=rows,
        movement=columns["movement"].to_numpy(),
        effect=columns["class_effect"].to_numpy(),
        same_before=columns["same_before"].fill_null(-1).to_numpy(),
        same_after=columns["same_after"].fill_null(-1).to_numpy(),
        above=columns["above"].to_numpy(),
        nearest_before=near[0].reshape(len(rows), -1),
        nearest_after=near[1].reshape(len(rows), -1),
        facts=told,
    )


def _saw_labels(run: RunFolder, against: str) -> bool:
    try:
        return saw_labels(run) or (against != UNTOUCHED and saw_labels(open_run(against)))
    except RunError:  # the other run is deleted
        return True


@dataclass(frozen=True)
class ClassNeighbors:
    """Who neighbors whom: counts (classes, classes), texts of the row's class, neighbors of the column's."""

    names: list[str]
    own: np.ndarray  # (classes,) bool: a class of its own, neither "no label" nor "other classes"
    before: np.ndarray
    after: np.ndarray

    @property
    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Both as shares of each row."""
        return shares(self.before), shares(self.after)


def class_neighbors_of(run: RunFolder, against: str) -> ClassNeighbors | None:
    """None where it was not measured, or the corpus has no labels."""
    path = run.class_neighbors(against)
    if not path.exists():
        return None
    columns = _columns(path)
    count = int(np.sqrt(len(columns["class"])))
    names = columns["class"][::count].to_pylist()
    before, after = (columns[name].to_numpy().reshape(count, count) for name in ("before", "after"))
    return ClassNeighbors(names, columns["own"].to_numpy()[::count], before, after)


@dataclass(frozen=True)
class MapTrust:
    """How far a drawn map can be believed."""

    rows: np.ndarray  # (points,) of the corpus
    true: np.ndarray  # (points,) 0 … 1, not a number without neighbors
    kept: np.ndarray
    means: dict  # true, kept, chance, texts


def trust_of(run: RunFolder, drawn: Path) -> MapTrust | None:
    """None where it was not measured."""
    path = run.trust(drawn)
    if not (path.exists() and path.with_suffix(".json").exists()):
        return None
    columns = _columns(path)
    values = (columns[name].to_numpy() for name in ("id", "true", "kept"))
    return MapTrust(*values, means=read_json(path.with_suffix(".json")))


@dataclass(frozen=True)
class Clusters:
    """Texts in clusters, the largest first, and the names of clusters and of coarser groups."""

    rows: np.ndarray  # (texts,) of the corpus
    clusters: np.ndarray  # (texts,), -1 for none
    facts: dict
    fine: np.ndarray | None = None  # (texts,) parts of the clusters, -1 for none; where there are few clusters

    @property
    def names(self) -> list[str]:
        """``tensor, kernel, gradient``; of a cluster without words its number."""
        return [_named(each["keywords"], place) for place, each in enumerate(self.facts["clusters"])]

    @property
    def coarse_names(self) -> list[str]:
        """Of the coarser groups; nothing where there are few clusters."""
        groups = self.facts["groups"]
        return [] if groups is None else [_named(words, place) for place, words in enumerate(groups["keywords"])]

    @property
    def fine_names(self) -> list[str]:
        """Of the parts of clusters; nothing where there are many clusters."""
        fine = self.facts.get("fine")
        return [] if fine is None else [_named(words, place) for place, words in enumerate(fine["keywords"])]

    @property
    def coarse(self) -> np.ndarray:
        """The coarser group of each text, -1 for none.  (texts,)"""
        groups = np.array([*self.facts["groups"]["of"], -1])
        return groups[self.clusters]


def clusters_of(run: RunFolder, name: str) -> Clusters | None:
    """``before`` and ``after`` in the full space, ``after-tsne`` of a map; None where they were not looked for."""
    path = run.clusters(name)
    if not (path.exists() and path.with_suffix(".json").exists()):
        return None
    columns = _columns(path)
    fine = columns["fine"].to_numpy() if "fine" in columns else None
    return Clusters(columns["id"].to_numpy(), columns["cluster"].to_numpy(), read_json(path.with_suffix(".json")), fine)


def _named(words: list[str], place: int) -> str:
    return ", ".join(words) or f"cluster {place + 1}"


def _columns(path: Path) -> dict:
    with pq.ParquetFile(path) as file:
        table = file.read()
    return {name: table.column(name) for name in table.column_names}
