"""What leaves of the maps as files: coordinates, neighbors, trust and movement as Parquet, and the replay as HTML."""

from pathlib import Path

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import COSINE, EUCLIDEAN, Distance, other_distance
from embedlab.jobs.requests.drawing import WriteNeighbors, WriteReplay
from embedlab.map_methods import ALL_MAPS
from embedlab.report.replay import texts_in_replay
from embedlab.runs.drawn_map import UNTOUCHED, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.store import read_job_result
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.run_maps import methods_of
from embedlab.ui.frame.distance import AS_DRAWN, shown_distance
from embedlab.ui.frame.files import offer_file
from embedlab.ui.frame.job_panel import job_panel
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import count, in_bytes

_NO_FILES = "There is nothing to export yet: the maps of this run are not drawn and its neighbors not computed."
_TRUST = (
    "Trust: columns id, true, kept. true: the share of a text's neighbors on the map that are near it in the full "
    "space (Euclidean); kept: the share of its nearest in the full space that are near it on the map."
)
_MOVEMENT = (
    f"Movement: one row per text, how many of its 10 nearest texts {AS_DRAWN} changed, and what that did to its class."
)
_CLUSTERS = "Clusters: columns id, cluster, by k-means in the full space (Euclidean)."
_APART = {COSINE: "1 − cosine", EUCLIDEAN: "Euclidean"}
_NEIGHBORS = (
    "Neighbors: columns id, neighbors, distances. One row per text with a list of its nearest texts (rows of the "
    "corpus), nearest first and without itself, and a list of their distances: {}."
)


def files_section(view: Compared, method: str) -> None:
    """What is in each kind of file, and its buttons; only what exists is offered."""
    kinds = [(sentence, there) for sentence, files in _kinds(view, method) if (there := _there(files))]
    for sentence, files in kinds:
        with st.container(horizontal=True):
            for label, path in files:
                offer_file(label, path, f"{path.parent.name}-{path.stem}-{view.run.id}.parquet")
        st.caption(sentence)
    sides, distance = _sought(view.run)
    if sides:
        with st.container(horizontal=True):
            for side in sides:
                _neighbors(view.run, side, distance)
        st.caption(_NEIGHBORS.format(_APART[distance]))
    elif not kinds:
        st.info(_NO_FILES)


def _sought(run: RunFolder) -> tuple[list[str], Distance]:
    """The sides whose neighbors are stored: by the distance shown, else by the other one, that of the maps."""
    for distance in (shown := shown_distance(), other_distance(shown)):
        sides = [side for side in SIDES if (run.neighbors(side, distance) / "graph.json").exists()]
        if sides:
            break
    return sides, distance


def _kinds(view: Compared, method: str) -> list[tuple[str, list[tuple[str, Path]]]]:
    """Each kind's sentence, and its files by name."""
    run, maps = view.run, {f"Coordinates {side}": view.run.map(side, method) for side in SIDES}
    if view.against != UNTOUCHED:
        maps["Coordinates, aligned"] = right_map(run, view.against, view.other, method)[0]
    columns = "columns id (row of the corpus, from 0), x, y, in corpus order; a text without a position has no number."
    return [
        (f"Coordinates of the {methods_of(run)[method]} map: {columns}", list(maps.items())),
        (_TRUST, [(name.replace("Coordinates", "Trust"), run.trust(path)) for name, path in maps.items()]),
        (_MOVEMENT, [("Movement", run.moves(view.against))]),
        (_CLUSTERS, [(f"Clusters {side}", run.clusters(side)) for side in SIDES]),
    ]


def _there(files: list[tuple[str, Path]]) -> list[tuple[str, Path]]:
    """Those that exist, each file once."""
    first = {path: label for label, path in reversed(files) if path.exists()}
    return [(label, path) for path, label in reversed(first.items())]


def _neighbors(run: RunFolder, side: str, distance: Distance) -> None:
    """The graph is turned into a file by a worker, because it may have millions of numbers."""
    request = WriteNeighbors(run=run.id, side=side, distance=distance)
    name = f"neighbors-{side}-{distance}-{run.id}.parquet"

    def offer(job: RunFolder) -> None:
        offer_file(f"Neighbors {side}", job.path / read_job_result(job)["file"], name)

    job_panel(request, start=f"Write the neighbors {side}", key=f"files.neighbors-{side}", show=offer,
              primary=False, is_outdated=lambda job: _is_outdated(job, run.neighbors(side, distance)))  # fmt: skip


def _is_outdated(job: RunFolder, graph: Path) -> bool:
    return (graph / "graph.json").stat().st_mtime > job.settings.stat().st_mtime


def replay_section(run: RunFolder, corpus: Corpus) -> None:
    """What the file holds, with or without texts; a button that has it written; the download."""
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

    def download(job: RunFolder) -> None:
        with st.container(horizontal=True, vertical_alignment="center"):
            again = {"on_click": start_once, "args": (request,)}
            st.button("Write it again", key=f"replay.write-{key}", **again)
            size, name = in_bytes(job.replay.stat().st_size), f"replay-{run.id}.html"
            st.download_button(f"Download it ({size})", job.replay.read_bytes(), name, "text/html",
                               key=f"replay.take-{key}", type="primary", on_click="ignore")  # fmt: skip

    job_panel(request, start="Write the file", show=download, key=f"replay.write-{key}", primary=False,
              is_outdated=lambda job: not (job.replay.exists() and _is_of_today(job, run)))  # fmt: skip


def _contents(points: int, texts: int, with_texts: bool) -> str:
    """What leaves this computer with the file."""
    of_all = "all" if points == texts else f"stratified by class from {count(texts)}"
    if points == 0:
        return "This file contains none of your texts, but class names, if there are any, and the curves."
    if with_texts:
        return f"This file contains {count(points)} of your texts ({of_all}), each truncated at 300 characters."
    return f"This file contains none of your texts, only the coordinates of {count(points)} of them and class names."


def _is_of_today(job: RunFolder, run: RunFolder) -> bool:
    """Whether nothing of the run was drawn after the file was written."""
    drawn = [run.map("after", method) for method in ALL_MAPS] + [run.result]
    newest = max((path.stat().st_mtime for path in drawn if path.exists()), default=0.0)
    return job.replay.stat().st_mtime >= newest
