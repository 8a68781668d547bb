"""Both maps of a run: side by side, being drawn, or the button that draws them; and the film of its training."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.jobs.requests.base import find_job
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.map_methods import MAP_METHODS, OWN_MAP, map_title
from embedlab.numbers import count, percent
from embedlab.runs.drawn_map import UNTOUCHED, DrawnMap, MapFacts, map_corner, right_map
from embedlab.runs.film_files import Film, frames_file, read_film
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import has_only_places, no_embeddings
from embedlab.runs.index.find import newest_job
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.result import awaits_folds, read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import settings_of
from embedlab.training.titles import run_title
from embedlab.ui.components.loaded_maps import class_map, is_untrained, load_map, map_caption, morph, titles_of
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.layout import escaped, pair, rerun_when
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import POLL_SECONDS, job_panel, start_once
from embedlab.ui.frame.state import by_distance, corpus_of, shown_distance


def methods_of(run: RunFolder) -> dict[str, str]:
    """The methods for this run's maps: key -> name; imported coordinates first, and alone without embeddings."""
    imported = {OWN_MAP: "Own"} if run.map("after", OWN_MAP).exists() else {}
    return imported if has_only_places(run) else imported | {each.key: each.title for each in MAP_METHODS}


def both_maps(run: RunFolder, method: str) -> tuple[DrawnMap, DrawnMap] | None:
    """The maps before and after with this method, or None until both are drawn."""
    before, after = (load_map(run, name, method) for name in SIDES)
    return None if before is None or after is None else (before, after)


def corpus_needed(run: RunFolder) -> Corpus:
    """The corpus of this run; otherwise the page says that it is gone, and stops."""
    corpus = corpus_of(run)
    if corpus is None:
        corpus_gone("this page shows them")
        st.stop()
    return corpus


def corpus_gone(then: str) -> None:
    """Says that the run's texts are not in the store; ``then``: what is possible once they are."""
    st.info(f"The texts of this run are no longer in the store. Open their corpus again, and {then}.")
    go_button("Open Data", "corpus")


def first_drawn(run: RunFolder) -> str | None:
    """The first method with drawn maps."""
    return next((method for method in methods_of(run) if all(run.map(name, method).exists() for name in SIDES)), None)


def draw(run: RunFolder, method: str, config: dict, dimensions: int | None) -> None:
    """Let a worker draw the maps; for callbacks."""
    start_once(DrawMaps(run=run.id, method=method, config=config, dimensions=dimensions))


def show_drawing(run: RunFolder, method: str, *, there: bool, onto: RunFolder | None = None) -> None:
    """The progress of drawing, with what is shown until then; before that also the button that starts it.

    The page is drawn again when a map appears.
    ``onto``: the run onto whose map after this run's is laid, where it is not drawn from its own map before.
    """
    job = map_job(run, method, onto)
    if there and not _is_news(job, right_map(run, onto.id if onto else UNTOUCHED, onto, method)):
        return
    if has_only_places(run):
        with st.container(border=True):
            st.write(escaped(no_embeddings(run).message, 400))
        return
    request = DrawMaps(run=run.id, method=method, onto=onto.id if onto else None)
    line = f"The {map_title(method)} maps of this run are not drawn yet. They are drawn once and kept."
    if onto is not None:
        line = f"These runs started from different embeddings, so the {map_title(method)} map on the right is drawn "
        line += "again, starting from the left one."
    job_panel(request, job=job, start=None if there else "Draw the maps", line=line,
              key=f"draw-{method}-{run.id}-{request.onto or ''}")  # fmt: skip
    if onto is not None or not is_drawing(run, method):
        return
    after = load_map(run, "after", method)
    if after is not None and (preview := after.facts.preview):
        line = f"{count(preview.shown)} of {count(preview.of)} texts are shown until the full maps are drawn; "
        st.caption(line + "those start from this preview, so the picture does not jump.")
    _watch_maps(run, method)


def _watch_maps(run: RunFolder, method: str) -> None:
    """Draw the page again when a map appears; the job that draws them measures more afterwards."""
    seen = _stamps(run, method)
    rerun_when(lambda: _stamps(run, method) != seen, every=POLL_SECONDS, key=f"watch-{method}-{run.id}")


def _stamps(run: RunFolder, method: str) -> tuple:
    """When each side's map was written, 0 if missing."""
    facts = [run.map_facts(name, method) for name in SIDES]
    return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in facts)


def map_job(run: RunFolder, method: str, onto: RunFolder | None = None) -> RunFolder | None:
    """The newest job that draws these maps, in any state."""
    return newest_job(DrawMaps.task, run=run.id, method=method, onto=onto.id if onto else None)


def is_drawing(run: RunFolder, method: str) -> bool:
    """Whether a worker draws these maps now."""
    job = map_job(run, method)
    return job is not None and not read_state(job).is_over


def corner_of(
    run: RunFolder, side: str, facts: MapFacts | None, *, of: str = "kNN accuracy", folds: bool = True
) -> str:
    """``kNN accuracy 70.3 % ± 1.4 (cosine), 59.2 % in the picture``: see ``map_corner``.

    It is by the shown distance. Labels that trained the encoder do not judge the picture.
    """
    folds, result = folds and not saw_labels(run, side), read_result(run)
    if result is not None and awaits_folds(result, read_state(run).state):
        result = None  # its accuracy is not yet known
    return map_corner(result, side, facts, distance=shown_distance(), of=of, folds=folds)


def _is_news(job: RunFolder | None, path: Path) -> bool:
    """A job at work, or one that failed after the current maps were drawn."""
    if job is None:
        return False
    state = read_state(job).state
    return not state.is_over or state is not State.FINISHED and job.settings.stat().st_mtime > path.stat().st_mtime


def map_pair(run: RunFolder, *, height: int = 430, plays: bool = False) -> None:
    """Before and after side by side, a single map for an untrained encoder, or the progress of drawing.

    ``plays``: the slider moves once by itself.
    """
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The corpus of this run is no longer in the store, so its maps cannot be drawn.")
        return
    method = OWN_MAP if has_only_places(run) else "tsne"
    before, after = (load_map(run, name, method) for name in SIDES)
    if before is None or after is None:
        _drawing_or_button(run, method)
        _first_pictures(run, corpus, before, method, height)
        return
    show_drawing(run, method, there=True)
    if is_untrained(run):
        _map(run, corpus, before, "before", method, height=height)
        return
    left, right = pair("result")
    with left:
        _map(run, corpus, before, "before", method, height=height)
    with right:
        more: dict[str, Any] = {}
        if before is not after:
            headings = [_heading(run, "before", before), _heading(run, "after", after)]
            more = {"frames": morph(titles_of(run), before, after), "headings": headings, "plays": plays}
        _map(run, corpus, after, "after", method, height=height, **more)


def _drawing_or_button(run: RunFolder, method: str) -> None:
    """The progress of drawing, or the button that starts it; a run at work starts it by itself."""

    def is_left_to_the_user() -> bool:
        return read_state(run).is_over or not settings_of(run).get("maps", True)

    drawing = DrawMaps(run=run.id, method=method)
    if find_job(drawing) is None and not is_left_to_the_user():
        rerun_when(
            lambda: find_job(drawing) is not None or is_left_to_the_user(),
            every=POLL_SECONDS,
            key=f"maps-{run.id}",
            meanwhile="The maps are drawn without a click.",
        )
        return
    job_panel(drawing, start="Draw the maps", key=f"draw-{run.id}", primary=False)
    if is_drawing(run, method):
        _watch_maps(run, method)


def small_map(run: RunFolder, corpus: Corpus, *, corner: str) -> None:
    """The map after under the run's title, small and without names; nothing if not drawn."""
    drawn = load_map(run, "after", "tsne")
    if drawn is not None:
        class_map(
            corpus, drawn.rows, drawn.coordinates, key=f"small-tsne-{run.id}", title=run_title(run), corner=corner,
            group=f"small-{run.id}", names_on_map=False, legend=False, height=230,
            still=True,  # a browser draws sixteen others at a time
        )  # fmt: skip


def _map(run: RunFolder, corpus: Corpus, drawn: DrawnMap, side: str, method: str, **more: Any) -> None:
    title, corner = _heading(run, side, drawn)
    class_map(
        corpus, drawn.rows, drawn.coordinates, key=f"{side}-{method}-{run.id}", title=title, corner=corner,
        group=f"pair-{run.id}", caption=map_caption(drawn, corpus, method), legend=False, link_zoom=True, **more,
    )  # fmt: skip


def _heading(run: RunFolder, side: str, drawn: DrawnMap) -> tuple[str, str]:
    """The title and the corner of the map on this side."""
    return titles_of(run)[SIDES.index(side)], corner_of(run, side, drawn.facts)


def _first_pictures(run: RunFolder, corpus: Corpus, before: DrawnMap | None, method: str, height: int) -> None:
    """Until both maps exist: the map before, if drawn, and the film's last frame."""
    sides = pair("first")
    if before is not None:
        with sides[0]:
            _map(run, corpus, before, "before", method, height=height)
    if film_of(run) is not None:
        with sides[1]:
            live_map(run)


def texts_on_maps(
    run: RunFolder, corpus: Corpus, near: Mapping[str, np.ndarray], marks: Callable[[str, DrawnMap], list], *, key: str,
    caption: str, undrawn: str,
) -> int | None:  # fmt: skip
    """Both maps with these corpus rows bright, and the marks of each; returns the clicked row.

    ``undrawn``: what the maps will show once they are drawn.
    """
    method = first_drawn(run)
    drawn = None if method is None else both_maps(run, method)
    if method is None or drawn is None:
        st.caption(f"The maps of this run are not drawn yet; once drawn, they show {undrawn}.")
        go_button("Draw the maps", "maps", name=f"{key}.draw")
        return None
    clicked = None
    for side, own_map, column, title in zip(SIDES, drawn, pair(key), titles_of(run), strict=True):
        with column:
            state = class_map(
                corpus, own_map.rows, own_map.coordinates, key=f"{key}-{side}-{method}-{run.id}",
                group=f"{key}-{run.id}", bright=np.isin(own_map.rows, near[side]), marks=marks(side, own_map),
                title=title, caption=f"{map_caption(own_map, corpus, method)}. {caption}", legend=False,
                names_on_map=False, height=400,
            )  # fmt: skip
        clicked = clicked if state.picked is None else state.picked
    return clicked


# The frames so far, None before the first; re-read only when one was added
film_of = read_once(lambda run: [frames_file(run)], most=4)(read_film)


def live_map(run: RunFolder) -> None:
    """The map beside the curve of a running run; it follows the newest frame unless the reader scrubs back."""
    film = film_of(run)
    if film is None:
        st.caption("The map of a fixed set of texts appears here after the first evaluation.")
        return
    _frames(run, film, title=f"{count(len(film.rows))} texts during training", height=404)


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
        _frames(run, film, title="During training", height=470)


def _frames(run: RunFolder, film: Film, *, title: str, height: int) -> None:
    corpus = corpus_of(run)
    if corpus is None:
        st.caption("The corpus of this run is no longer in the store, so its film cannot be shown.")
        return
    last, distance = film.facts[-1], shown_distance()
    knn = "" if last.knn is None else f", kNN accuracy {percent(last.knn.by(distance).value)} {by_distance(distance)}"
    class_map(
        corpus, film.rows, film.frames[-1], key=f"film-{height}-{run.id}", group=f"film-{run.id}", title=title,
        frames=[(f"step {count(facts.step)}", drawn) for facts, drawn in zip(film.facts, film.frames, strict=True)],
        caption=f"t-SNE, {count(len(film.rows))} of {count(corpus.info.texts)} texts, the same in every frame",
        alt=f"Map of {count(len(film.rows))} texts at step {count(last.step)}{knn}.",
        legend=False, glide=True, height=height,
    )  # fmt: skip
    if last.note:
        st.caption(escaped(f"At step {count(last.step)} the map was not updated: {last.note}", 400))
