"""Both maps of a run: there already, being drawn, or a button that draws them."""

from pathlib import Path

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.map_methods import MAP_METHODS, OWN_MAP, map_title
from embedlab.runs.brought import has_only_places, no_embeddings
from embedlab.runs.drawn_map import UNTOUCHED, DrawnMap, MapFacts, map_corner, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import State, read_state
from embedlab.ui.components.coordinates import load_map
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.frame.distance import shown_distance
from embedlab.ui.frame.job_panel import job_panel
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import POLL_SECONDS
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.state import corpus_of
from embedlab.ui.frame.text import count, escaped


def methods_of(run: RunFolder) -> dict[str, str]:
    """How this run's maps can be drawn: key -> name; own coordinates first, and alone where there are no embeddings."""
    own = {OWN_MAP: "Own"} if run.map("after", OWN_MAP).exists() else {}
    return own if has_only_places(run) else own | {each.key: each.title for each in MAP_METHODS}


def both_maps(run: RunFolder, method: str) -> dict[str, DrawnMap] | None:
    """The maps before and after by this method, or None until both are drawn."""
    drawn = {name: load_map(run, name, method) for name in SIDES}
    return None if None in drawn.values() else drawn


def corpus_needed(run: RunFolder) -> Corpus:
    """The corpus of this run; otherwise the page says that it is gone, and ends here."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The texts of this run are no longer in the store. Open their corpus again, and this page shows them.")
        go_button("Open Corpus", "corpus")
        st.stop()
    return corpus


def first_drawn(run: RunFolder) -> str | None:
    """The first method whose maps are there."""
    return next((method for method in methods_of(run) if all(run.map(name, method).exists() for name in SIDES)), None)


def draw(run: RunFolder, method: str, config: dict | None = None, onto: RunFolder | None = None) -> None:
    """Have the maps drawn by a worker; for callbacks."""
    start_once(DrawMaps(run=run.id, method=method, config=config or {}, onto=onto.id if onto else None))


def show_drawing(run: RunFolder, method: str, *, there: bool, onto: RunFolder | None = None) -> None:
    """Where the drawing stands; before anything is drawn also the button that starts it.

    ``onto``: the run onto whose map after this run's is laid, where it is not drawn from its own map before.
    """
    job = map_job(run, method, onto)
    if there and not _is_news(job, right_map(run, onto.id if onto else UNTOUCHED, onto, method)[0]):
        return
    if has_only_places(run):
        with st.container(border=True):
            st.write(_not_drawn(run, method, onto))
        return
    request = DrawMaps(run=run.id, method=method, onto=onto.id if onto else None)
    job_panel(request, job=job, start=None if there else "Draw the maps", line=_not_drawn(run, method, onto),
              key=f"draw-{method}-{run.id}-{request.onto or ''}")  # fmt: skip
    if is_drawing(run, method) and onto is None:
        _show_preview(run, method)


def _show_preview(run: RunFolder, method: str) -> None:
    """Say what is shown until the full maps are there, and draw the page anew when a map has appeared."""
    both = [load_map(run, name, method) for name in SIDES]
    shown = None if both[1] is None else both[1].facts.preview
    if shown:
        line = f"{count(shown.shown)} of {count(shown.of)} texts are shown until the full maps are drawn; "
        st.caption(line + "those start from this preview, so that the picture does not jump.")
    st.fragment(_watch, run_every=POLL_SECONDS, key=f"watch-{method}-{run.id}")(run, method, _stamps(run, method))


def _watch(run: RunFolder, method: str, seen: tuple) -> None:
    if _stamps(run, method) != seen:
        st.rerun()


def _stamps(run: RunFolder, method: str) -> tuple:
    """When each side's map was written, 0 where it is not there."""
    facts = [run.map_facts(name, method) for name in SIDES]
    return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in facts)


def _not_drawn(run: RunFolder, method: str, onto: RunFolder | None) -> str:
    if has_only_places(run):
        return escaped(no_embeddings(run).message, 400)
    named = map_title(method)
    if onto is not None:
        return f"These runs began from different embeddings: the {named} map on the right is drawn anew, from the left."
    return f"The {named} maps of this run are not drawn yet. They are drawn once and kept."


def map_job(run: RunFolder, method: str, onto: RunFolder | None = None) -> RunFolder | None:
    """The newest job that draws these maps, in whatever state."""
    return newest_job(DrawMaps.task, run=run.id, method=method, onto=onto.id if onto else None)


def drawn_with(run: RunFolder, method: str) -> dict:
    """The settings of the newest drawing by this method that were not the defaults."""
    job = map_job(run, method)
    return {} if job is None else read_request(job, DrawMaps).config


def is_drawing(run: RunFolder, method: str) -> bool:
    """Whether a worker draws these maps now."""
    job = map_job(run, method)
    return job is not None and not read_state(job).is_over


def knn_corner(
    result: RunResult | None,
    side: str,
    facts: MapFacts | None = None,
    *,
    of: str = "kNN accuracy of the embeddings",
    folds: bool = True,
) -> str:
    """``kNN accuracy of the embeddings 70.3 % ± 1.4 by Euclidean distance, 59.2 % in the picture``: see ``map_corner``.

    Of a map that says no distance it is by the one that is shown.
    """
    return map_corner(result, side, facts, otherwise=shown_distance(), of=of, folds=folds)


def corner_of(run: RunFolder, side: str, facts: MapFacts | None, **how: str) -> str:
    """The same of the map of this run's ``side``; labels that its encoder was trained by do not judge the picture."""
    return knn_corner(read_result(run), side, facts, folds=not saw_labels(run, side), **how)


def _is_news(job: RunFolder | None, path: Path) -> bool:
    """A job that works, or one that went wrong after the maps that are there were drawn."""
    if job is None:
        return False
    state = read_state(job).state
    return not state.is_over or state is not State.FINISHED and job.settings.stat().st_mtime > path.stat().st_mtime
