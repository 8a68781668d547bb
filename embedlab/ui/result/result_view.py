"""What a run found: the verdict, kNN accuracy before and after between the reference lines, and both maps."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.map_methods import OWN_MAP
from embedlab.runs.brought import has_only_places
from embedlab.runs.drawn_map import UNTOUCHED, DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import Moves
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import read_state
from embedlab.ui.components.coordinates import categories_of, load_map, morph
from embedlab.ui.components.encoder_choice import phases
from embedlab.ui.components.film_view import film_of, film_section, live_map
from embedlab.ui.components.knn_numbers import numbers
from embedlab.ui.components.map_view import map_view
from embedlab.ui.components.map_words import map_caption, titles_of
from embedlab.ui.components.pick_text import text_line
from embedlab.ui.components.readings import moves, ranked
from embedlab.ui.components.run_maps import corner_of
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.frame.job_panel import job_panel
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.state import colours_of, corpus_of
from embedlab.ui.frame.text import count, escaped, percent
from embedlab.ui.result.verdict_view import TRAINED_ON, verdict


def show_result(run: RunFolder) -> None:
    """The sentence, the numbers, the maps; while all labelled texts are still told, how far that is."""
    result = read_result(run)
    if result is None:
        return
    if not read_state(run).is_over:
        follow_job(run, stop="Skip the ten folds")
    verdict(run, result)
    words_explained(run)
    numbers(run, result)
    map_pair(run, result)
    moved_summary(run)
    film_section(run)
    remarks(result)


def map_pair(
    run: RunFolder, result: RunResult, *, method: str = "tsne", height: int = 430, plays: bool = False
) -> None:
    """Before and after side by side, or where their drawing stands; ``plays``: the slider moves once by itself."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The corpus of this run is no longer in the store, so its maps cannot be drawn.")
        return
    if has_only_places(run):
        method = OWN_MAP
    both = [load_map(run, name, method) for name in ("before", "after")]
    if None in both:
        _wait_for_maps(run, method)
        _first_pictures(run, corpus, result, both[0], method, height)
        return
    corners = [
        corner_of(run, name, drawn.facts, of="kNN accuracy")
        for name, drawn in zip(("before", "after"), both, strict=True)
    ]
    told = list(zip(titles_of(run), corners, strict=True))
    sides = zip(pair("result"), ("before", "after"), both, told, strict=True)
    for place, name, drawn, (title, corner) in sides:
        with place:
            ends = morph(titles_of(run), *both) if name == "after" and both[0] is not both[1] else ()
            shown = {"name": name, "title": title, "corner": corner, "height": height, "method": method}
            _map(run, corpus, drawn, frames=ends, told=told if ends else (), plays=plays and bool(ends), **shown)


def small_map(
    run: RunFolder, corpus: Corpus, *, title: str, corner: str, height: int = 230, method: str = "tsne"
) -> bool:
    """The map after, small and without names; False where it is not drawn."""
    drawn = load_map(run, "after", method)
    if drawn is not None:
        _map(run, corpus, drawn, name="small", title=title, corner=corner, height=height, method=method, names=False)
    return drawn is not None


def _map(
    run,
    corpus: Corpus,
    drawn: DrawnMap,
    *,
    name: str,
    title: str,
    corner: str,
    height: int,
    method: str,
    names: bool = True,
    frames=(),
    told=(),
    plays: bool = False,
):
    colours = colours_of(corpus)
    map_view(
        key=f"{name}-{method}-{run.id}",
        coordinates=drawn.coordinates,
        categories=categories_of(corpus, drawn.rows),
        class_names=list(colours),
        colours=list(colours.values()),
        row_ids=drawn.rows,
        names_on_map=names,
        title=title,
        corner=corner,
        caption=map_caption(drawn, corpus, method) if names else "",
        corpus=corpus.fingerprint,
        group=f"{name if not names else 'pair'}-{run.id}",
        legend=False,
        link_zoom=names,
        still=not names,  # a browser draws sixteen others at a time
        frames=frames,
        told=told,
        plays=plays,
        height=height,
    )


def _wait_for_maps(run: RunFolder, method: str) -> None:
    job_panel(DrawMaps(run=run.id, method=method), start="Draw the maps", key=f"draw-{run.id}", primary=False)


def _first_pictures(
    run: RunFolder, corpus: Corpus, result: RunResult, before: DrawnMap | None, method: str, height: int
) -> None:
    """Until both maps are there: the map before, where it is drawn, and the film's last frame."""
    sides = pair("first")
    if before is not None:
        with sides[0]:
            corner = corner_of(run, "before", before.facts, of="kNN accuracy")
            shown = {"name": "before", "title": titles_of(run)[0], "corner": corner, "height": height}
            _map(run, corpus, before, method=method, **shown)
    if film_of(run) is not None:
        with sides[1]:
            live_map(run)


def remarks(result: RunResult) -> None:
    """What was warned of, and which step is kept."""
    for notice in result.notices:
        st.warning(escaped(f"Seen at step {count(notice.step)}: {notice.message}", 700))
    if result.lineage:
        st.caption(escaped(f"Started from the encoder of {phases(result.lineage)}.", 400))
    with_verdict = {TRAINED_ON} if result.judged else set()
    lines = [each.message for each in result.warnings if each.code not in with_verdict]
    lines = [*dict.fromkeys(each.sentence for each in result.joined.values()), *lines]
    if result.stopped and result.kept:
        lines.insert(0, result.kept.reason)
    for line in lines:
        st.caption(escaped(line, 600))


LISTED = 5
_CHARACTERS = 74
MAPS_VIEW = "maps.view"  # the switch of the page Maps


def moved_summary(run: RunFolder) -> None:
    """Nothing while nobody has measured it."""
    found, corpus = moves(run, UNTOUCHED), corpus_of(run)
    if found is None or corpus is None or found.facts["moved"]["share"] is None or not found.above.any():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("What moved", anchor=False, width="content")
        st.caption(moved_sentence(found))
    if found.facts["helped"]["share"] is not None:
        for place, order, title in zip(pair("moved"), ("gained", "lost"), ("Gained most", "Lost most"), strict=True):
            with place:
                _texts(run, corpus, found, order, title)
    if st.session_state.get("moved.open"):
        st.session_state[MAPS_VIEW] = "What moved"
    go_button("Show all that moved", "maps", name="moved.open")


def moved_sentence(found: Moves) -> str:
    """How many texts have other neighbors, and whether those are more often of their own class."""
    facts = found.facts
    moved = f"{percent(facts['moved']['share'])} of the texts have other nearest texts than before"
    if facts["helped"]["share"] is None:
        return f"{moved}; half of them changed {percent(facts['median'], 0)} of their ten or more."
    helped, hurt = (percent(facts[name]["share"]) for name in ("helped", "hurt"))
    read = facts.get("labels_read")
    said = f"{moved}. {helped} have more of their own class among the ten nearest, {hurt} have fewer."
    return f"{said} {read['sentence']}" if read else said


def _texts(run: RunFolder, corpus: Corpus, found: Moves, order: str, title: str) -> None:
    """``0 → 10 of ten  scipy.signal · …``, one line a text."""
    st.markdown(f"**{title}**")
    positions = ranked(run, UNTOUCHED, order)[:LISTED]
    if not len(positions):
        st.caption("No text.")
        return
    lines = [f"- {_line(corpus, found, int(position))}" for position in positions]
    st.markdown("\n".join(lines))


def _line(corpus: Corpus, found: Moves, position: int) -> str:
    before, after = int(found.same_before[position]), int(found.same_after[position])
    words = escaped(text_line(corpus, int(found.rows[position]), _CHARACTERS), _CHARACTERS)
    of = int(np.count_nonzero(found.nearest_after[position] >= 0))
    return f"{before} → {after} of {of} · {words}"
