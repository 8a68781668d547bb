"""Maps of a run as stored: coordinates (``maps/*.parquet``), the lab's and the layers' maps, and aligned pairs."""

import filecmp
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from embedlab.corpora.base import Corpus
from embedlab.damage import read_array, read_model, read_model_if_whole, read_table
from embedlab.distance import Distance
from embedlab.limits import LIMITS
from embedlab.map_methods import OWN_MAP
from embedlab.metrics.shares import shown_first
from embedlab.numbers import percent
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult, accuracy_of
from embedlab.store_root import UnreadableFile, atomic_write, whole_folder, write_json
from embedlab.vectors.ids import COUNTS_ROWS


class Preview(BaseModel):
    """A map of some texts, shown until the full one is drawn."""

    shown: int
    of: int


class MapFacts(BaseModel):
    """How a map was drawn: its method's settings, and what the method found. Stored is what is known of a map."""

    model_config = ConfigDict(frozen=True)

    texts: int | None = None
    without_place: int | None = None  # texts with a zero or non-finite vector
    distance: Distance | None = None  # of the neighbors that it was drawn from; brought coordinates have none
    approximate: bool = False  # drawn from neighbors that were not all found
    recall_15: float | None = None  # of them: the share of the true 15 nearest, among so many ``queries``
    queries: int | None = None
    aligned: bool = False  # with the map that it starts from
    method: str | None = None
    file: str | None = None  # of coordinates that were brought
    seed: int | None = None
    affinity: str | None = None  # of t-SNE
    perplexity: float | None = None  # as it was used: few texts allow less than was set
    neighbors: int | None = None
    min_dist: float | None = None  # of UMAP
    initialization: str | None = None
    iterations: int | None = None
    last_displacement: float | None = None  # mean, in radii, of a map that continues another one
    settled: bool | None = None
    held: float | None = None  # how strongly texts were held in their places, on average
    raised: float | None = None  # the factor on the attraction at first
    kl_divergence: float | None = None
    variance_shares: list[float] | None = None  # of both axes of PCA
    threads: int | None = None
    engine: str | None = None  # ``cuml``; by default our own
    repeatable: bool = True
    note: str | None = None
    dimensions: int | None = None  # of each vector that it was drawn from, the first; None: all
    seconds: float = 0.0
    preview: Preview | None = None
    onto: str | None = None  # the run from whose map after it starts
    knn_in_picture: float | None = None  # kNN accuracy of the coordinates by ten folds, a share

    def __or__(self, other: "MapFacts") -> "MapFacts":
        """What either of them says; where both do, what the other one says."""
        return self.model_copy(update={name: getattr(other, name) for name in other.model_fields_set})


def map_corner(
    result: RunResult | None,
    side: str,
    facts: MapFacts | None,
    *,
    distance: Distance,
    of: str = "kNN accuracy",
    folds: bool = True,
) -> str:
    """``kNN accuracy 70.3 % ± 1.4 (cosine), 59.2 % in the picture``: the text in a map's corner.

    The embeddings behind the map are judged by this distance, as everywhere else where it is shown, and not by the one
    that the map was drawn with. Of a map of cut vectors, or of embeddings that were not judged, only the second number
    is known. side: ``before``, or the encoder that is opened; ``folds``: whether labels may
    judge the picture, which no encoder was trained by.
    """
    facts = facts or MapFacts()
    knn = accuracy_of(result, distance)
    in_picture = facts.knn_in_picture if folds else None
    if knn is None or facts.dimensions is not None:
        return "" if in_picture is None else f"kNN accuracy {percent(in_picture)} in the picture"
    of_embeddings = f"{of} {knn.in_words(side)}"
    return of_embeddings if in_picture is None else f"{of_embeddings}, {percent(in_picture)} in the picture"


def rows_to_draw(corpus: Corpus) -> np.ndarray:
    """The corpus rows used for maps, neighbor graphs and movement: all non-empty ones, or a sample.

    Of very many they are a sample, each class by its share, always the same.  -> (texts,), in file order
    """
    rows = corpus.kept
    if len(rows) <= LIMITS.mapped_texts:
        return rows
    classes = corpus.class_numbers[rows] if corpus.labels is not None else None
    return rows[shown_first(classes, texts=len(rows), most=LIMITS.preview_texts)]


@dataclass(frozen=True)
class DrawnMap:
    """The texts with coordinates, in corpus order."""

    coordinates: np.ndarray  # (texts, 2) float32, finite
    rows: np.ndarray  # (texts,), corpus rows
    facts: MapFacts

    def everywhere(self, rows: int) -> np.ndarray:
        """The coordinates of each corpus row, NaN where it has none. -> (rows, 2)"""
        places = np.full((rows, 2), np.nan)
        places[self.rows] = self.coordinates
        return places


def read_map(path: Path) -> DrawnMap | None:
    """A map from this file and the facts beside it, or None if it is not drawn or damaged."""
    try:
        about, (rows, coordinates) = read_model(path.with_suffix(".json"), MapFacts), read_places(path)
    except UnreadableFile:
        return None
    placed = np.isfinite(coordinates).all(axis=1)
    return DrawnMap(coordinates[placed], rows[placed], about)


def read_places(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Corpus rows (texts,) and coordinates (texts, 2) float32, NaN for a text without any."""
    table = read_table(path, ["id", "x", "y"])
    coordinates = np.column_stack([table.column(axis).to_numpy() for axis in "xy"]).astype(np.float32)
    return table.column("id").to_numpy(), coordinates


def read_both_maps(run: RunFolder, method: str) -> tuple[np.ndarray, list[np.ndarray]] | None:
    """The texts placed on the maps before and after, and both maps; None where they are not of the same texts.

    -> (texts,) corpus rows, (texts, 2) each
    """
    paths = [run.map(side, method) for side in ("before", "after")]
    if not all(path.exists() for path in paths):
        return None
    (rows, before), (others, after) = map(read_places, paths)
    if not np.array_equal(rows, others):
        return None
    placed = np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1)
    return (rows[placed].astype(np.int64), [before[placed], after[placed]]) if placed.any() else None


def read_map_facts(path: Path) -> MapFacts | None:
    """None if the map is not drawn, or the file is damaged."""
    return read_model_if_whole(path, MapFacts)


def write_map_facts(path: Path, facts: MapFacts) -> None:
    """Those that were set."""
    write_json(path, facts.model_dump(exclude_unset=True))


def write_map(path: Path, rows: np.ndarray | pa.ChunkedArray, coordinates: np.ndarray) -> None:
    """Columns ``id x y``, in corpus order; NaN for a text without coordinates.

    rows: (texts,) row numbers of the corpus, which the file says they are; or ids that a file of vectors came with.
    """
    counts_rows = isinstance(rows, np.ndarray)
    table = pa.table(
        {
            "id": pa.array(rows, pa.int64()) if counts_rows else rows,
            "x": pa.array(coordinates[:, 0].astype(np.float32), from_pandas=True),
            "y": pa.array(coordinates[:, 1].astype(np.float32), from_pandas=True),
        },
        metadata=COUNTS_ROWS if counts_rows else None,
    )
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


YOUR_TEXTS = "your texts"


@dataclass(frozen=True)
class LabMap:
    """One of four maps, and how far it can be trusted."""

    name: str
    of: str  # what it shows: YOUR_TEXTS, or numbers in their place
    perplexity: float
    kl_divergence: float
    true: float  # shares of neighbors, as in ``MeanTrust``
    kept: float
    chance: float
    texts: int
    knn_in_picture: float | None


@dataclass(frozen=True)
class LabFacts:
    """Facts about the four maps: ``texts`` of ``of`` texts."""

    texts: int
    of: int
    maps: list[LabMap]
    dim: int
    apart: float | None = None  # of maps from random starts: how far a text is from its place on another one, in radii
    apart_pca: float | None = None  # the same from principal components


@dataclass(frozen=True)
class FourMaps:
    """Four maps of the same texts that differ in one thing."""

    coordinates: np.ndarray  # (4, texts, 2), finite
    rows: np.ndarray  # (texts,) corpus rows, growing
    facts: LabFacts

    @property
    def names(self) -> list[str]:
        """What each map shows."""
        return [each.name for each in self.facts.maps]


def write_four_maps(run: RunFolder, side: str, experiment: str, four: FourMaps) -> None:
    """Replaces earlier ones."""
    with whole_folder(run.lab(side, experiment)) as temporary:
        np.save(temporary / "maps.npy", four.coordinates, allow_pickle=False)
        np.save(temporary / "rows.npy", four.rows, allow_pickle=False)
        write_json(temporary / "facts.json", asdict(four.facts))


def read_four_maps(run: RunFolder, side: str, experiment: str) -> FourMaps | None:
    """None if they were not drawn since these embeddings were made, or a file cannot be read."""
    folder, embeddings = run.lab(side, experiment), run.embeddings(side)
    try:
        is_old = embeddings.exists() and (folder / "facts.json").stat().st_mtime_ns < embeddings.stat().st_mtime_ns
        maps, rows = read_array(folder / "maps.npy", dimensions=3), read_array(folder / "rows.npy", dimensions=1)
        facts = read_model(folder / "facts.json", LabFacts)
        return None if is_old else FourMaps(maps.astype(np.float32), rows.astype(np.int64), facts)
    except OSError:  # UnreadableFile is one
        return None


@dataclass(frozen=True)
class LayerMaps:
    """Finite coordinates in one frame: each map starts from the final one of the layer above."""

    rows: np.ndarray  # (texts,) corpus rows, growing
    before: np.ndarray  # (layers + 1, texts, 2)
    after: np.ndarray
    pooling: str
    of: int  # labelled texts, of which these are all or a sample
    distance: Distance  # that they were drawn with


class _LayerMapFacts(TypedDict):
    pooling: str
    of: int
    distance: Distance


def write_layer_maps(run: RunFolder, maps: LayerMaps) -> None:
    """Replaces earlier ones."""
    with whole_folder(run.layer_maps) as temporary:
        for name in ("rows", "before", "after"):
            np.save(temporary / f"{name}.npy", getattr(maps, name), allow_pickle=False)
        write_json(temporary / "facts.json", {"pooling": maps.pooling, "of": maps.of, "distance": maps.distance})


def read_layer_maps(run: RunFolder) -> LayerMaps | None:
    """None if they were not drawn, or a file cannot be read."""
    try:
        facts = read_model(run.layer_maps / "facts.json", _LayerMapFacts)
        arrays = {name: read_array(run.layer_maps / f"{name}.npy") for name in ("rows", "before", "after")}
    except UnreadableFile:
        return None
    return LayerMaps(**arrays, **facts)


UNTOUCHED = "before"  # what a run is compared with by itself; otherwise another run's id


def shares_frame(run: RunFolder, other: RunFolder, method: str) -> bool:
    """Whether both maps after were drawn from the same map before, so that they are already aligned."""
    if run.id == other.id:
        return True
    both = [(each.map("before", method), each.map("after", method)) for each in (run, other)]
    if not all(path.exists() for pair in both for path in pair):
        return False
    grown = all(_changed(before) <= _changed(after) for before, after in both)
    return grown and filecmp.cmp(both[0][0], both[1][0], shallow=False)  # remembered while the files stay


def right_map(run: RunFolder, against: str, other: RunFolder | None, method: str) -> Path:
    """The run's map after in the frame of the run it is compared with."""
    if other is None or against == UNTOUCHED or method == OWN_MAP or shares_frame(run, other, method):
        return run.map("after", method)
    return run.map_onto(other.id, method)


def is_drawn_onto(run: RunFolder, other: RunFolder, method: str) -> bool:
    """Whether the right map exists and is not older than the map it was aligned with."""
    path, left = right_map(run, other.id, other, method), other.map("after", method)
    if not all(file.exists() for file in (path, path.with_suffix(".json"), left)):
        return False
    return path == run.map("after", method) or _changed(left) <= _changed(path)


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns


Mark = tuple[str, float, float]


def place_of_row(drawn: DrawnMap | None, row: int, name: str) -> list[Mark]:
    """A named mark at this corpus row; none if the map does not show it."""
    return [(name, x, y) for _, x, y in dots(drawn, [row])]


def dots(drawn: DrawnMap | None, rows: np.ndarray | list[int]) -> list[Mark]:
    """A dot at each of these corpus rows that the map shows."""
    if drawn is None:
        return []
    return [("", float(x), float(y)) for x, y in drawn.coordinates[np.isin(drawn.rows, rows)]]


def layer_places(drawn: LayerMaps) -> pa.Table:
    """One text of one layer and encoder per row."""
    layers, texts = drawn.before.shape[:2]
    parts = [
        pa.table({
            "row": np.tile(drawn.rows, layers),
            "layer": np.repeat(np.arange(layers), texts),
            "encoder": [state] * (layers * texts),
            "x": places[:, :, 0].ravel(),
            "y": places[:, :, 1].ravel(),
        })
        for state, places in (("before", drawn.before), ("after", drawn.after))
    ]  # fmt: skip
    return pa.concat_tables(parts)
