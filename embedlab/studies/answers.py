"""What a study says in one sentence: the best value by development texts, or how many labels match."""

import numpy as np

from embedlab.metrics.intervals import Difference
from embedlab.metrics.seeds import pooled_seeds
from embedlab.metrics.verdict import told
from embedlab.studies import STUDIES
from embedlab.studies.base import StudySettings
from embedlab.studies.points import Point, right_texts
from embedlab.studies.store import opened_run


def answer(asked: StudySettings, points: list[Point], line: Point | None = None) -> str:
    """The study's sentence; empty while no point says anything."""
    kind = STUDIES[asked.kind]
    if kind.swept_recipe:
        return labels_needed(asked, points, line)
    if kind.phases == 2:
        return _phases(points)
    return best_value(asked, points) if kind.names_best else _span(points)


def best_value(asked: StudySettings, points: list[Point]) -> str:
    """The value the development texts like best (ties: the first); the test texts choose nothing."""
    complete = [point for point in points if len(point.finished) == len(asked.seeds) and point.development is not None]
    if not complete:
        return ""
    best = max(complete, key=lambda point: point.development)
    word = STUDIES[asked.kind].word or asked.setting
    judged = _share(best.development)
    which = f"Best by development texts: {word} {best.name} ({judged} there)" if judged else f"Best: {word} {best.name}"
    left = len(points) - len(complete)
    out = f" {left} of {len(points)} values are not complete and took no part." if left else ""
    return f"{which}; kNN accuracy {_accuracy(best)} on the test texts, which chose nothing.{out}"


def labels_needed(asked: StudySettings, points: list[Point], line: Point | None) -> str:
    """The smallest number of labels whose interval of the difference to the line is not below zero."""
    if line is None or line.accuracy is None:
        return ""
    compared = [(point, against) for point in points if (against := against_line(point, line)) is not None]
    if not compared:
        return ""
    reached = next(((point, found) for point, found in compared if found.high >= 0), None)
    said = f"the {asked.recipe} recipe without labels ({_accuracy(line)})"
    rule = "kNN accuracy itself reads the labels of all train texts, for both."
    if reached is None:
        most, found = compared[-1]
        return f"Not reached: with {most.usable_texts:,.0f} labelled texts still {_points(found)} below {said}. {rule}"
    point, found = reached
    number = f"{point.usable_texts:,.0f} labelled texts"
    first = " or fewer: it is the smallest number tried" if point is points[0] else ""
    return f"{number}{first} match {said}: {_points(found)}, the smallest whose interval is not below it. {rule}"


def against_line(point: Point, line: Point) -> Difference | None:
    """The difference to the line, paired by test text and, in order, by seed; None without both."""
    ours = {each.seed: each.run for each in point.finished}
    theirs = {each.seed: each.run for each in line.finished}
    shared = [seed for seed in ours if seed in theirs]
    one = right_texts([opened_run(ours[seed]) for seed in shared])
    other = right_texts([opened_run(theirs[seed]) for seed in shared])
    if one is None or other is None or not np.array_equal(one[0], other[0]):
        return None
    return pooled_seeds(one[1].astype(int) - other[1].astype(int))


def _phases(points: list[Point]) -> str:
    done = [point for point in points if point.accuracy is not None]
    said = [f"{point.name} {_share(point.before)} → {_share(point.accuracy)}" for point in done]
    return f"After the first phase → after both, measured on this corpus: {'; '.join(said)}." if done else ""


def _span(points: list[Point]) -> str:
    done = [point for point in points if point.accuracy is not None]
    if len(done) < 2:
        return ""
    return f"From {done[0].name} to {done[-1].name}: kNN accuracy {_accuracy(done[0])} to {_accuracy(done[-1])}."


def _points(found: Difference) -> str:
    return told(found)


def _accuracy(point: Point) -> str:
    return f"{_share(point.accuracy)} ± {100 * point.error:.1f}"


def _share(value: float | None) -> str:
    """``58.9 %``; empty where a value is no share (ranks judge by other numbers)."""
    return "" if value is None or not 0 <= value <= 1 else f"{100 * value:.1f} %"
