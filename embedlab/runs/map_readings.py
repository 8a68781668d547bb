"""What was measured on a run's maps, as arrays: movement, class neighbors, trust, clusters.

A file that is damaged counts as not measured: it is measured again, and written over.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from embedlab.damage import read_model, read_table
from embedlab.metrics.movement import GroupMoves, classes_that_matter, largest_changes, shares
from embedlab.palette import NO_CLASS
from embedlab.plane import densest_places
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.store_root import UnreadableFile


@dataclass(frozen=True)
class Share:
    """``texts`` of ``of``, as a share with its standard error; None for an empty set."""

    share: float | None
    standard_error: float | None
    texts: int
    of: int


@dataclass(frozen=True)
class NoiseFloor:
    """How much movement is noise, and how it was measured: on ``texts`` ``among`` so many; None if it could not be."""

    value: float | None
    how: str | None
    texts: int
    among: int
    sentence: str


@dataclass(frozen=True)
class LabelsRead:
    """How many texts had their label read by training, and a sentence saying so."""

    texts: int
    sentence: str


@dataclass(frozen=True)
class MovesFacts:
    """The numbers beside the table of what moved; of a text, ``neighbors`` count."""

    run: str
    against: str
    texts: int
    neighbors: int
    floor: NoiseFloor
    labels_read: LabelsRead | None
    median: float | None  # of the movement of texts with neighbors
    mean: float | None
    moved: Share
    helped: Share  # of the labelled texts
    hurt: Share
    class_effect: float | None
    classes: list[GroupMoves]
    clusters: list[GroupMoves]
    clusters_of: tuple[str, str]  # a run's id and its encoder
    format: int = 1


@dataclass(frozen=True)
class Moves:
    """What moved between two encoders, one entry per text in corpus order."""

    rows: np.ndarray  # (texts,) of the corpus
    movement: np.ndarray  # (texts,) 0 … 1, not a number without neighbors
    effect: np.ndarray  # (texts,) -1 … 1, not a number without a label
    same_before: np.ndarray  # (texts,) 0 … 10, -1 without a label
    same_after: np.ndarray
    above: np.ndarray  # (texts,) bool: more than noise
    nearest_before: np.ndarray  # (texts, 10) corpus rows, -1 where there is none
    nearest_after: np.ndarray
    facts: MovesFacts

    def position(self, row: int) -> int | None:
        """The index of a corpus row in the arrays."""
        index = int(np.searchsorted(self.rows, row))
        return index if index < len(self.rows) and self.rows[index] == row else None


def moves_of(run: RunFolder, against: str) -> Moves | None:
    """None if it was not measured."""
    try:
        facts, columns = read_model(run.moves_facts(against), MovesFacts), _columns(run.moves(against))
    except UnreadableFile:
        return None
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
        facts=facts,
    )


@dataclass(frozen=True)
class ClassNeighbors:
    """Class neighbors: counts (classes, classes), row: the text's class, column: the neighbor's."""

    names: list[str]
    is_class: np.ndarray  # (classes,) bool: neither "no label" nor "other classes"
    before: np.ndarray
    after: np.ndarray

    @property
    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Both normalised by row."""
        return shares(self.before), shares(self.after)

    def largest_changes(self, *, at_most: int) -> list[tuple[int, int]]:
        """The pairs of different classes whose share changed most, largest first."""
        return largest_changes(*self.shares, most=at_most)

    def that_matter(self, at_most: int, always: tuple[int, ...]) -> np.ndarray:
        """The classes with the most neighbors across classes, ``always`` among them. -> (at most ``at_most``,)"""
        return classes_that_matter(self.before, self.after, at_most, always=always)


def class_neighbors_of(run: RunFolder, against: str) -> ClassNeighbors | None:
    """None if it was not measured, or the corpus has no labels."""
    try:
        columns = _columns(run.class_neighbors(against))
    except UnreadableFile:
        return None
    count = int(np.sqrt(len(columns["class"])))
    names = columns["class"][::count].to_pylist()
    before, after = (columns[name].to_numpy().reshape(count, count) for name in ("before", "after"))
    return ClassNeighbors(names, columns["own"].to_numpy()[::count], before, after)


@dataclass(frozen=True)
class MeanTrust:
    """Means over the texts of a drawn map that have neighbors, and the chance level."""

    true: float | None
    kept: float | None
    chance: float
    texts: int


@dataclass(frozen=True)
class MapTrust:
    """How far a drawn map can be trusted."""

    rows: np.ndarray  # (points,) of the corpus
    true: np.ndarray  # (points,) 0 … 1, not a number without neighbors
    kept: np.ndarray
    means: MeanTrust


def trust_of(run: RunFolder, drawn: Path) -> MapTrust | None:
    """None if it was not measured."""
    path = run.trust(drawn)
    try:
        columns, means = _columns(path), read_model(path.with_suffix(".json"), MeanTrust)
    except UnreadableFile:
        return None
    rows, true, retained = (columns[name].to_numpy() for name in ("id", "true", "kept"))
    return MapTrust(rows, true, retained, means)


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster: its number of texts, and the words that name it."""

    texts: int
    keywords: list[str]


@dataclass(frozen=True)
class KeywordLists:
    """The words that name each group."""

    keywords: list[list[str]]


@dataclass(frozen=True)
class ClusterGroups(KeywordLists):
    """Coarser groups; ``of``: the group of each cluster."""

    of: list[int]


@dataclass(frozen=True)
class ClusterFacts:
    """The facts of a table of clusters, of which ``without`` texts have none."""

    how: str
    clusters: list[ClusterSummary]
    without: int
    groups: ClusterGroups | None
    fine: KeywordLists | None
    seed: int | None = None
    asked: int | None = None  # how many clusters were to be found
    format: int = 1


@dataclass(frozen=True)
class Clusters:
    """Texts in clusters, largest first, and the names of clusters and coarser groups."""

    rows: np.ndarray  # (texts,) of the corpus
    clusters: np.ndarray  # (texts,), -1 for none
    facts: ClusterFacts
    fine: np.ndarray | None = None  # (texts,) parts of the clusters, -1 for none; where there are few clusters

    @property
    def names(self) -> list[str]:
        """``tensor, kernel, gradient``; the number of a cluster without words."""
        return [_named(each.keywords, number) for number, each in enumerate(self.facts.clusters)]

    @property
    def coarse_names(self) -> list[str]:
        """Names of the coarser groups; empty if there are few clusters."""
        return _all_named(self.facts.groups)

    @property
    def fine_names(self) -> list[str]:
        """Names of the parts of clusters; empty if there are many clusters."""
        return _all_named(self.facts.fine)

    @property
    def coarse(self) -> np.ndarray:
        """The coarser group of each text, -1 for none; only if there are coarser groups. (texts,)"""
        assert self.facts.groups is not None
        return np.array([*self.facts.groups.of, -1])[self.clusters]


def clusters_of(run: RunFolder, name: str) -> Clusters | None:
    """``before`` and ``after`` in the full space, ``after-tsne`` on a map; None if they were not computed."""
    path = run.clusters(name)
    try:
        columns, facts = _columns(path), read_model(path.with_suffix(".json"), ClusterFacts)
    except UnreadableFile:
        return None
    fine = columns["fine"].to_numpy() if "fine" in columns else None
    return Clusters(columns["id"].to_numpy(), columns["cluster"].to_numpy(), facts, fine)


def _all_named(lists: KeywordLists | None) -> list[str]:
    return [] if lists is None else [_named(words, number) for number, words in enumerate(lists.keywords)]


def _named(words: list[str], number: int) -> str:
    return ", ".join(words) or f"cluster {number + 1}"


def _columns(path: Path) -> dict[str, pa.ChunkedArray]:
    table = read_table(path)
    return {name: table.column(name) for name in table.column_names}


PlacedName = tuple[str, float, float, float]  # name, x, y, weight


def cluster_levels(grouping: Clusters, drawn: DrawnMap) -> list[list[PlacedName]]:
    """Topics at two levels, by keywords: coarser groups and clusters, or for few clusters these and their parts."""
    levels = []
    if grouping.coarse_names:
        coarse = _on(drawn, grouping.rows, grouping.coarse)
        levels.append(named_places(coarse, grouping.coarse_names, drawn.coordinates))
    levels.append(named_places(_on(drawn, grouping.rows, grouping.clusters), grouping.names, drawn.coordinates))
    if grouping.fine is not None and grouping.fine_names:
        levels.append(named_places(_on(drawn, grouping.rows, grouping.fine), grouping.fine_names, drawn.coordinates))
    return levels


def named_places(groups: np.ndarray, names: list[str], coordinates: np.ndarray) -> list[PlacedName]:
    """Each group's name where most of its points are, weighted by their number, the largest first.

    groups: (points,) index of a name, others have none; coordinates: (points, 2)
    """
    places = densest_places(coordinates, groups, len(names))
    named = [
        (name, float(x), float(y), float(size))
        for name, (x, y), size in zip(names, places.middles, places.sizes, strict=True)
        if size
    ]
    return sorted(named, key=lambda each: -each[3])


def _on(drawn: DrawnMap, rows: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The group of each point of a map, NO_CLASS for none."""
    every = np.full(max(drawn.rows.max(initial=0), rows.max(initial=0)) + 1, NO_CLASS, np.int64)
    every[rows] = np.where(groups < 0, NO_CLASS, groups)
    return every[drawn.rows]
