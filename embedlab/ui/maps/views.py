"""The views of Map, in the order of their switch, with explanations and sources; histograms beside the maps."""

from collections.abc import Callable
from functools import partial
from html import escape

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.colour_groups import OWN_NUMBERS, Colouring, as_numbers
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.built_in import example_maps
from embedlab.ui.components.loaded_maps import moves
from embedlab.ui.components.pair_of_maps import UNTOUCHED, Compared, compared
from embedlab.ui.components.run_maps import corpus_needed
from embedlab.ui.components.strip_view import StripState, strip_view
from embedlab.ui.frame.layout import fragment, side_by_side
from embedlab.ui.frame.page import View
from embedlab.ui.frame.state import is_dark, linked_choice, several_of
from embedlab.ui.maps import drawn_maps
from embedlab.ui.maps.axes_view import show_axes
from embedlab.ui.maps.chosen_on_maps import aligned, chosen_on_maps
from embedlab.ui.maps.class_neighbors_view import show_class_neighbors
from embedlab.ui.maps.colour_by import (
    COLUMN,
    LABEL,
    LENGTH,
    MOVEMENT,
    SPLIT,
    choices,
    colouring,
    lengths,
    shown_clusters,
    topics,
    trust_line,
)
from embedlab.ui.maps.finding import finding
from embedlab.ui.maps.lab import example_lab, show_lab
from embedlab.ui.maps.moved import show_moves
from embedlab.ui.maps.neighbors import example_neighbors, show_neighbors
from embedlab.ui.maps.selections import opened_selection
from embedlab.ui.maps.walk import walk_panel, walked, with_marks


def explore(view: Compared, corpus: Corpus) -> None:
    """Controls, both maps, and the chosen texts; redrawn without the rest of the page."""
    row, below = st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"), st.container()
    method = drawn_maps.method_shown(view.run)
    drawn = view.maps(method)
    with row:
        colours = choices(corpus, view.run, method=method, against=view.against)
        choice = linked_choice("Color", colours, key="maps.colour", address="colour", is_named=True, width=320)
        hits = finding(view, corpus, method, below)
        filters = len(st.session_state.get(HISTOGRAMS) or ())
        with st.popover(f"View and filter ({filters})" if filters else "View and filter", width="content"):
            drawn_maps.method_choice(view.run)
            look = drawn_maps.look_choice(view, method, points=max((len(each.rows) for each in drawn or ()), default=0))
            histograms = strip_choice(corpus, view)
            selection = opened_selection(corpus, below)
            drawn_maps.drawing_form(view.run, method)
    view.show_drawing(method, there=drawn is not None)
    if drawn is None:
        return
    drawn = aligned(view, drawn)
    groups = colouring(corpus, view.run, choice, method=method, against=view.against)
    clusters = shown_clusters(view.run, choice, method, view.against)
    if clusters is None and (look.names == "topics" or not groups.names_on_map):
        clusters = topics(view.run)
    picked = walked(view, method)
    with side_by_side("maps") as (maps, panel):
        with maps:
            hits = with_marks(view, corpus, drawn, hits, picked)
            states = drawn_maps.draw_maps(
                view, corpus, method, drawn, groups, clusters, hits, selection, look, pointed=picked
            )
            colour_key(groups)
        with panel, st.container():
            walk_panel(view, corpus, drawn, states, picked)
        with panel, st.container():
            brushed = strips(view, corpus, histograms, method)
    for line in (groups.note, trust_line(view.run, method, view.against)):
        if line:
            st.caption(line)
    chosen_on_maps(view, corpus, method, drawn, states, groups, hits, brushed)


def colour_key(groups: Colouring) -> None:
    """A dot and a name for each group on the maps; nothing if the maps show names, or a legend as for many groups."""
    numbers = np.unique(np.concatenate([groups.on("before"), groups.on("after")]))
    named_groups = [(groups.names[group], groups.colours[group]) for group in numbers if group < len(groups.names)]
    if groups.names_on_map or groups.bar is not None or not 1 < len(named_groups) <= 12:
        return
    dots = [
        f'<span style="white-space:nowrap"><span style="color:{shades["dark" if is_dark() else "light"]}">●</span> '
        f"{escape(name)}</span>"
        for name, shades in named_groups
    ]
    st.html(f'<div class="colour-key" style="font-size:0.85rem">{"&ensp; ".join(dots)}</div>')


def compared_with(run: RunFolder) -> Compared:
    """The choice of the left map, in the row of the switch, for every view of maps."""
    return compared(run, corpus_needed(run))


def _drawn(draw: Callable[[Compared, Corpus], None]) -> Callable[[Compared], None]:
    """As a fragment: a click on a map redraws this view alone."""

    def show(view: Compared) -> None:
        fragment(draw, key=f"maps-{draw.__name__}-{view.run.id}-{view.against}")(view, corpus_needed(view.run))

    return show


_view = partial(View, controls=compared_with, example=example_maps)


MAP_VIEWS = {
    "Map": _view(
        _drawn(explore),
        "Every point is a text; t-SNE, UMAP and PCA place texts with similar embeddings side by side. Distances "
        "between groups mean little, neighborhoods mean a lot. The map after starts from the map before, so what did "
        "not change stays in place; the slider moves every text from one to the other. kNN accuracy in the corner is "
        "that of the embeddings, by the distance chosen on the left, next to that of the picture over ten folds: the "
        "share of texts whose ten nearest others vote for their label; ± one standard error. Labels only color the "
        "points; neither the encoder nor the map has seen them. The line below shows how many neighbors on the map "
        "are true.",
        "Crops paper, section 4.1 and Figure 1; trust as in Venna and Kaski 2001.",
    ),
    "What moved": _view(
        _drawn(show_moves),
        "Movement is the share of a text's ten nearest texts (Euclidean) that changed, copies left out: 0 none, 1 all. "
        "It is read from the embeddings, not from the map. The noise floor is the movement caused by only rounding "
        "the untouched encoder's numbers to bfloat16; only texts above it are ranked. A move helped when more of the "
        "ten are of the text's own class than before. Groups have at least ten texts; their 95 % interval is over "
        "their texts. Lines on the map are the paths of the texts at the top of the list.",
        "Jaccard distance of neighborhoods, as in Emblaze (Sivaraman et al. 2022).",
        needs_embeddings=True,
    ),
    "Who neighbors whom": _view(
        _drawn(show_class_neighbors),
        "A cell shows what share of the ten nearest texts of one class (row) belongs to another (column): before, "
        "after, or the change in points. The diagonal shows how far a class keeps to itself. Related classes are side "
        "by side. Color scales with the square root of the number, so small changes are visible too. A click on a "
        "cell lists the texts behind it.",
        "Ten nearest texts (Euclidean distance, as for the maps); copies left out.",
        needs_embeddings=True,
    ),
    "Neighbors": View(
        show_neighbors,
        "The ten texts whose embeddings are nearest to that of the chosen text among all texts of the corpus, by the "
        "distance chosen on the left: the largest cosine, or the smallest Euclidean distance, as in the paper. kNN "
        "accuracy is computed from such lists: a test text counts as right when most of its ten nearest train texts "
        "share its label. “Left” marks texts that are no longer among the ten after fine-tuning, “new” those that "
        "entered. A typed text is embedded by both encoders; on the maps it is placed at the median position of its "
        "ten nearest texts, because a finished map cannot place new texts.",
        "Crops paper, section 3.2 (kNN accuracy).",
        needs_embeddings=True,
        example=example_neighbors,
    ),
    "Axes": _view(
        _drawn(show_axes),
        "Type two phrases. Each text is placed at its cosine to the first (x) and to the second (y), for the encoder "
        "before and the encoder after, on the same scale. Unlike on t-SNE and UMAP, distances here can be read as "
        "numbers, and a text that moved to the right did get closer to the first phrase. Two similar phrases give "
        "axes that measure the same; the correlation shows it.",
        "Cosine similarity, without further projection.",
        needs_embeddings=True,
        needs_encoder=True,
    ),
    "Test your reading": View(
        _drawn(show_lab),
        "The same texts, four times, with one setting changed: perplexity, seed, early exaggeration, or texts replaced "
        "by noise. Guess first which is which. What stays the same in all four is likely to be in the data; what "
        "differs comes from the drawing. Under each map you see the kNN accuracy in the picture and the share of "
        "neighbors that it kept.",
        "Wattenberg et al. 2016, How to Use t-SNE Effectively; Kobak and Berens 2019.",
        controls=lambda run: Compared(run, UNTOUCHED),  # it is compared with no other run
        example=example_lab,
        always_example=True,
        needs_embeddings=True,
    ),
}
IN_MORE = 2  # of these: axes and the test of one's reading


HISTOGRAMS = "maps.histograms"


def strip_choices(corpus: Corpus, view: Compared) -> dict[str, str]:
    """Columns, and per-text measurements: key -> name."""
    every = choices(corpus, view.run, against=view.against)
    return {
        key: name for key, name in every.items() if key in (LABEL, LENGTH, MOVEMENT, SPLIT) or key.startswith(COLUMN)
    }


def strip_choice(corpus: Corpus, view: Compared) -> list[str]:
    """Draws the choice of columns; returns it."""
    return several_of(
        "Histograms beside the maps", strip_choices(corpus, view), key=HISTOGRAMS, max_selections=4,
        placeholder="Choose columns",
        help="What you select on a histogram stays highlighted on both maps. Each histogram counts the texts "
        "that the lasso and the other histograms leave.",
    )  # fmt: skip


def strips(view: Compared, corpus: Corpus, chosen: list[str], method: str) -> StripState:
    """Draws the histograms of the chosen columns; returns what is brushed on all of them together."""
    titles = strip_choices(corpus, view)
    states = {titles[choice]: _strip(view, corpus, choice, titles[choice], method) for choice in chosen}
    brushed = {name: state for name, state in states.items() if state.inside is not None}
    if not brushed:
        return StripState()
    inside = np.logical_and.reduce([state.inside for state in brushed.values() if state.inside is not None])
    return StripState(inside, "; ".join(f"{name}: {state.words}" for name, state in brushed.items()))


def _strip(view: Compared, corpus: Corpus, choice: str, name: str, method: str) -> StripState:
    key, group = f"maps.strip-{choice}-{view.group}", view.group
    values = _numbers(view, corpus, choice)
    if values is not None:
        return strip_view(key=key, values=np.where(corpus.excluded, np.nan, values), group=group, title=name)
    groups = colouring(corpus, view.run, choice, method=method, against=view.against)
    return strip_view(
        key=key, categories=groups.categories, names=groups.names, colours=groups.colours, group=group, title=name,
        height=150,
    )  # fmt: skip


def _numbers(view: Compared, corpus: Corpus, choice: str) -> np.ndarray | None:
    """(corpus rows,) numbers for a histogram, NaN for none; None for words and few distinct numbers."""
    if choice == LENGTH:
        return lengths(corpus, corpus.fingerprint)
    if choice == MOVEMENT:
        moved = moves(view.run, view.against)
        assert moved is not None, "it is offered where it was measured"
        values = np.full(corpus.info.rows, np.nan)
        values[moved.rows] = moved.movement
        return values
    if choice.startswith(COLUMN):
        return _column(corpus, corpus.fingerprint, choice.removeprefix(f"{COLUMN}:"))
    return None


@st.cache_resource(max_entries=8, show_spinner=False)
def _column(_corpus: Corpus, fingerprint: str, column: str) -> np.ndarray | None:
    values = as_numbers(_corpus.column(column))
    if values is None or len(np.unique(values[np.isfinite(values)])) <= OWN_NUMBERS:
        return None
    return values
