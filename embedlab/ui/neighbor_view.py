"""Neighbors before and after, drawn: the effect in a sentence, both lists, and where they lie on the maps."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.metrics.distance import COSINE, EUCLIDEAN, other_distance
from embedlab.runs.folder import RunFolder
from embedlab.ui.coordinates import RunMap, categories_of
from embedlab.ui.distance import by_distance
from embedlab.ui.map_view import map_view
from embedlab.ui.navigation import go_button
from embedlab.ui.nearest import SIDES, Nearest, most_frequent, same_label
from embedlab.ui.pair import pair
from embedlab.ui.result_view import TITLES, map_caption, titles_of
from embedlab.ui.run_maps import both_maps, first_drawn
from embedlab.ui.state import colours_of
from embedlab.ui.text import escaped

CHARACTERS = 115
MAP_HEIGHT = 400
MARKS = {"before": ":gray-badge[left]", "after": ":blue-badge[new]"}  # what is said of a text that only this list holds


def effect_of_row(both: dict[str, Nearest], corpus: Corpus, label: str | None) -> None:
    """How many of its neighbors share its label, before and after."""
    k = len(both["after"].rows)
    if label is not None:
        before, after = (int(same_label(corpus, both[side].rows, label).sum()) for side in SIDES)
        nearest = f"{k} nearest texts {by_distance(both['after'].distance)}"
        said = f"{after} of its {nearest} share its label after fine-tuning, {before} before"
        line = f"{said}: {_signed(after - before)}. {_turnover(both)}"
        st.subheader(line, anchor=False)
    else:
        st.subheader(_turnover(both, named=True), anchor=False)


def effect_of_typed(both: dict[str, Nearest], corpus: Corpus) -> None:
    """Which label its neighbors have, before and after."""
    found = {side: most_frequent(corpus, both[side].rows) for side in SIDES}
    said = [f"{found[side][1]} × {escaped(found[side][0])} {side}" for side in SIDES if found[side]]
    if said:
        by = by_distance(both["after"].distance)
        line = f"Most frequent label near it {by}: {', '.join(said)}. {_turnover(both)}"
        st.subheader(line, anchor=False)
    else:
        st.subheader(_turnover(both, named=True), anchor=False)


def both_lists(
    both: dict[str, Nearest], corpus: Corpus, *, label: str | None, titles: tuple[str, str] = tuple(TITLES.values())
) -> None:
    """Side by side, nearest first; a text that only one of the lists holds is marked."""
    for side, other, title, place in zip(SIDES, reversed(SIDES), titles, pair("lists"), strict=True):
        only_here = ~np.isin(both[side].rows, both[other].rows)
        with place:
            head = f"**{escaped(title)}**"
            st.markdown(head)
            lines = list_lines(corpus, both[side], label=label, mark=MARKS[side], marked=only_here)
            st.markdown("\n".join(lines) or "No text is near it.")


def list_lines(corpus: Corpus, near: Nearest, *, label: str | None, mark: str, marked: np.ndarray) -> list[str]:
    """A numbered list in Markdown, user text escaped: label (✓ where it is ``label``), mark, how far, and the text."""
    same, lines = same_label(corpus, near.rows, label), []
    for position, row in enumerate(near.rows):
        head = _how_far(near, position)
        badges = [_label_badge(corpus, row, is_same=same[position], compared=label is not None)]
        badges.append(mark if marked[position] else "")
        first = " ".join(part for part in [*badges, f":small[:gray[{head}]]" if head else ""] if part)
        lines += [f"{position + 1}. {first}  ", f"   {_beginning(corpus, row)}"]
    return lines


def maps_with(
    run: RunFolder,
    corpus: Corpus,
    both: dict[str, Nearest],
    *,
    own_row: int | None = None,
    places: dict[str, list | None] | None = None,
) -> int | None:
    """Both maps with the neighbors bright, a mark where the text lies (``own_row``) or belongs (``places``); the row
    of the text that is clicked.
    """
    method = first_drawn(run)
    drawn = None if method is None else both_maps(run, method)
    if drawn is None:
        st.caption("The maps of this run are not drawn yet; with them, this page shows where these texts lie.")
        go_button("Draw the maps", "maps")
        return None
    colours = colours_of(corpus)
    clicked = None
    for side, place in zip(SIDES, pair("neighbor-maps"), strict=True):
        own, near = drawn[side], both[side].rows
        mark = _mark_of_row(own, own_row) if places is None else _mark_of_place(places[side])
        with place:
            state = map_view(
                key=f"neighbors-{side}-{method}-{run.id}",
                coordinates=own.coordinates,
                categories=categories_of(corpus, own.rows),
                class_names=list(colours),
                colours=list(colours.values()),
                row_ids=own.rows,
                bright=np.isin(own.rows, near),
                marks=[*_dots(own, near), *mark],
                title=titles_of(run)[SIDES.index(side)],
                caption=f"{map_caption(own, corpus, method)}. " + _CAPTIONS[places is not None],
                corpus=corpus.fingerprint,
                group=f"neighbors-{run.id}",
                legend=False,
                names_on_map=False,
                height=MAP_HEIGHT,
            )
        clicked = clicked if state.picked is None else state.picked
    return clicked


_CAPTIONS = {False: "Dots: its nearest texts.", True: "Your text is placed by its neighbors, the dots."}


def _how_far(near: Nearest, position: int) -> str:
    """By the distance that the list is in the order of, then by the other one; what is not known is left out."""
    said = {}
    if near.distances is not None:
        said[EUCLIDEAN] = f"distance {near.distances[position]:.3g}"
    if near.cosines is not None:
        said[COSINE] = f"cosine {near.cosines[position]:.2f}"
    return ", ".join(said[each] for each in (near.distance, other_distance(near.distance)) if each in said)


def _beginning(corpus: Corpus, row: int) -> str:
    """Title and first words in Markdown, user text escaped."""
    title = corpus.titles[row] if corpus.titles is not None else ""
    head = f"**{escaped(title, CHARACTERS // 2)}** " if title else ""
    return head + escaped(corpus.texts[row], max(CHARACTERS - len(title), CHARACTERS // 2))


def _label_badge(corpus: Corpus, row: int, *, is_same: bool, compared: bool) -> str:
    label = corpus.labels[row] if corpus.labels is not None else None
    if label is None:
        return ""
    if is_same:
        return f":green-badge[✓ {escaped(label, 40)}]"
    return f"✗ {escaped(label, 40)}" if compared else escaped(label, 40)


def _dots(drawn: RunMap, rows: np.ndarray) -> list[tuple[str, float, float]]:
    return [("", x, y) for x, y in drawn.coordinates[np.isin(drawn.rows, rows)]]


def _mark_of_row(drawn: RunMap, row: int | None) -> list[tuple[str, float, float]]:
    position = np.flatnonzero(drawn.rows == row)
    return [("this text", *drawn.coordinates[position[0]])] if len(position) else []


def _mark_of_place(place: list | None) -> list[tuple[str, float, float]]:
    return [] if place is None else [("your text", *place)]


def _turnover(both: dict[str, Nearest], *, named: bool = False) -> str:
    """How many came; ``named`` says of which texts, where nothing before it did."""
    after = both["after"]
    new = int((~np.isin(after.rows, both["before"].rows)).sum())
    nearest = f" nearest {by_distance(after.distance)}" if named else ""
    return f"{new} of the {len(after.rows)}{nearest} are new."


def _signed(difference: int) -> str:
    return f"{difference:+d}".replace("-", "−") if difference else "no change"
