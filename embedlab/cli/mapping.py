"""``map`` and ``figure``: the two coordinates of every text, and a run's maps as PDF, SVG or PNG for a paper."""

import time
from pathlib import Path

import numpy as np

from embedlab.cli.measuring import read_embeddings
from embedlab.cli.reading import output_file
from embedlab.config import validated
from embedlab.corpora.base import open_corpus
from embedlab.errors import SettingsError
from embedlab.runs.drawn_map import rows_to_draw, write_map
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.vectors.faults import fault_notes, faults_in
from embedlab.vectors.files import taken


def draw_map(asked, terminal) -> tuple[dict, int]:
    """Two coordinates for every text that has a vector, in corpus order."""
    from embedlab.cli.post import after_step, asked_step, is_of_post
    from embedlab.cli.running import with_setting
    from embedlab.maps import MAPS
    from embedlab.neighbors import neighbor_graph
    from embedlab.tasks.draw.drawing import Drawing, places_after
    from embedlab.tasks.draw.graph_files import threads
    from embedlab.tasks.measure.embedded import load_embeddings

    out = output_file(asked.out, ".parquet")
    steps = asked_step(asked.post, [setting for setting in asked.sets if is_of_post(setting)])
    values: dict = {}
    for setting in asked.sets:
        values = values if is_of_post(setting) else with_setting(values, setting)
    method = MAPS[asked.method]
    config = validated(method.config_class, values, where="map")
    start = None
    if asked.onto is not None and asked.run is None:
        raise SettingsError(
            "E-ONTO", "--onto lays the map of one run over that of another, but there is no --run. Name one with --run."
        )
    if asked.run is not None:
        folder = open_run(asked.run)
        if asked.onto is not None:
            start = places_after(Drawing(folder, method, config, terminal), open_run(asked.onto))
        corpus = open_corpus(fingerprint_of(folder))
        rows, notes = rows_to_draw(corpus), []
        embeddings = load_embeddings(folder, "after")
        faults = faults_in(embeddings, rows, corpus.copies)
        embeddings = taken(embeddings, rows)
    else:
        embeddings, ids, notes = read_embeddings(asked.embeddings, asked.column)
        rows, faults = np.arange(len(embeddings)) if ids is None else ids, faults_in(embeddings)
    began = time.perf_counter()
    embeddings = after_step(embeddings, np.arange(len(embeddings)), steps, terminal)
    graph = neighbor_graph(embeddings, k=max(2, method.neighbors_needed(config)), progress=terminal)
    layout = method.lay_out(embeddings, graph, config, start=start, progress=terminal, threads=threads())
    write_map(out, rows, layout.coordinates)
    seconds = round(time.perf_counter() - began, 2)
    facts = {
        "out": str(out),
        "texts": len(rows),
        "method": method.key,
        "seed": layout.used.get("seed"),
        "seconds": seconds,
        "vectors": faults.as_json(),
        "warnings": [*notes, *fault_notes({"vectors": faults})],
    }
    facts |= {**graph.how, **({} if asked.onto is None else {"onto": asked.onto})}
    return {**facts, "used": layout.used} | ({"post": next(iter(steps))} if steps else {}), 0


def show_map(result: dict) -> list[str]:
    """Where the map lies."""
    lines = [
        f"{result['method']} of {result['texts']:,} texts, seed {result['seed']}, {result['seconds']:.1f} s: "
        f"{result['out']}"
    ]
    lines += [each["message"] for each in result["warnings"]]
    if result.get("approximate"):
        share = f"{100 * result['recall_15']:.1f} %"
        lines.append(f"neighbors approximate, recall@15 {share} on {result['queries']:,} texts")
    return lines


def figure(asked, terminal) -> tuple[dict, int]:
    """One map, or both beside each other."""
    from embedlab.config import validated
    from embedlab.tasks.draw.figure import FigureSettings, drawn_figure

    names = ("run", "method", "against", "maps", "format", "width_mm", "dpi", "names", "title", "selection", "distance")
    given = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    given.setdefault("format", Path(asked.out).suffix.removeprefix("."))
    settings = validated(FigureSettings, {**given, "caption": not asked.no_caption}, where="figure")
    return drawn_figure(settings, output_file(asked.out, f".{settings.format}"), terminal), 0


def show_figure(result: dict) -> list[str]:
    """Where it lies."""
    lines = [f"{result['texts']:,} texts, {result['width']:,} × {result['height']:,} pixels: {result['out']}"]
    if result["unseen"]:
        lines.append(f"No font on this computer has {result['unseen']}: boxes stand in their place. SVG keeps them.")
    return lines
