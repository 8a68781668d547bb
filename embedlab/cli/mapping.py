"""``map`` and ``figure``: the two coordinates of every text, and a run's maps as PDF, SVG or PNG for a paper."""

import time
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from embedlab.cli.arguments import Command, Option, given, options
from embedlab.cli.options import VECTORS, Column, Post, RunId
from embedlab.cli.reading import output_file
from embedlab.config import validated
from embedlab.corpora.base import open_corpus
from embedlab.distance import Distance
from embedlab.errors import SettingsError
from embedlab.jobs.requests.drawing import DrawFigure
from embedlab.map_methods import ALL_MAPS, MAP_METHODS
from embedlab.numbers import counted, percent
from embedlab.runs.drawn_map import rows_to_draw, write_map
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.vectors.faults import fault_notes, faults_in
from embedlab.vectors.files import taken
from embedlab.vectors.laid import in_own_order


@options(only_one=True, required=True)
class Vectors:
    """What is drawn."""

    run: RunId | None = None
    embeddings: Annotated[str | None, Option(metavar=VECTORS)] = None


@options()
class Figure:
    """What a figure of a run's maps shows, and its size: fields of ``DrawFigure``."""

    run: RunId
    method: Annotated[str, Option(choices=ALL_MAPS)] = "tsne"
    against: Annotated[
        str | None, Option("another run on the left instead of this one's map before training", "ID")
    ] = None
    maps: Annotated[Literal["both", "left", "right"] | None, Option("both side by side (default), or one")] = None
    format: Annotated[Literal["pdf", "svg", "png"] | None, Option("default: by --out")] = None
    width_mm: Annotated[float | None, Option("85 is one column, 174 (default) two", "MM", flag="--width")] = None
    dpi: Annotated[int | None, Option("of the points, and of a PNG (default 300)")] = None
    names: Annotated[
        Literal["map", "legend", "none"] | None, Option("where class names are written (default: map)")
    ] = None
    title: Annotated[str | None, Option("a line above the maps")] = None
    caption: Annotated[bool, Option("leave out method, seed, texts and measure below")] = True
    selection: Annotated[str | None, Option("a selection; only its texts keep their colours", "ID")] = None
    distance: Annotated[
        Distance | None, Option("distance of the kNN accuracy in the corner (default: the map's own)")
    ] = None


def draw_map(
    terminal,
    *,
    of: Vectors,
    column: Column = None,
    method: Annotated[str, Option(choices=tuple(MAP_METHODS.keys()))] = "tsne",
    onto: Annotated[str | None, Option("start from this run's map after training, on the same corpus", "ID")] = None,
    post: Post,
    out: Annotated[str, Option(metavar="FILE.parquet")],
) -> tuple[dict, int]:
    """Two coordinates for every text that has a vector, in corpus order."""
    from embedlab.cli.post import after_step, asked_step, is_of_post
    from embedlab.cli.running import with_setting
    from embedlab.maps import MAPS
    from embedlab.neighbors import neighbor_graph
    from embedlab.tasks.draw.drawing import Drawing, places_after, threads
    from embedlab.tasks.measure.embedded import load_embeddings

    file, part = output_file(out, ".parquet"), MAPS[method]
    steps = asked_step(post.post, [setting for setting in post.sets if is_of_post(setting)])
    values: dict = {}
    for setting in post.sets:
        values = values if is_of_post(setting) else with_setting(values, setting)
    config = validated(part.config_class, values, where="map")
    start = None
    if onto is not None and of.run is None:
        raise SettingsError(
            "E-ONTO",
            "--onto aligns the map of one run with that of another, but there is no --run. Give one with --run.",
        )
    if of.run is not None:
        folder = open_run(of.run)
        if onto is not None:
            start = places_after(Drawing(folder, part, config, terminal), open_run(onto))
        corpus = open_corpus(fingerprint_of(folder))
        rows, notes = rows_to_draw(corpus), []
        embeddings = load_embeddings(folder, "after")
        faults = faults_in(embeddings, rows, corpus.copies)
        embeddings = taken(embeddings, rows)
    else:
        embeddings, ids, notes = in_own_order(of.embeddings, column)
        rows, faults = np.arange(len(embeddings)) if ids is None else ids, faults_in(embeddings)
    began = time.perf_counter()
    embeddings = after_step(embeddings, np.arange(len(embeddings)), steps, terminal)
    graph = neighbor_graph(embeddings, k=max(2, part.neighbors_needed(config)), progress=terminal)
    layout = part.lay_out(embeddings, graph, config, start=start, progress=terminal, threads=threads())
    write_map(file, rows, layout.coordinates)
    seconds = round(time.perf_counter() - began, 2)
    facts = {
        "out": str(file),
        "texts": len(rows),
        "method": part.key,
        "seed": layout.used.get("seed"),
        "seconds": seconds,
        "vectors": faults.as_json(),
        "warnings": [*notes, *fault_notes({"vectors": faults})],
    }
    facts |= {**graph.how, **({} if onto is None else {"onto": onto})}
    return {**facts, "used": layout.used} | ({"post": next(iter(steps))} if steps else {}), 0


def show_map(result: dict) -> list[str]:
    """Where the map lies."""
    lines = [
        f"{result['method']} of {result['texts']:,} texts, seed {result['seed']}, {result['seconds']:.1f} s: "
        f"{result['out']}"
    ]
    lines += [each["message"] for each in result["warnings"]]
    if result.get("approximate"):
        share = percent(result["recall_15"])
        lines.append(f"neighbors approximate, recall@15 {share} on {counted(result['queries'], 'text')}")
    return lines


def figure(terminal, *, picture: Figure, out: Annotated[str, Option(metavar="FILE.pdf|.svg|.png")]) -> tuple[dict, int]:
    """One map, or both beside each other."""
    from embedlab.tasks.draw.figure import drawn_figure

    ending = Path(out).suffix.removeprefix(".")
    settings = validated(DrawFigure, {"format": ending, **given(picture)}, where="figure")
    return drawn_figure(settings, output_file(out, f".{settings.format}"), terminal), 0


def show_figure(result: dict) -> list[str]:
    """Where it lies."""
    lines = [f"{counted(result['texts'], 'text')}, {result['width']:,} × {result['height']:,} pixels: {result['out']}"]
    if result["unseen"]:
        lines.append(f"No font on this computer has {result['unseen']}: boxes are drawn instead. SVG keeps them.")
    return lines


COMMANDS = {
    "map": Command(draw_map, show_map, runs=("run",)),
    "figure": Command(figure, show_figure, runs=("run", "against")),
}
