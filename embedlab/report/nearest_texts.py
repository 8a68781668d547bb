"""The nearest texts of one text, from a run's stored neighbors or embeddings, and two texts compared by their ranks."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.damage import read_array
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance
from embedlab.limits import LIMITS
from embedlab.numbers import count, signed
from embedlab.plain_text import shortened
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.runs.vectors import NearRows, StoredVectors, TwoTexts, is_quick, nearest_by, stored_vectors
from embedlab.store_root import UnreadableFile

VOTERS, TRIED = 3, 60  # neighbors of the text that explains kNN accuracy; texts looked at to find it
SHARED_AMONG = 10  # nearest texts of each of two texts


@dataclass(frozen=True)
class Nearest:
    """Corpus rows, nearest first by ``distance``."""

    rows: np.ndarray  # (k,)
    distance: Distance
    distances: np.ndarray | None = None  # (k,) Euclidean, where known
    cosines: np.ndarray | None = None  # (k,), where known
    is_picture: bool = False  # nearest on a map, not among the embeddings


def nearest_of_row(
    run: RunFolder, side: str, corpus: Corpus, row: int, *, k: int, distance: Distance, dimensions: int | None = None
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
    indices = None
    if dimensions is None and of_all and (graph / "graph.json").exists():
        with suppress(UnreadableFile):  # damaged: a pass over the embeddings finds the same
            indices = read_array(graph / "indices.npy", dimensions=2, is_mapped=True)
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


def nearest_of_answer(near: NearRows, distance: Distance) -> Nearest:
    """From one side of the resident process's answer; none for unknown text."""
    count = len(near.rows) if near.is_known else 0
    rows, apart = np.array(near.rows[:count], np.int64), np.array(near.distances[:count], np.float64)
    if distance == COSINE:
        return Nearest(rows, distance, cosines=1 - apart)
    return Nearest(rows, distance, distances=apart)


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


def change_of_two(left: TwoTexts, right: TwoTexts, words: tuple[str, str]) -> str:
    """``Closer: the second text was the 812th nearest of the first before and is the 3rd after …``"""
    if left.ranks is None or right.ranks is None:
        missing = " and ".join(word for word, each in zip(words, (left, right), strict=True) if each.ranks is None)
        return f"One of them has no vector {missing}, so the two cannot be compared."
    moved = [after - before for before, after in zip(left.ranks, right.ranks, strict=True)]
    of_first = f"{ordinal(left.ranks.of_first)} → {ordinal(right.ranks.of_first)} nearest of the first"
    of_second = f"{ordinal(left.ranks.of_second)} → {ordinal(right.ranks.of_second)} of the second"
    if moved == [0, 0]:
        return f"As close as before: each keeps its rank, {' and '.join(map(ordinal, right.ranks))}."
    if min(moved) < 0 < max(moved):
        return f"Closer in one list, farther in the other: {of_first}, {of_second}."
    return f"{'Closer' if min(moved) < 0 else 'Farther'}: {of_first}, {of_second}."


def table_of_two(left: TwoTexts, right: TwoTexts, words: tuple[str, str]) -> str:
    """The numbers of both sides and their difference, as a Markdown table."""
    lines = [f"| | {words[0]} | {words[1]} | change |", "|---|--:|--:|--:|"]
    lines.append(_line("Cosine similarity", left.cosine, right.cosine, "{:.2f}".format, 2))
    both = (each.ranks or (None, None) for each in (left, right))
    for number, (before, after) in zip(("first", "second"), zip(*both, strict=True), strict=True):
        lines.append(_line(f"Rank in the {number} text's list", before, after, ordinal))
    lines.append(_line(f"Shared among their {SHARED_AMONG} nearest", len(left.shared), len(right.shared), str))
    return "\n".join(lines)


def ordinal(rank: int) -> str:
    """``1st``, ``12th``, ``1,313th``"""
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{count(rank)}{ending}"


def _line(name: str, left: float | None, right: float | None, written: Callable[[Any], str], digits: int = 0) -> str:
    values = ["–" if value is None else written(value) for value in (left, right)]
    difference = "–" if left is None or right is None else signed(right - left, digits)
    return f"| {name} | {values[0]} | {values[1]} | {difference} |"


def compared_label(corpus: Corpus, row: int) -> str | None:
    """Its label, if another text could have another one: what all share says nothing about neighbors."""
    return corpus.label(row) if len(corpus.info.classes) > 1 else None


def text_line(corpus: Corpus, row: int, characters: int = 110) -> str:
    """One line that identifies a text: its label, its title or its beginning; plain text."""
    line = " ".join((corpus.title(row) or corpus.texts[row]).split())
    label = corpus.label(row)
    return shortened(line if label is None else f"{label} · {line}", characters)


@dataclass(frozen=True)
class TextWithVoters:
    """A text of the corpus and its nearest ones, all labelled, and the distance used."""

    row: int
    near: tuple[int, ...]
    by: str  # ``(cosine)``, ``on the map``


def chosen_text(run: RunFolder, corpus: Corpus, drawn: DrawnMap | None, distance: Distance) -> TextWithVoters | None:
    """A labelled text whose neighbors disagree but vote correctly, preferring short names; otherwise the first with
    neighbors.

    Near by the embeddings after, where they are stored; else on the map. None without labels or neighbors.
    """
    if corpus.labels is None:
        return None
    first, telling = None, []
    for row in sample_of(corpus.labelled, TRIED):
        near, by = nearest_of_row(run, "after", corpus, row, k=10, distance=distance), f"({DISTANCES[distance]})"
        if near is None and drawn is not None and row in drawn.rows:
            near, by = nearest_in_picture(drawn, row, 10), "on the map"
        labelled = [] if near is None else [int(each) for each in near.rows if corpus.label(each) is not None]
        if not labelled:
            continue
        candidate = TextWithVoters(row, tuple(labelled[:VOTERS]), by)
        first = first or candidate
        votes = Counter(corpus.labels[near] for near in candidate.near)
        if votes[corpus.labels[row]] == VOTERS - 1:
            telling.append(candidate)
    return min(
        telling, key=lambda each: max(len(name_of(corpus, row)) for row in (each.row, *each.near)), default=first
    )


def sample_of(rows: np.ndarray, most: int) -> list[int]:
    """A fixed random sample, without listing everything."""
    return [int(rows[position]) for position in random.Random(0).sample(range(len(rows)), min(most, len(rows)))]


def winner(labels: list[str]) -> str:
    """The majority, ties to the first in sorted order, as in kNN accuracy."""
    votes = Counter(labels)
    return min(votes, key=lambda label: (-votes[label], label))


def name_of(corpus: Corpus, row: int) -> str:
    """Its title, otherwise its beginning."""
    return shortened(" ".join((corpus.title(row) or corpus.texts[row] or "").split()), 120)


def nearest_in_picture(drawn: DrawnMap, row: int, k: int) -> Nearest:
    """The k nearest texts to this corpus row on a map; none if the map does not show it."""
    position = drawn.coordinates[drawn.rows == row]
    apart = ((drawn.coordinates - position[0]) ** 2).sum(axis=1) if len(position) else np.empty(0)
    order = np.argsort(apart, kind="stable")
    near = drawn.rows[order] if len(position) else np.empty(0, np.int64)
    return Nearest(near[near != row][:k], EUCLIDEAN, is_picture=True)
