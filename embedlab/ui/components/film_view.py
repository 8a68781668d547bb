"""The film of a run: the map of its probe texts, frame by frame, during training and afterwards."""

from pathlib import Path

import streamlit as st

from embedlab.numbers import count, percent
from embedlab.runs.film_files import Film, frames_file, knn_at, read_film
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.loaded_maps import categories_of
from embedlab.ui.components.map_view import map_view
from embedlab.ui.frame.state import colours_of, corpus_of
from embedlab.ui.frame.switches import by_distance, shown_distance
from embedlab.ui.frame.text import escaped

LIVE_HEIGHT, HEIGHT = 404, 470


def film_of(run: RunFolder) -> Film | None:
    """The frames so far, None before the first; re-read only when one was added."""
    try:
        status = frames_file(run).stat()
    except FileNotFoundError:
        return None
    return _read(str(run.path), (status.st_mtime_ns, status.st_size))


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(path: str, changed: tuple[int, int]) -> Film | None:
    return read_film(RunFolder(Path(path)))


def live_map(run: RunFolder) -> None:
    """The map beside the curve of a running run; it follows the newest frame unless the reader scrubs back."""
    film = film_of(run)
    if film is None:
        st.caption("The map of a fixed set of texts appears here after the first evaluation.")
        return
    _frames(run, film, title=f"{count(len(film.rows))} texts during training", height=LIVE_HEIGHT)


def film_section(run: RunFolder) -> None:
    """The finished film below a result; nothing for a run without one."""
    film = film_of(run)
    if film is None or len(film.frames) < 2:
        return
    with st.expander("Film of the training"):
        st.caption(
            f"{count(len(film.rows))} texts at {count(len(film.frames))} evaluations. Each map continues from the one "
            "before, so points glide from where they were. Texts that are close together are similar to the encoder; "
            "distances between groups mean little."
        )
        _frames(run, film, title="During training", height=HEIGHT)


def _knn(facts: dict) -> str:
    """``, kNN accuracy 58.9 % by cosine``, on the texts of the curve."""
    share = knn_at(facts, shown_distance())
    return "" if share is None else f", kNN accuracy {percent(share)} {by_distance(shown_distance())}"


def _frames(run: RunFolder, film: Film, *, title: str, height: int) -> None:
    corpus = corpus_of(run)
    if corpus is None:
        st.caption("The corpus of this run is no longer in the store, so its film cannot be shown.")
        return
    colours, last = colours_of(corpus), film.facts[-1]
    map_view(
        key=f"film-{height}-{run.id}",
        coordinates=film.frames[-1],
        categories=categories_of(corpus, film.rows),
        class_names=list(colours),
        colours=list(colours.values()),
        row_ids=film.rows,
        frames=[(f"step {count(facts['step'])}", drawn) for facts, drawn in zip(film.facts, film.frames, strict=True)],
        title=title,
        caption=f"t-SNE, {count(len(film.rows))} of {count(corpus.info.texts)} texts, the same in every frame",
        alt=f"Map of {count(len(film.rows))} texts at step {count(last['step'])}{_knn(last)}.",
        corpus=corpus.fingerprint,
        group=f"film-{run.id}",
        legend=False,
        glide=True,
        height=height,
    )
    if last.get("note"):
        st.caption(escaped(f"At step {count(last['step'])} the map was not updated: {last['note']}", 400))
