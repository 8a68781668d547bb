"""Which texts and groups moved, as tables: movement, class effect and their intervals."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from embedlab.corpora.base import Corpus
from embedlab.corpora.stored.shelf import CorpusInfo
from embedlab.metrics.movement import GroupMoves, Interval
from embedlab.numbers import fixed, percent, signed
from embedlab.plain_text import shortened
from embedlab.runs.map_readings import ClassNeighbors, Moves


def moves_table(corpus: Corpus, moved: Moves, positions: np.ndarray, *, whole: bool = False) -> pa.Table:
    """Movement, neighbors of the same class before and after, label, and the text (its beginning, unless ``whole``)."""
    rows = moved.rows[positions]
    columns = {"row": pa.array(rows, pa.int64()), "movement": pa.array(moved.movement[positions], pa.float32())}
    if corpus.labels is not None:
        both = zip(moved.same_before[positions].tolist(), moved.same_after[positions].tolist(), strict=True)
        columns["same label"] = pa.array(["" if before < 0 else f"{before} → {after}" for before, after in both])
        columns["label"] = pa.array(corpus.labels[rows], pa.string())
    if corpus.titles is not None:
        columns["title"] = pa.array([corpus.titles[row] for row in rows], pa.string())
    columns["text"] = pa.array(_texts(corpus, rows, whole))
    return pa.table(columns)


def _texts(corpus: Corpus, rows: np.ndarray, whole: bool) -> list[str]:
    texts = [corpus.texts[row] for row in rows]
    return texts if whole else [shortened(" ".join(text[:600].split()), 160) for text in texts]


def moved_sentence(moved: Moves, position: int, words: tuple[str, str]) -> str:
    """``Movement 0.82: 3 of its ten nearest texts stayed. 8 share its label after, 2 before: +6.``"""
    before, after = moved.nearest_before[position], moved.nearest_after[position]
    stayed = int(np.isin(after[after >= 0], before).sum())
    line = f"Movement {moved.movement[position]:.2f}: {stayed} of its ten nearest texts stayed."
    was, now = int(moved.same_before[position]), int(moved.same_after[position])
    if was < 0:
        return line
    change = signed(now - was) if now != was else "no change"
    return f"{line} {now} share its label {words[1]}, {was} {words[0]}: {change}."


def in_order(groups: Sequence[GroupMoves], order: str) -> list[GroupMoves]:
    """Most moved first, or by class effect; for gained and lost only those whose interval excludes 0 on that side."""
    if order == "most":
        return sorted(groups, key=lambda group: -group.movement.mean)
    sign = 1 if order == "gained" else -1
    effects = [(each.effect, each) for each in groups if each.effect is not None]
    clear = [(effect, each) for effect, each in effects if min(sign * effect.low, sign * effect.high) > 0]
    return [each for _, each in sorted(clear, key=lambda pair: -sign * pair[0].mean)]


def groups_table(groups: Sequence[GroupMoves], kind: str) -> pa.Table:
    """One row per group: mean movement and class effect with their intervals."""
    columns = {
        "class" if kind == "classes" else "cluster": [each.name for each in groups],
        "texts": [each.texts for each in groups],
        "above noise": [100 * each.above / each.texts for each in groups],
        "movement": [each.movement.mean for each in groups],
        "95 %": [_bounds(each.movement) for each in groups],
    }
    effects = [each.effect for each in groups]
    if any(effects):
        columns["class effect"] = [None if each is None else each.mean for each in effects]
        columns["95 % of the effect"] = ["" if each is None else _bounds(each) for each in effects]
    return pa.table(columns)


def _bounds(of: Interval) -> str:
    """``0.21 … 0.27``"""
    return f"{fixed(of.low, 2)} … {fixed(of.high, 2)}"


def changes_table(neighbors: ClassNeighbors, changes: list[tuple[int, int]], words: tuple[str, str]) -> pa.Table:
    """Pairs of classes with their shares in percent."""
    before, after = neighbors.shares
    return pa.table(
        {
            "texts of": [neighbors.names[row] for row, _ in changes],
            "neighbors of": [neighbors.names[column] for _, column in changes],
            words[0]: [100 * float(before[pair]) for pair in changes],
            words[1]: [100 * float(after[pair]) for pair in changes],
            "change": [100 * float(after[pair] - before[pair]) for pair in changes],
        }
    )


def why_no_classes(info: CorpusInfo) -> str:
    """Why no class can have neighbors of another; empty if one can."""
    if not info.classes:
        labels = "this corpus has none"
    elif len(info.classes) == 1 and info.labelled == info.texts:
        labels = "all texts of this corpus have the same"
    else:
        return ""
    return f"Who neighbors whom needs labels that differ, and {labels}. What moved needs no labels."


def cell_texts(
    corpus: Corpus, moved: Moves, neighbors: ClassNeighbors, row: int, column: int
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the texts of class ``row`` with neighbors of class ``column``, most changed first; and how many
    neighbors each has.  -> (found,), (texts, 2)
    """
    codes = _codes(corpus, neighbors)
    counts = np.zeros((len(moved.rows), 2), np.int64)
    was_read = (moved.same_before < 0) & (corpus.class_numbers[moved.rows] >= 0)  # by an encoder, to learn
    in_class = np.flatnonzero((codes[moved.rows] == row) & ~was_read)
    for side, near in enumerate((moved.nearest_before, moved.nearest_after)):
        counts[in_class, side] = ((codes[near[in_class]] == column) & (near[in_class] >= 0)).sum(axis=1)
    some = in_class[counts[in_class].any(axis=1)]
    change = np.abs(counts[some, 1] - counts[some, 0])
    return some[np.lexsort((some, -counts[some].max(axis=1), -change))], counts


def cell_table(
    corpus: Corpus, moved: Moves, places: np.ndarray, counts: np.ndarray, words: tuple[str, str], *, whole: bool = False
) -> pa.Table:
    """How many of the ten nearest belong to the other class, and the text (its beginning, unless ``whole``)."""
    rows = moved.rows[places]
    columns = {f"neighbors {word}": counts[places, side] for side, word in enumerate(words)}
    columns["change"] = counts[places, 1] - counts[places, 0]
    if corpus.titles is not None:
        columns["title"] = [corpus.titles[row] for row in rows]
    columns["text"] = _texts(corpus, rows, whole)
    return pa.table(columns)


def _codes(corpus: Corpus, neighbors: ClassNeighbors) -> np.ndarray:
    """The matrix row of each corpus row: its class, the smaller ones together, or no label."""
    classes = corpus.class_numbers
    own_rows = np.flatnonzero(neighbors.is_class)
    by_name = {neighbors.names[class_row]: class_row for class_row in own_rows}
    others = [class_row for class_row in np.flatnonzero(~neighbors.is_class)]
    left_out = len(corpus.info.classes) > len(own_rows)
    small = others[0] if left_out else -1
    unlabeled = others[-1] if len(others) > left_out else -1
    number = np.array([by_name.get(each.label, small) for each in corpus.info.classes])
    return np.where(classes < 0, unlabeled, number[classes])


def movement_in_words(movement: Moves) -> str:
    """Says how many texts have other neighbors, and whether those share their class more often."""
    facts = movement.facts
    share, median = facts.moved.share, facts.median
    assert share is not None and median is not None, "it is only asked for where a text has neighbors"
    moved = f"{percent(share)} of the texts have other nearest texts than before (Euclidean distance, as for the maps)"
    helped, hurt = facts.helped.share, facts.hurt.share
    if helped is None or hurt is None:
        return f"{moved}; half of them changed {percent(median, 0)} of their ten or more."
    of_class = "their own class among the ten nearest"
    line = f"{moved}. {percent(helped)} have more of {of_class}, {percent(hurt)} have fewer."
    return f"{line} {facts.labels_read.sentence}" if facts.labels_read else line
