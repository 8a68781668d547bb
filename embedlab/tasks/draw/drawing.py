"""Drawing both maps of a run, with previews first for a large corpus, and the neighbor graph stored for them."""

import hashlib
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embedlab.config import Config
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.damage import read_array, read_model
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.maps.align import kept_neighbors
from embedlab.maps.base import Layout, LayoutMethod
from embedlab.maps.on_gpu import cuml_is_there
from embedlab.metrics.knn import cv10_knn
from embedlab.metrics.shares import shown_first
from embedlab.metrics.split import why_no_knn
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.progress import Progress, in_words
from embedlab.runs.drawn_map import (
    MapFacts,
    Preview,
    read_map,
    read_map_facts,
    read_places,
    rows_to_draw,
    write_map,
    write_map_facts,
)
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.store import fingerprint_of
from embedlab.store_root import UnreadableFile, alone, atomic_write, store_root
from embedlab.tasks.measure.embedded import embeddings_of
from embedlab.vectors.dimensions import first_dimensions
from embedlab.vectors.exact import have_length_one

ALGORITHM = 5  # raised when the same settings draw another map before


@dataclass
class MapDrawing:
    """What to draw: whose maps, with which method, and the texts of the preview (None: all at once)."""

    drawn: RunFolder
    method: type[LayoutMethod]
    config: Config
    progress: Progress
    dimensions: int | None = None  # of each vector that are kept, the first; None: all

    def __post_init__(self) -> None:
        self.corpus = open_corpus(fingerprint_of(self.drawn))
        self.kept = rows_to_draw(self.corpus)
        self.shown: np.ndarray | None = None
        self._cut_graphs: dict[str, NeighborGraph] = {}
        if len(self.kept) > LIMITS.preview_texts:
            classes = None if self.corpus.labels is None else self.corpus.class_numbers[self.kept]
            self.shown = shown_first(classes, texts=len(self.kept), most=LIMITS.preview_texts)

    def embeddings(self, name: str) -> np.ndarray:
        """The embeddings of the drawn texts; they stay on disk if these are all rows."""
        return first_dimensions(embeddings_of(self.drawn, name, self.kept), self.dimensions)

    def graph(self, name: str, embeddings: np.ndarray) -> NeighborGraph:
        """The neighbor graph that the map is drawn from; one of cut vectors is not stored with the run."""
        if self.dimensions is None:
            return graph_of(self.drawn, name, embeddings, self.progress)
        if name not in self._cut_graphs:
            self._cut_graphs[name] = neighbor_graph(embeddings, k=LIMITS.map_neighbors, progress=self.progress)
        return self._cut_graphs[name]

    def lay_out(
        self,
        name: str,
        embeddings: np.ndarray,
        graph: NeighborGraph | None = None,
        *,
        start: np.ndarray | None = None,
        preview: np.ndarray | None = None,
        since: NeighborGraph | None = None,
    ) -> Layout:
        """A map; its seconds include the graph. ``since``: the graph of the map it starts from."""
        began = time.perf_counter()
        graph = self.graph(name, embeddings) if graph is None else graph
        progress = in_words(self.progress, lambda stage: f"{stage}, {name}")
        layout = self.method.lay_out(
            embeddings,
            graph,
            self.config,
            start=start,
            preview=preview,
            neighbors_kept=None if since is None else kept_neighbors(since.indices, graph.indices),
            progress=progress,
            threads=threads(),
        )
        used = layout.used
        if preview is not None:
            used |= MapFacts(aligned=name == "after")  # by way of its preview
        if self.dimensions is not None:
            used |= MapFacts(dimensions=self.dimensions)
        return replace(layout, used=used | MapFacts(seconds=round(time.perf_counter() - began, 2)))

    def write(self, name: str, layout: Layout, shown: np.ndarray | None = None) -> None:
        """Write both files of a map; for a preview with the texts it shows."""
        rows = self.kept if shown is None else self.kept[shown]
        if shown is None and self._is_there(name, layout):
            return  # what was read of it since stays fresh
        facts = layout.used
        if shown is not None:
            facts |= MapFacts(preview=Preview(shown=len(rows), of=len(self.kept)))
        path = self.drawn.map(name, self.method.key)
        _write(path, self.corpus, rows, layout, facts, folds=not saw_labels(self.drawn, name))

    def _is_there(self, name: str, layout: Layout) -> bool:
        """Whether exactly this map of all texts is in the run's folder."""
        path, facts = self.drawn.map(name, self.method.key), self.drawn.map_facts(name, self.method.key)
        stored = read_map_facts(facts)
        if stored is None or stored.preview is not None or not path.exists():
            return False
        same = np.array_equal(read_places(path)[1], layout.coordinates.astype(np.float32), equal_nan=True)
        return same and stored | layout.used | MapFacts(seconds=stored.seconds) == stored


def draw_before(drawing: MapDrawing) -> None:
    """Draw the map before alone, while its run still trains; nothing for a corpus that needs a preview."""
    if drawing.shown is None:
        drawing.write("before", _map_before(drawing, drawing.embeddings("before"), None))


def draw_both(drawing: MapDrawing) -> dict[str, float]:
    """Draw before and after, for a large corpus as previews first; returns the seconds of each."""
    seconds: dict[str, float] = {}
    previews: dict[str, np.ndarray | None] = {"before": None, "after": None}
    before, after = drawing.embeddings("before"), drawing.embeddings("after")
    # the first rows usually decide
    same = before.shape == after.shape and np.array_equal(before[:1000], after[:1000]) and np.array_equal(before, after)
    if drawing.shown is not None:
        first = _preview(drawing, "before", before, None)
        second = first if same else _preview(drawing, "after", after, first)
        if same:
            drawing.write("after", first.layout, drawing.shown)
        seconds |= {"before_preview": first.layout.used.seconds, "after_preview": second.layout.used.seconds}
        previews = {"before": _everywhere(drawing, first), "after": _everywhere(drawing, second)}
    full = _map_before(drawing, before, previews["before"])
    drawing.write("before", full)
    if same:
        later = full
    elif previews["after"] is None:
        later = drawing.lay_out("after", after, start=full.coordinates, since=drawing.graph("before", before))
    else:
        later = drawing.lay_out("after", after, preview=previews["after"])
    drawing.write("after", later)
    return seconds | {"before": full.used.seconds, "after": later.used.seconds}


class DrawnPreview(NamedTuple):
    """A map of a subset of the texts, with its own graph."""

    layout: Layout
    graph: NeighborGraph


def _preview(drawing: MapDrawing, name: str, embeddings: np.ndarray, before: DrawnPreview | None) -> DrawnPreview:
    """The preview, written to the run's folder at once."""
    few = np.asarray(embeddings[drawing.shown])
    graph = neighbor_graph(few, k=max(10, drawing.method.neighbors_needed(drawing.config)), progress=drawing.progress)
    start, since = (None, None) if before is None else (before.layout.coordinates, before.graph)
    layout = drawing.lay_out(name, few, graph, start=start, since=since)
    drawing.write(name, layout, drawing.shown)
    return DrawnPreview(layout, graph)


def _everywhere(drawing: MapDrawing, preview: DrawnPreview) -> np.ndarray:
    """A preview's coordinates placed among all texts, NaN for the others. -> (texts, 2)"""
    places = np.full((len(drawing.kept), 2), np.nan)
    places[drawing.shown] = preview.layout.coordinates
    return places


def draw_onto(drawing: MapDrawing, other: RunFolder) -> float:
    """Draw this run's map after starting from another run's map after; returns the seconds it took."""
    key = drawing.method.key
    start = places_after(drawing, other)
    theirs = MapDrawing(other, drawing.method, drawing.config, drawing.progress, drawing.dimensions)
    since = theirs.graph("after", theirs.embeddings("after"))
    layout = drawing.lay_out("after", drawing.embeddings("after"), start=start, since=since)
    path, facts = drawing.drawn.map_onto(other.id, key), layout.used | MapFacts(onto=other.id)
    _write(path, drawing.corpus, drawing.kept, layout, facts, folds=not saw_labels(drawing.drawn))
    return facts.seconds


def places_after(drawing: MapDrawing, other: RunFolder) -> np.ndarray:
    """Coordinates of the non-empty texts on another run's map after, drawn first if missing. -> (texts, 2)"""
    if fingerprint_of(other) != drawing.corpus.fingerprint:
        raise CorpusError(
            "E-OTHER-CORPUS",
            f"Two maps can only be aligned on the same corpus, but {other.id} and {drawing.drawn.id} have "
            "different ones. Choose a run on the same corpus.",
        )
    path = other.map("after", drawing.method.key)
    drawn = read_map(path)
    if drawn is None or drawn.facts.preview is not None:
        draw_both(MapDrawing(other, drawing.method, drawing.config, drawing.progress))
        drawn = read_map(path)
    assert drawn is not None, "it was drawn just now"
    return drawn.everywhere(drawing.corpus.info.rows)[drawing.kept]


def map_alone(
    embeddings: np.ndarray, method: type[LayoutMethod], config: Config, start: np.ndarray | None, progress: Progress
) -> Layout:
    """A map of these vectors that no run stores. embeddings: (texts, dim)"""
    graph = neighbor_graph(embeddings, k=max(2, method.neighbors_needed(config)), progress=progress)
    return method.lay_out(embeddings, graph, config, start=start, progress=progress, threads=threads())


def _map_before(drawing: MapDrawing, embeddings: np.ndarray, preview: np.ndarray | None) -> Layout:
    """From the store if another run began from the same embeddings, otherwise drawn and stored there."""
    method, config = drawing.method, drawing.config
    engine = "cuml" if getattr(config, "engine", "cpu") != "cpu" and cuml_is_there() else "cpu"
    same_map = f"{method.key} {config.model_dump_json()} {engine} {ALGORITHM}"
    same_map += "" if preview is None or drawing.shown is None else f" preview {len(drawing.shown)}"
    same_map += "" if drawing.dimensions is None else f" dimensions {drawing.dimensions}"
    digest = hashlib.sha256()
    for start in range(0, len(embeddings), 16_384):
        digest.update(np.ascontiguousarray(embeddings[start : start + 16_384]).data)
    digest.update(same_map.encode())
    key = digest.hexdigest()[:24]
    shared = store_root() / "maps" / key
    with alone(f"map-{key}", lambda: drawing.progress("Waiting for another process to draw the map before training")):
        if (shared / "facts.json").exists():
            with suppress(UnreadableFile):  # else it is drawn again
                coordinates = read_array(shared / "coordinates.npy")
                facts = read_model(shared / "facts.json", MapFacts) | MapFacts(seconds=0.0)
                drawing.graph("before", embeddings)
                return Layout(coordinates, facts)
        layout = drawing.lay_out("before", embeddings, preview=preview)
        with atomic_write(shared / "coordinates.npy") as temporary, open(temporary, "wb") as file:
            np.save(file, layout.coordinates, allow_pickle=False)
        write_map_facts(shared / "facts.json", layout.used)
        return layout


def _write(path: Path, corpus: Corpus, rows: np.ndarray, layout: Layout, facts: MapFacts, *, folds: bool) -> None:
    """``folds``: whether kNN accuracy on the map may be measured over ten folds: only if no label was trained on."""
    write_map(path, rows, layout.coordinates)
    if folds and corpus.labels is not None and why_no_knn(corpus.labels, rows) is None:
        in_picture = np.full((corpus.info.rows, 2), np.nan, np.float32)
        in_picture[rows] = layout.coordinates
        knn = cv10_knn(embeddings=in_picture, labels=corpus.labels, rows=rows, copies=corpus.copies)
        facts |= MapFacts(knn_in_picture=knn.value)
    write_map_facts(path.with_suffix(".json"), facts)


def graph_of(
    folder: RunFolder, name: str, embeddings: np.ndarray, progress: Progress, distance: Distance = EUCLIDEAN
) -> NeighborGraph:
    """The neighbor graph of the non-empty rows, computed once and stored with the run; maps use the Euclidean one.

    Maps and folds need it at about the same moment: whoever is second waits.
    """
    path, source = folder.neighbors(name, distance), folder.embeddings(name)
    if graph := _stored_graph(path, source):
        return graph
    with alone(f"neighbors-{folder.id}-{distance}", lambda: progress("Waiting for another process to find neighbors")):
        if graph := _stored_graph(path, source):
            return graph
        if distance == COSINE and have_length_one(embeddings):
            euclidean = graph_of(folder, name, embeddings, progress)
            of_both = np.square(euclidean.distances) / 2  # |u-v|² = 2 (1-cos)
            graph = replace(euclidean, distances=of_both, distance=COSINE)
        else:
            graph = neighbor_graph(embeddings, k=LIMITS.map_neighbors, distance=distance, progress=progress)
        graph.save(path)
        return graph


def _stored_graph(path: Path, embeddings: Path) -> NeighborGraph | None:
    """None if there is none, or a damaged one, or one older than its embeddings, which a resumed run rewrites."""
    facts = path / "graph.json"
    with suppress(UnreadableFile):
        if facts.exists() and facts.stat().st_mtime_ns >= embeddings.stat().st_mtime_ns:
            return NeighborGraph.load(path)
    return None


def threads() -> int:
    """Threads that a map may use; one while another run has the device."""
    return int(os.environ.get("OMP_NUM_THREADS", 0)) or os.cpu_count() or 1
