"""A run's maps as a figure for a paper: one map, or before and after beside each other."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field, field_validator

from embedlab.config import Config, validated
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.errors import RunError
from embedlab.figures.palette import ACCENT, class_colours
from embedlab.map_methods import ALL_MAPS, MAP_METHODS, OWN_MAP, map_title
from embedlab.maps.drawing import draw
from embedlab.maps.figure_layout import NO_CLASS, Panel, Picture
from embedlab.plane import laid_onto
from embedlab.runs.brought import own_files
from embedlab.runs.drawn_map import MapFacts, map_corner, read_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.frames import UNTOUCHED, right_map
from embedlab.runs.label_lineage import run_title, saw_labels, word_of_before
from embedlab.runs.result import accuracy_of, read_result
from embedlab.runs.selections import open_selection, rows_of
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json

DOUBLE_COLUMN = 174.0  # mm
PREVIEW_DPI = 150


class FigureSettings(Config):
    """What a figure shows and how large it is."""

    run: str = Field(description="The run whose maps are drawn.")
    method: str = Field("tsne", description="The map method.")
    against: str = Field(UNTOUCHED, description="What stands left: the run's own map before, or another run's id.")
    maps: Literal["both", "left", "right"] = Field("both", description="Both maps beside each other, or one of them.")
    format: Literal["pdf", "svg", "png"] = Field("pdf", description="PDF and SVG keep type as text; PNG is an image.")
    width_mm: float = Field(DOUBLE_COLUMN, ge=30, le=500, description="Millimetres: 85 is one column, 174 two.")
    dpi: int = Field(300, ge=72, le=1200, description="Dots per inch of the points (and of a PNG).")
    names: Literal["map", "legend", "none"] = Field("map", description="Where class names stand.")
    left_title: str = Field("", max_length=300, description="Above the left map; what it is, where nothing is given.")
    right_title: str = Field("", max_length=300, description="Above the right map.")
    title: str = Field("", max_length=300, description="A line above the maps; none by default.")
    caption: bool = Field(True, description="Whether method, seed, texts and the measure stand below.")
    distance: Distance | None = Field(
        None, description="By which kNN accuracy in the corner is; by default the one that the map was drawn with."
    )
    selection: str = Field("", description="A selection's id: its texts keep their colours, all others turn grey.")

    @field_validator("method")
    @classmethod
    def _is_known(cls, method: str) -> str:
        return method if method in ALL_MAPS else MAP_METHODS[method].key


@dataclass(frozen=True)
class Drawn:
    """One map as it lies in its run: corpus rows (texts,), places (texts, 2), and what is said above it."""

    rows: np.ndarray
    coordinates: np.ndarray
    facts: MapFacts
    title: str
    measure: str


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``FigureSettings`` -> ``figure.<format>`` in the job's folder."""
    settings = validated(FigureSettings, asked, where="figure")
    out = folder.path / f"figure.{settings.format}"
    facts = drawn_figure(settings, out, progress, preview=folder.path / "preview.png")
    write_json(folder.result, {**facts, "file": out.name})


def drawn_figure(settings: FigureSettings, out: Path, progress, *, preview: Path | None = None) -> dict:
    """Write it, and where asked a small PNG of it; ``{out, run, method, maps, texts, format, width, height, …}``."""
    shown = open_run(settings.run)
    corpus = open_corpus(fingerprint_of(shown))
    progress("Reading the maps", 0, 0)
    sides = {"both": (0, 1), "left": (0,), "right": (1,)}[settings.maps]
    read = [_read(shown, settings, side) for side in sides]
    if settings.method == OWN_MAP and settings.against != UNTOUCHED and len(read) == 2:
        left, right = read  # places that were brought know nothing of each other
        laid = laid_onto(right.coordinates, right.rows, onto=left.coordinates, onto_rows=left.rows)
        read[1] = replace(right, coordinates=laid)
    classes = [each.label for each in corpus.info.classes]
    panels = [_panel(corpus, settings, one) for one in read]
    picture = Picture(
        panels=panels,
        class_names=classes if classes else ["texts"],
        colours=list(class_colours(classes).values()) if classes else [ACCENT],
        title=settings.title,
        caption=_caption(corpus, settings, read, panels) if settings.caption else "",
        names=settings.names if classes else "none",
    )
    texts = max(len(panel.coordinates) for panel in panels)
    progress(f"Drawing {texts:,} texts", 0, 0)
    facts = draw(picture, out, width_mm=settings.width_mm, dpi=settings.dpi)
    if preview is not None:
        draw(picture, preview, width_mm=settings.width_mm, dpi=PREVIEW_DPI)
    asked = {name: getattr(settings, name) for name in ("run", "method", "maps", "format")}
    return {"out": str(out), **asked, "texts": texts, **facts, "bytes": out.stat().st_size}


def _read(shown: RunFolder, settings: FigureSettings, side: int) -> Drawn:
    """The map on the left (0) or right (1)."""
    other = None if settings.against == UNTOUCHED else open_run(settings.against)
    of = other if other is not None and side == 0 else shown
    if side == 1:
        path, facts = right_map(shown, settings.against, other, settings.method)
    else:
        name = "before" if other is None else "after"
        path, facts = of.map(name, settings.method), of.map_facts(name, settings.method)
    drawn = read_map(path, facts)
    if drawn is None:
        raise RunError(
            "E-NOT-DRAWN",
            f"A figure needs the {_method_name(settings)} maps of run {of.id}, but they are not drawn. Draw them on "
            "Maps.",
        )
    title = (settings.left_title, settings.right_title)[side] or _title(of, side, is_compared=other is not None)
    name = "after" if other is not None or side else "before"
    measure = _measure(of, name, drawn.facts, settings.distance)
    return Drawn(drawn.rows, drawn.coordinates.astype(np.float64), drawn.facts, title, measure)


def _panel(corpus: Corpus, settings: FigureSettings, drawn: Drawn) -> Panel:
    if corpus.labels is None:
        categories = np.zeros(len(drawn.rows), np.int64)
    else:
        places = {each.label: place for place, each in enumerate(corpus.info.classes)}
        categories = np.array([places.get(label, NO_CLASS) for label in corpus.labels[drawn.rows]], np.int64)
    faint = None
    if settings.selection:
        faint = ~np.isin(drawn.rows, rows_of(open_selection(settings.selection)))
    return Panel(drawn.coordinates, categories, drawn.title, drawn.measure, faint)


def _measure(of: RunFolder, side: str, facts: MapFacts, distance: Distance | None) -> str:
    """``kNN accuracy 70.3 % ± 1.4 by Euclidean distance, 59.2 % in the picture``; by another distance without that."""
    if distance is not None:
        facts = MapFacts(distance=distance, knn_in_picture=facts.knn_in_picture if distance == facts.distance else None)
    return map_corner(read_result(of), side, facts, otherwise=SHOWN_FIRST, folds=not saw_labels(of, side))


def _caption(corpus: Corpus, settings: FigureSettings, read: list[Drawn], panels: list[Panel]) -> str:
    """Method, seed, how many texts; what the measure is of; what grey means."""
    seed, shown = read[-1].facts.seed, len(read[-1].rows)
    texts = f"{shown:,} of {corpus.info.texts:,} texts" if shown < corpus.info.texts else f"{shown:,} texts"
    head = [_method_name(settings), f"seed {seed}" if seed is not None else "", f"{texts} of {corpus.name}"]
    if corpus.info.classes:
        head.append(f"{len(corpus.info.classes):,} classes")
    said = [", ".join(part for part in head if part) + "."]
    knn = accuracy_of(read_result(open_run(settings.run)), settings.distance or SHOWN_FIRST)
    if knn is not None and any(panel.corner for panel in panels):
        tested = f"kNN accuracy of the embeddings on {knn.test_texts:,} test texts, ± one standard error"
        is_seen = any("in the picture" in panel.corner for panel in panels)
        said.append(f"{tested}; in the picture by ten folds." if is_seen else f"{tested}.")
    if settings.selection:
        chosen = open_selection(settings.selection)
        said.append(f"In colour: {chosen.name} ({chosen.texts:,} texts).")
    elif corpus.labels is not None and any((panel.categories == NO_CLASS).any() for panel in panels):
        said.append("Grey: no label.")
    return " ".join(said)


def _method_name(settings: FigureSettings) -> str:
    return map_title(settings.method)


def _title(of: RunFolder, side: int, *, is_compared: bool) -> str:
    if is_compared:
        return run_title(of)
    files = own_files(of)
    if files:
        return files.get(("before", "after")[side]) or files.get(("coordinates", "coordinates_after")[side], "")
    return (f"Before: {word_of_before(of)}", "After: fine-tuned")[side]
