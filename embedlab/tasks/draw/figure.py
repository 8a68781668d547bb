"""A run's maps as a figure for a paper: one map, or before and after side by side."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.distance import SHOWN_FIRST
from embedlab.errors import RunError
from embedlab.jobs.requests.drawing import DrawFigure, DrawnFigure
from embedlab.map_methods import OWN_MAP, map_title
from embedlab.maps.drawing import NO_CLASS, MapFigure, MapPanel, draw
from embedlab.numbers import counted
from embedlab.palette import ACCENT, class_colours
from embedlab.plane import laid_onto
from embedlab.progress import Progress
from embedlab.runs.drawn_map import UNTOUCHED, MapFacts, map_corner, read_map, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names, shown_numbers
from embedlab.runs.imported import own_files
from embedlab.runs.label_lineage import saw_labels, word_of_before
from embedlab.runs.result import accuracy_of, read_result
from embedlab.runs.selections import open_selection, rows_of
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.training.titles import run_title

PREVIEW_DPI = 150


@dataclass(frozen=True)
class FigureMap:
    """One stored map: corpus rows (texts,), coordinates (texts, 2), and the lines above it."""

    rows: np.ndarray
    coordinates: np.ndarray
    facts: MapFacts
    title: str
    measure: str


def run(folder: RunFolder, request: DrawFigure, progress: Progress) -> None:
    """Writes ``figure.<format>`` into the job's folder."""
    out = folder.path / f"figure.{request.format}"
    facts = drawn_figure(request, out, progress, preview=folder.path / "preview.png")
    write_json(folder.result, asdict(facts) | {"file": out.name})


def drawn_figure(request: DrawFigure, out: Path, progress: Progress, *, preview: Path | None = None) -> DrawnFigure:
    """Write the figure and, if requested, a small PNG of it."""
    run = open_run(request.run)
    corpus = open_corpus(fingerprint_of(run))
    progress("Reading the maps", 0, 0)
    read = [_read(run, request, side) for side in {"both": (0, 1), "left": (0,), "right": (1,)}[request.maps]]
    if request.method == OWN_MAP and request.against != UNTOUCHED and len(read) == 2:
        left, right = read  # places that were brought know nothing of each other
        laid = laid_onto(right.coordinates, right.rows, onto=left.coordinates, onto_rows=left.rows)
        read[1] = replace(right, coordinates=laid)
    classes = shown_names(corpus)
    panels = [_panel(corpus, request, one) for one in read]
    picture = MapFigure(
        panels=panels,
        class_names=classes if classes else ["texts"],
        colours=list(class_colours(classes).values()) if classes else [ACCENT],
        title=request.title,
        caption=_caption(corpus, request, read, panels) if request.caption else "",
        names=request.names if classes else "none",
    )
    texts = max(len(panel.coordinates) for panel in panels)
    progress(f"Drawing {counted(texts, 'text')}", 0, 0)
    drawn = draw(picture, out, width_mm=request.width_mm, dpi=request.dpi)
    if preview is not None:
        draw(picture, preview, width_mm=request.width_mm, dpi=PREVIEW_DPI)
    return DrawnFigure(
        out=str(out),
        run=request.run,
        method=request.method,
        maps=request.maps,
        format=request.format,
        texts=texts,
        **drawn._asdict(),
        bytes=out.stat().st_size,
    )


def _read(run: RunFolder, request: DrawFigure, side: int) -> FigureMap:
    """The map on the left (0) or right (1)."""
    other = None if request.against == UNTOUCHED else open_run(request.against)
    of = other if other is not None and side == 0 else run
    if side == 1:
        path = right_map(run, request.against, other, request.method)
    else:
        path = of.map("before" if other is None else "after", request.method)
    drawn = read_map(path)
    if drawn is None:
        raise RunError(
            "E-NOT-DRAWN",
            f"A figure needs the {map_title(request.method)} maps of run {of.id}, but they are not drawn. Draw them on "
            f"the page Run, Map.",
        )
    title = (request.left_title, request.right_title)[side] or _title(of, side, is_compared=other is not None)
    name = "after" if other is not None or side else "before"
    distance = request.distance or SHOWN_FIRST
    measure = map_corner(read_result(of), name, drawn.facts, distance=distance, folds=not saw_labels(of, name))
    return FigureMap(drawn.rows, drawn.coordinates.astype(np.float64), drawn.facts, title, measure)


def _panel(corpus: Corpus, request: DrawFigure, drawn: FigureMap) -> MapPanel:
    numbers = shown_numbers(corpus)[drawn.rows]
    categories = np.where(numbers < 0, NO_CLASS, numbers) if shown_names(corpus) else np.zeros_like(numbers)
    faint = None
    if request.selection:
        faint = ~np.isin(drawn.rows, rows_of(open_selection(request.selection)))
    return MapPanel(drawn.coordinates, categories, drawn.title, drawn.measure, faint)


def _caption(corpus: Corpus, request: DrawFigure, read: list[FigureMap], panels: list[MapPanel]) -> str:
    """Method, seed and number of texts; what the measure refers to; the meaning of grey."""
    seed, count = read[-1].facts.seed, len(read[-1].rows)
    texts = f"{count:,} of {corpus.info.texts:,} texts" if count < corpus.info.texts else counted(count, "text")
    head = [map_title(request.method), f"seed {seed}" if seed is not None else "", f"{texts} of {corpus.name}"]
    if classes := shown_names(corpus):
        head.append(counted(len(classes), "class", "classes") + ("" if corpus.info.classes else " by hand"))
    sentences = [", ".join(part for part in head if part) + "."]
    knn = accuracy_of(read_result(open_run(request.run)), request.distance or SHOWN_FIRST)
    if knn is not None and any(panel.corner for panel in panels):
        tested = f"kNN accuracy of the embeddings {knn.tested}, ± one standard error"
        is_seen = any("in the picture" in panel.corner for panel in panels)
        sentences.append(f"{tested}; in the picture over ten folds." if is_seen else f"{tested}.")
    if request.selection:
        chosen = open_selection(request.selection)
        sentences.append(f"In color: {chosen.name} ({counted(chosen.texts, 'text')}).")
    elif any((panel.categories == NO_CLASS).any() for panel in panels):
        sentences.append("Gray: no label.")
    return " ".join(sentences)


def _title(of: RunFolder, side: int, *, is_compared: bool) -> str:
    if is_compared:
        return run_title(of)
    files = own_files(of)
    if files:
        return files.get(("before", "after")[side]) or files.get(("coordinates", "coordinates_after")[side], "")
    return (f"Before: {word_of_before(of)}", "After: fine-tuned")[side]
