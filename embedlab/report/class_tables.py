"""Tables of the predictions for every labelled text: classes, mistakes, texts, suspicious labels."""

import numpy as np
import pyarrow as pa

from embedlab.corpora.base import Corpus
from embedlab.distance import DISTANCES
from embedlab.metrics.per_class import Confusion, gained, lost, suspicious
from embedlab.numbers import counted, in_percent, joined, points
from embedlab.plain_text import shortened
from embedlab.runs.predictions import Folds

CHARACTERS = 400  # of a text in a table
_NAMED = 3  # of the classes that got worse


def classes_table(folds: Folds) -> pa.Table:
    """For the download: shares in percent, changes in points."""
    rows = [
        {
            "class": each.label,
            "texts": each.texts,
            "before (%)": in_percent(each.before),
            "after (%)": in_percent(each.after),
            "change (points)": in_percent(each.difference.value),
            "95 % low": in_percent(each.difference.low),
            "95 % high": in_percent(each.difference.high),
            "gained": each.gained,
            "lost": each.lost,
        }
        for each in folds.classes
    ]
    return pa.Table.from_pylist(rows)


def worst_class(folds: Folds) -> str | None:
    """The class that got clearly worse by most points; None if none did."""
    worse = [each for each in folds.classes if each.difference.high < 0]
    return min(worse, key=lambda each: each.difference.value).label if worse else None


def changes_sentence(folds: Folds) -> str:
    """``3 of 27 classes got clearly better (cosine), 1 clearly worse: law (−12.1 points).``; at most three."""
    better = sum(each.difference.low > 0 for each in folds.classes)
    worse = sorted((each for each in folds.classes if each.difference.high < 0), key=lambda each: each.difference.value)
    named = [f"{each.label} ({points(each.difference.value)})" for each in worse[:_NAMED]]
    more = [f"{len(worse) - _NAMED} more"] if len(worse) > _NAMED else []
    ending = f"{len(worse)} clearly worse: {joined([*named, *more])}" if worse else "none clearly worse"
    of = f"{better or 'None'} of {counted(len(folds.classes), 'class', 'classes')}"
    return f"{of} got clearly better ({DISTANCES[folds.distance]}), {ending}."


def mistakes_of(folds: Folds, label: str | None, *, most: int = 200) -> list[Confusion]:
    """The most frequent mistakes, optionally those involving one class."""
    every = folds.mistakes(most if label is None else len(folds.rows))
    return [each for each in every if label is None or label in (each.label, each.taken_for)][:most]


def mistakes_table(mistakes: list[Confusion]) -> pa.Table:
    """One row per pair of classes; the interval is for the share of the class."""
    columns = {
        "texts of": [each.label for each in mistakes],
        "mistaken for": [each.taken_for for each in mistakes],
        "before": [each.before for each in mistakes],
        "after": [each.after for each in mistakes],
        "change": [each.after - each.before for each in mistakes],
        "is clear": ["yes" if each.difference.is_clear else "no" for each in mistakes],
    }
    return pa.table(columns)


def texts_gained(folds: Folds, label: str | None) -> np.ndarray:
    """Positions of texts that turned right, the most agreed upon first."""
    return _most_agreed(folds, gained(**folds.predicted), label)


def texts_lost(folds: Folds, label: str | None) -> np.ndarray:
    """Positions of texts that turned wrong, the most agreed upon mistake first."""
    return _most_agreed(folds, lost(**folds.predicted), label)


def _most_agreed(folds: Folds, positions: np.ndarray, label: str | None) -> np.ndarray:
    """Those of these positions with this label; all without a label."""
    if label is not None:
        positions = positions[folds.labels[positions] == label]
    if folds.after_votes is None:
        return positions
    return positions[np.argsort(-folds.after_votes[positions], kind="stable")]


def texts_of_mistake(folds: Folds, mistake: Confusion) -> np.ndarray:
    """Positions of the texts behind one pair, those mistaken by only one encoder first."""
    of_label = folds.labels == mistake.label
    was, now = of_label & (folds.before == mistake.taken_for), of_label & (folds.after == mistake.taken_for)
    positions = np.flatnonzero(was | now)
    return positions[np.argsort((was & now)[positions], kind="stable")]


def predictions_table(folds: Folds, corpus: Corpus, positions: np.ndarray, *, whole: bool = False) -> pa.Table:
    """Label, each encoder's prediction and its votes, and the text (its beginning, unless ``whole``)."""
    columns = {
        "row": pa.array(folds.rows[positions], pa.int64()),
        "label": pa.array(folds.labels[positions], pa.string()),
        "before": _labels_with_votes(folds.before, folds.before_votes, positions),
        "after": _labels_with_votes(folds.after, folds.after_votes, positions),
    }
    return pa.table({**columns, **_texts(corpus, folds.rows[positions], whole)})


def suspicious_table(
    folds: Folds, corpus: Corpus, label: str | None, *, at_least: int, most: int | None = None
) -> tuple[pa.Table, np.ndarray]:
    """The texts whose neighbors agree on another label, the most certain first, and their positions."""
    assert folds.before_votes is not None and folds.after_votes is not None, "votes are kept of ten folds"
    every = suspicious(
        **folds.predicted, before_votes=folds.before_votes, after_votes=folds.after_votes, at_least=at_least
    )
    matching = np.flatnonzero((folds.labels[every.positions] == label) | (label is None))
    listed, positions = matching[:most], every.positions[matching]
    rows = folds.rows[every.positions[listed]]
    columns = {
        "row": pa.array(rows, pa.int64()),
        "label": pa.array(folds.labels[every.positions[listed]], pa.string()),
        "neighbors vote for": pa.array(every.suggested[listed], pa.string()),
        "votes before": pa.array(every.before_votes[listed], pa.int64()),
        "votes after": pa.array(every.after_votes[listed], pa.int64()),
        "both encoders": ["yes" if both else "no" for both in every.both[listed]],
    }
    return pa.table({**columns, **_texts(corpus, rows, most is None)}), positions


def _labels_with_votes(predictions: np.ndarray, votes: np.ndarray | None, positions: np.ndarray) -> list[str]:
    """``numpy (8)``, the label and its votes of ten if known."""
    if votes is None:
        return ["no neighbor" if label is None else label for label in predictions[positions]]
    both = zip(predictions[positions], votes[positions], strict=True)
    return ["no neighbor" if label is None else f"{label} ({count})" for label, count in both]


def _texts(corpus: Corpus, rows: np.ndarray, whole: bool) -> dict[str, list[str]]:
    columns = {} if corpus.titles is None else {"title": [corpus.titles[row] for row in rows]}
    texts = [corpus.texts[row] for row in rows]
    return {**columns, "text": texts if whole else [shortened(text, CHARACTERS) for text in texts]}
