"""The nearest texts of one text before and after: found, compared, and listed side by side."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.damage import read_array
from embedlab.distance import COSINE, EUCLIDEAN, Distance, other_distance
from embedlab.limits import LIMITS
from embedlab.runs.folder import RunFolder
from embedlab.runs.vectors import StoredVectors, is_quick, nearest_by, stored_vectors
from embedlab.store_root import UnreadableFile
from embedlab.ui.components.loaded_maps import TITLES
from embedlab.ui.components.pick_text import label_of, take, title_of
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.text import escaped

SIDES = ("before", "after")


@dataclass(frozen=True)
class Nearest:
    """Corpus rows, nearest first by ``distance``."""

    rows: np.ndarray  # (k,)
    distance: Distance
    distances: np.ndarray | None = None  # (k,) Euclidean, where known
    cosines: np.ndarray | None = None  # (k,), where known
    is_picture: bool = False  # nearest on a map, not among the embeddings


def nearest_of_row(
    run: RunFolder,
    side: str,
    corpus: Corpus,
    row: int,
    *,
    k: int,
    distance: Distance,
    dimensions: int | None = None,
) -> Nearest | None:
    """From the run's neighbor graph for this distance, otherwise from the embeddings if one pass is quick.

    None where neither can be done here. A text without a vector has no neighbors. ``dimensions``: by the first so many
    of each vector, for which there is no graph.
    """
    graph, path = run.neighbors(side, distance), run.embeddings(side)
    if not path.exists():
        return None
    embeddings = read_array(path, dimensions=2, is_mapped=True)[:, :dimensions]
    of_all = len(corpus.kept) <= LIMITS.mapped_texts  # else the graph is of a sample
    has_graph = dimensions is None and of_all and (graph / "graph.json").exists()
    indices = _indices(graph) if has_graph else None
    if indices is not None:
        node = int(np.searchsorted(corpus.kept, row))  # the graph counts the texts, not the rows
        near = indices[node, :k]
        return _measured(embeddings, row, corpus.kept[near[near >= 0]], distance)
    if not is_quick(embeddings):
        return None
    vectors = stored_vectors(run, side, dimensions)
    if vectors.lengths[row] == 0:
        return Nearest(np.empty(0, np.int64), distance)
    apart = vectors.distances(embeddings[row : row + 1], distance)[0]
    return _measured(embeddings, row, nearest_by(apart, k, without=row), distance)


def nearest_of_answer(side_answer: dict, *, k: int, distance: Distance, without: int = -1) -> Nearest:
    """From one side of the resident process's answer, ``without`` the query's row; none for unknown text."""
    rows, apart = np.array(side_answer["rows"], dtype=np.int64), np.array(side_answer["distances"], dtype=np.float64)
    taken = np.flatnonzero((rows >= 0) & (rows != without) & side_answer["known"])[:k]
    if distance == COSINE:
        return Nearest(rows[taken], distance, cosines=1 - apart[taken])
    return Nearest(rows[taken], distance, distances=apart[taken])


def same_label(corpus: Corpus, rows: np.ndarray, label: str | None) -> np.ndarray:
    """Whether each row carries this label.  rows: (k,) -> bool (k,)"""
    if corpus.labels is None or label is None:
        return np.zeros(len(rows), dtype=bool)
    return np.array([corpus.labels[row] == label for row in rows], dtype=bool)


def most_frequent(corpus: Corpus, rows: np.ndarray) -> tuple[str, int] | None:
    """The most frequent label of these rows and its count; ties go to the nearest row."""
    labels = [] if corpus.labels is None else [corpus.labels[row] for row in rows if corpus.labels[row] is not None]
    if not labels:
        return None
    most = max(labels, key=labels.count)
    return most, labels.count(most)


def _measured(embeddings: np.ndarray, row: int, rows: np.ndarray, distance: Distance) -> Nearest:
    """The same rows with their distance from ``row`` by either distance. embeddings: (corpus rows, dim)"""
    near, vector = np.asarray(embeddings[rows]), embeddings[row : row + 1]
    vectors = StoredVectors(near, np.linalg.norm(near.astype(np.float64), axis=1))
    return Nearest(rows, distance, vectors.distances(vector, EUCLIDEAN)[0], vectors.cosines(vector)[0])


def _indices(graph: Path) -> np.ndarray | None:
    """None if the file is damaged: a pass over the embeddings finds the same."""
    try:
        return read_array(graph / "indices.npy", dimensions=2, is_mapped=True)
    except UnreadableFile:
        return None


CHARACTERS = 115

MARKS = {"before": ":gray-badge[left]", "after": ":blue-badge[new]"}  # what is said of a text that only this list holds


def both_lists(
    both: dict[str, Nearest], corpus: Corpus, *, label: str | None,
    titles: tuple[str, str] = (TITLES["before"], TITLES["after"]), on_pick: Callable[[int], None] | None = take,
) -> None:  # fmt: skip
    """Side by side, nearest first; a text in only one of the lists is marked.

    ``on_pick``: what a click on a text does with its row; None: the texts are only read.
    """
    for side, other, title, column in zip(SIDES, reversed(SIDES), titles, pair("lists"), strict=True):
        only_here = ~np.isin(both[side].rows, both[other].rows)
        with column:
            head = f"**{escaped(title)}**"
            st.markdown(head)
            heads = _heads(corpus, both[side], label=label, mark=MARKS[side], marked=only_here)
            if on_pick is None or not heads:
                lines = list_lines(corpus, both[side], label=label, mark=MARKS[side], marked=only_here)
                st.markdown("\n".join(lines) or "No text is near it.")
                continue
            with st.container(gap=None, key=f"walk-{side}"):
                for position, (line, row) in enumerate(zip(heads, both[side].rows.tolist(), strict=True)):
                    numbered = f"{position + 1}\\. {line}"
                    st.markdown(numbered)
                    beginning = _beginning(corpus, row)
                    st.button(beginning, key=f"walk-{side}-{position}", type="tertiary", on_click=on_pick, args=(row,))


def list_lines(corpus: Corpus, near: Nearest, *, label: str | None, mark: str, marked: np.ndarray) -> list[str]:
    """A numbered Markdown list, user text escaped: label (✓ if it is ``label``), mark, distance, and the text."""
    heads, lines = _heads(corpus, near, label=label, mark=mark, marked=marked), []
    for position, (head, row) in enumerate(zip(heads, near.rows, strict=True)):
        lines += [f"{position + 1}. {head}  ", f"   {_beginning(corpus, row)}"]
    return lines


def _heads(corpus: Corpus, near: Nearest, *, label: str | None, mark: str, marked: np.ndarray) -> list[str]:
    """The heading of each text."""
    same, heads = same_label(corpus, near.rows, label), []
    for position, row in enumerate(near.rows):
        far = _how_far(near, position)
        badges = [_label_badge(corpus, row, is_same=same[position], compared=label is not None)]
        badges.append(mark if marked[position] else "")
        heads.append(" ".join(part for part in [*badges, f":small[:gray[{far}]]" if far else ""] if part))
    return heads


def _how_far(near: Nearest, position: int) -> str:
    """By the list's own distance, then by the other one; unknown ones are left out."""
    written = {}
    if near.distances is not None:
        written[EUCLIDEAN] = f"distance {near.distances[position]:.3g}"
    if near.cosines is not None:
        written[COSINE] = f"cosine {near.cosines[position]:.2f}"
    return ", ".join(written[each] for each in (near.distance, other_distance(near.distance)) if each in written)


def _beginning(corpus: Corpus, row: int) -> str:
    """Title and first words in Markdown, user text escaped."""
    title = title_of(corpus, row)
    head = f"**{escaped(title, CHARACTERS // 2)}** " if title else ""
    return head + escaped(corpus.texts[row], max(CHARACTERS - len(title), CHARACTERS // 2))


def _label_badge(corpus: Corpus, row: int, *, is_same: bool, compared: bool) -> str:
    label = label_of(corpus, row)
    if label is None:
        return ""
    if is_same:
        return f":green-badge[✓ {escaped(label, 40)}]"
    return f"✗ {escaped(label, 40)}" if compared else escaped(label, 40)
