"""Downloads of the maps: a figure for a paper, coordinates and neighbors as Parquet, the replay."""

from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.corpora.base import Corpus
from embedlab.damage import read_bytes, read_model
from embedlab.distance import COSINE, Distance, other_distance
from embedlab.jobs.requests.drawing import DrawFigure, DrawnFigure, WriteNeighbors, WriteReplay, WrittenFile
from embedlab.map_methods import ALL_MAPS
from embedlab.numbers import count, counted, in_bytes
from embedlab.report.replay import texts_in_replay
from embedlab.runs.drawn_map import UNTOUCHED, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names
from embedlab.runs.result import read_result
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import Compared, compared
from embedlab.ui.components.run_maps import corpus_needed, methods_of
from embedlab.ui.components.selection_choice import open_one
from embedlab.ui.frame.files import download, offer_file
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.progress import begin, is_newer, job_panel
from embedlab.ui.frame.state import AS_DRAWN, named, one_of, shown_distance
from embedlab.ui.maps.drawn_maps import method_choice

FORMATS = {"pdf": "PDF", "svg": "SVG", "png": "PNG"}
WIDTHS = {85.0: "One column, 85 mm", 174.0: "Two columns, 174 mm", None: "Other width"}
NAMES = {"map": "On the map", "legend": "In a legend", "none": "None"}


def show_figure(run: RunFolder) -> None:
    """The choices, the button, and the figure once drawn; before the maps are, the way to them."""
    corpus = corpus_needed(run)
    view, method, row, panel, advanced = _which_maps(run, corpus)
    if view.maps(method) is None:
        return
    with row:
        sides = {"both": "Both", "left": view.titles[0], "right": view.titles[1]}
        maps = one_of("Maps", sides, key="figure.maps", first="both")
        format_ = one_of("Format", FORMATS, key="figure.format", first="pdf")
    with advanced:
        request = _advanced(view, corpus, method=method, maps=maps, format=format_)
    right = right_map(run, view.against, view.other, method)
    with panel:
        job_panel(request, start="Draw the figure", key="figure.draw", show=lambda job: _drawn(job, view, request),
                  is_outdated=lambda job: is_newer(right, job))  # fmt: skip
    st.caption(
        "Points are one image per map, at the chosen resolution; labels, frame and legend are vectors, and text stays "
        "text. Class colors are those of the light theme. The same map gives the same bytes."
    )


def _which_maps(run: RunFolder, corpus: Corpus) -> tuple[Compared, str, DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Draws the choice of the left map and of the method, and how far they are drawn.

    Returns both choices, and the places for others: a row, one below it, and one for advanced ones.
    """
    row, below = st.container(horizontal=True, vertical_alignment="bottom"), st.container()
    advanced = st.expander("Advanced").container(horizontal=True, vertical_alignment="bottom")
    with advanced:
        view, method = compared(run, corpus), method_choice(run)
    with below:
        view.show_drawing(method, there=view.maps(method) is not None)
    return view, method, row, below, advanced


def _advanced(view: Compared, corpus: Corpus, **chosen: Any) -> DrawFigure:
    """Width, names, resolution, title and caption; for an open selection whether it alone is colored."""
    width = st.selectbox("Width", index=1, width=200, key="figure.width", persist_state="session", **named(WIDTHS))
    other = st.number_input("Other width (mm)", 30, 500, 120, key="figure.mm", width=150, disabled=width is not None,
                          persist_state="session")  # fmt: skip
    names: Literal["map", "legend", "none"] = "none"
    if shown_names(corpus):
        names = one_of("Class names", NAMES, key="figure.names", first="map")
    dpi = st.number_input("Resolution (dots per inch)", 72, 1200, 300, key="figure.dpi", width=190,
                          persist_state="session")  # fmt: skip
    title = st.text_input("Title", key="figure.title", max_chars=300, width=260, placeholder="None",
                          persist_state="session")  # fmt: skip
    caption = st.toggle("Method, seed and measure below", True, key="figure.caption", persist_state="session")
    selection = open_one(corpus)
    only = ""
    if selection is not None and st.toggle(f"Only “{escaped(selection.name, 40)}” in color", key="figure.selection"):
        only = selection.id
    left, right = (each[:300] for each in view.titles)
    return DrawFigure(
        run=view.run.id, against=view.against, width_mm=float(other) if width is None else width, names=names,
        dpi=int(dpi), title=title.strip(), caption=caption, selection=only,
        left_title=left, right_title=right, **chosen,
    )  # fmt: skip


def _drawn(job: RunFolder, view: Compared, request: DrawFigure) -> None:
    """The figure, small, and its download."""
    drawn = read_model(job.result, DrawnFigure)
    file = job.path / Path(drawn.out).name
    size = f"{request.width_mm:g} × {request.width_mm * drawn.height / drawn.width:.0f} mm"
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"map-{request.method}-{view.run.id}.{request.format}"
        download(f"Download {FORMATS[request.format]}", partial(read_bytes, file), name, key="figure.download")
        st.caption(f"{size}, {in_bytes(drawn.bytes)}, {counted(drawn.texts, 'text')} on a map.")
    if drawn.unseen:
        line = f"No font on this computer has {drawn.unseen[:20]}: boxes are drawn instead. SVG keeps them."
        st.caption(escaped(line, 300))
    st.image(str(job.path / "preview.png"), width=min(int(5.2 * request.width_mm), 1000),
             alt=f"The figure: {counted(drawn.texts, 'text')} on a map.")  # fmt: skip


_NO_FILES = "There is nothing to export yet: the maps of this run are not drawn and its neighbors not computed."
_TRUST = (
    "Trust: columns id, true, kept. true: the share of a text's neighbors on the map that are also near it by "
    "the vectors that the map was drawn from (Euclidean); kept: the share of its nearest by these that are near it on "
    "the map."
)
_MOVEMENT = (
    f"Movement: one row per text, how many of its 10 nearest texts {AS_DRAWN} changed, and what that did to its class."
)
_CLUSTERS = "Clusters: columns id, cluster, by k-means in the full space (Euclidean)."
_NEIGHBORS = (
    "Neighbors: columns id, neighbors, distances. One row per text with a list of its nearest texts (rows of the "
    "corpus), nearest first and without itself, and a list of their distances: {}."
)


def show_tables(run: RunFolder) -> None:
    """One of the files that exist, what it contains, and its button; without any, the way to the first."""
    view, method, row, below, _ = _which_maps(run, corpus_needed(run))
    files = _files(view, method)
    # by the shown distance if stored, otherwise by that of the maps
    for distance in (preferred := shown_distance(), other_distance(preferred)):
        neighbors = {f"Neighbors {side}": side for side in SIDES if _graph(run, side, distance).exists()}
        if neighbors:
            break
    if not files and not neighbors:
        below.info(_NO_FILES)
        return
    with row:
        label = st.selectbox("Table", [*files, *neighbors], key="export.table", persist_state="session", width=260)
        if label in files:
            path, contents = files[label]
            offer_file("Download", path, f"{path.parent.name}-{path.stem}-{run.id}.parquet")
        else:
            contents = _NEIGHBORS.format("1 − cosine" if distance == COSINE else "Euclidean")
            _neighbors(run, neighbors[label], distance)
    below.caption(contents)


def _files(view: Compared, method: str) -> dict[str, tuple[Path, str]]:
    """The existing ones, each once, by name: with the sentence on what they contain."""
    run, maps = view.run, {f"Coordinates {side}": view.run.map(side, method) for side in SIDES}
    if view.against != UNTOUCHED:
        maps["Coordinates, aligned"] = right_map(run, view.against, view.other, method)
    columns = "columns id (row of the corpus, from 0), x, y, in corpus order; a text without a position has no number."
    every = [
        *((name, path, f"Coordinates of the {methods_of(run)[method]} map: {columns}") for name, path in maps.items()),
        *((name.replace("Coordinates", "Trust"), run.trust(path), _TRUST) for name, path in maps.items()),
        ("Movement", run.moves(view.against), _MOVEMENT),
        *((f"Clusters {side}", run.clusters(side), _CLUSTERS) for side in SIDES),
    ]
    first = {path: name for name, path, _ in reversed(every)}
    return {name: (path, contents) for name, path, contents in every if path.exists() and first[path] == name}


def _neighbors(run: RunFolder, side: str, distance: Distance) -> None:
    """A worker turns the graph into a file, because it may have millions of numbers."""
    request = WriteNeighbors.model_validate({"run": run.id, "side": side, "distance": distance})
    name = f"neighbors-{side}-{distance}-{run.id}.parquet"

    def offer(job: RunFolder) -> None:
        offer_file("Download", job.path / read_model(job.result, WrittenFile).file, name)

    job_panel(request, start=f"Write the neighbors {side}", key=f"files.neighbors-{side}", show=offer,
              primary=False, is_outdated=lambda job: is_newer(_graph(run, side, distance), job))  # fmt: skip


def _graph(run: RunFolder, side: str, distance: Distance) -> Path:
    return run.neighbors(side, distance) / "graph.json"


def show_replay(run: RunFolder) -> None:
    """The contents of the file, with or without texts; the button that writes it; the download."""
    corpus = corpus_needed(run)
    st.write(
        "One HTML file that replays this run offline: the verdict, the curves, the film of the training and both "
        "maps. It opens in any browser, downloads nothing, and can be sent to anyone."
    )
    if read_result(run) is None:
        st.caption("It can be written when the run has ended.")
        return
    with_texts = not st.toggle("Without texts", key=f"replay.without-{run.id}")
    st.caption(_contents(texts_in_replay(run, corpus.info.texts), corpus.info.texts, with_texts))
    request = WriteReplay(run=run.id, with_texts=with_texts)
    key = f"{run.id}-{with_texts}"

    def offer(job: RunFolder) -> None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Write it again", key=f"replay.write-{key}", on_click=begin, args=(request,))
            size, name = in_bytes(job.replay.stat().st_size), f"replay-{run.id}.html"
            download(f"Download it ({size})", read_bytes(job.replay), name, key=f"replay.take-{key}", type="primary")

    job_panel(request, start="Write the file", show=offer, key=f"replay.write-{key}", primary=False,
              is_outdated=lambda job: not (job.replay.exists() and _is_of_today(job, run)))  # fmt: skip


def _contents(points: int, texts: int, with_texts: bool) -> str:
    """What the file discloses."""
    of_all = "all" if points == texts else f"stratified by class from {count(texts)}"
    if points == 0:
        return "This file contains none of your texts, but class names, if there are any, and the curves."
    if with_texts:
        return f"This file contains {count(points)} of your texts ({of_all}), each truncated at 300 characters."
    return f"This file contains none of your texts, only the coordinates of {count(points)} of them and class names."


def _is_of_today(job: RunFolder, run: RunFolder) -> bool:
    """Whether nothing of the run was redrawn after the file was written."""
    drawn = [run.map("after", method) for method in ALL_MAPS] + [run.result]
    return job.replay.stat().st_mtime >= max((path.stat().st_mtime for path in drawn if path.exists()), default=0.0)
