"""A study's result in one sentence: the best value by development texts, the trend, or how many labels match."""

from collections.abc import Sequence
from math import hypot

import numpy as np

from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import Difference
from embedlab.numbers import joined, margin, percent
from embedlab.runs.store import run_if_readable
from embedlab.statistics.intervals import LEVEL, counted_shares, normal
from embedlab.statistics.seeds import pooled_seeds
from embedlab.statistics.separable import ERROR
from embedlab.studies import STUDIES
from embedlab.studies.kinds import MATCH_MARGIN, MATCH_MEANS
from embedlab.studies.plan import CORPUS, StudySettings
from embedlab.studies.points import DevelopedPoint, MeasuredPoint, StudyPoint, right_texts


def answer(design: StudySettings, points: list[StudyPoint], line: StudyPoint | None, distance: Distance) -> str:
    """The study's sentence for one distance, from the points so far; empty while there is nothing to say."""
    kind = STUDIES[design.kind]
    if kind.swept_recipe:
        return labels_needed(points, line, recipe=design.recipe, distance=distance)
    if design.series:
        return answer_of_series(design, points, distance)
    if kind.first_phase == "corpus":
        return _phases(points, distance)
    if kind.names_best:
        return best_value(design, points, distance)
    done = _measured(points)
    if len(done) < 2:
        return ""
    values = f"{_accuracy(done[0])} to {_accuracy(done[-1])}"
    return f"From {done[0].name} to {done[-1].name}: kNN accuracy {_by(distance)} {values}."


def answer_of_series(design: StudySettings, points: list[StudyPoint], distance: Distance) -> str:
    """The best value overall and of each series; where no value is chosen, each series' ends and their difference."""
    kind, series = STUDIES[design.kind], dict[str, list[StudyPoint]]()
    for point in points:
        series.setdefault(point.series_name, []).append(point)
    if design.series == CORPUS:  # accuracies on different texts have no best, and are not paired
        sentence = _best_of_each(design, series) if kind.names_best else _span_of_each(series, distance)
        return sentence.strip()
    if kind.names_best:
        best = best_value(design, points, distance)
        return f"{best}{_best_of_each(design, series)}" if best else ""
    if kind.first_phase == "corpus":
        sentences = {name: _phases(points, distance) for name, points in series.items()}
        sentence = " ".join(f"{name}: {each}" for name, each in sentences.items() if each)
    else:
        sentence = _span_of_each(series, distance)
    return f"{sentence}{_against_first(series, distance)}"


def label_of(point: StudyPoint) -> str:
    """``0.05``, or ``0.05, crops`` in a study with series."""
    return f"{point.name}, {point.series_name}" if point.series_name else point.name


def _best_of_each(design: StudySettings, series: dict[str, list[StudyPoint]]) -> str:
    """The best value by development texts for each series that has a complete point."""
    bests = []
    for name, points in series.items():
        if complete := _complete(design, points):
            best = max(complete, key=lambda point: point.development)
            bests.append(f"{name} {best.name} ({percent(best.development)})")
    return f" Of each by development texts: {'; '.join(bests)}." if len(bests) > 1 else ""


def _span_of_each(series: dict[str, list[StudyPoint]], distance: Distance) -> str:
    """``kNN accuracy by cosine: crops 49.2 % ± 2.0 at 500 to 72.8 % ± 1.5 at 8,000; …``"""
    spans = []
    for name, points in series.items():
        done = _measured(points)
        if len(done) > 1:
            first, *_, last = done
            spans.append(f"{name} {_accuracy(first)} at {first.name} to {_accuracy(last)} at {last.name}")
    return f"kNN accuracy {_by(distance)}: {'; '.join(spans)}." if spans else ""


def _against_first(series: dict[str, list[StudyPoint]], distance: Distance) -> str:
    """Each series minus the first, at the last value that all have, paired by test text and seed."""
    others = len(series) - 1
    rows = list(zip(*series.values(), strict=True))
    last = next((row for row in reversed(rows) if all(isinstance(point, MeasuredPoint) for point in row)), None)
    if last is None or others < 1:
        return ""
    level = 1 - ERROR / others
    differences = [
        f"{point.series_name} {change.points}"
        for point in last[1:]
        if (change := against_line(point, last[0], distance, level=level)) is not None
    ]
    if not differences:
        return ""
    together = ", all intervals together at 95 %" if len(differences) > 1 else ""
    return (
        f" At {last[0].name}, compared with {last[0].series_name} {_by(distance)}{together}: {'; '.join(differences)}."
    )


def _complete(design: StudySettings, points: Sequence[StudyPoint]) -> list[DevelopedPoint]:
    """Points for which every seed has a run with development accuracy."""
    return [each for each in points if isinstance(each, DevelopedPoint) and len(each.finished) == len(design.seeds)]


def _measured(points: Sequence[StudyPoint]) -> list[MeasuredPoint]:
    return [each for each in points if isinstance(each, MeasuredPoint)]


def best_value(design: StudySettings, points: list[StudyPoint], distance: Distance) -> str:
    """The value with the highest development accuracy (ties: the first), and those indistinguishable from it there.

    The test texts choose nothing.
    """
    complete = _complete(design, points)
    if not complete:
        return ""
    best = max(complete, key=lambda point: point.development)
    word = STUDIES[design.kind].word or design.setting
    left = len(points) - len(complete)
    things = "points" if design.series else "values"
    out = f" {left} of {len(points)} {things} are incomplete and not included." if left else ""
    judged = f"{percent(best.development)} {margin(best.development_error)} of {best.development_texts:,}"
    return (
        f"Best by development texts: {word} {label_of(best)} ({judged}, {DISTANCES[distance]}); kNN accuracy "
        f"{_by(distance)} {_accuracy(best)} on the test texts, which chose nothing.{_told_apart(best, complete)}{out}"
    )


def not_told_apart(best: DevelopedPoint, points: Sequence[DevelopedPoint]) -> list[DevelopedPoint]:
    """The other points whose development accuracy cannot be told apart from it.

    No development text was kept by itself, so the error of a difference is that of two separate samples: binomial, with
    the spread of the seeds. All differences together at 95 %, as rows of a table are told apart.
    """
    others = [point for point in points if point is not best]
    width = normal(1 - ERROR / max(len(others), 1))
    return [
        point
        for point in others
        if best.development - point.development <= width * hypot(best.development_error, point.development_error)
    ]


def _told_apart(best: DevelopedPoint, complete: list[DevelopedPoint]) -> str:
    alike = not_told_apart(best, complete)
    if len(complete) < 2:
        return ""
    how = "at 95 %, by the binomial error of the difference"
    if not alike:
        return f" It is clearly above the others there ({how})."
    names = f"{joined([label_of(point) for point in alike])} {'are' if len(alike) > 1 else 'is'}"
    return f" The choice is within the error: {names} not separable from it there ({how})."


def _phases(points: list[StudyPoint], distance: Distance) -> str:
    done = _measured(points)
    phases = "; ".join(f"{point.name} {percent(point.before)} → {percent(point.accuracy)}" for point in done)
    where = f"measured on this corpus, kNN accuracy {_by(distance)}"
    return f"After the first phase → after both, {where}: {phases}." if done else ""


def _by(distance: Distance) -> str:
    return f"({DISTANCES[distance]})"


def _accuracy(point: MeasuredPoint) -> str:
    return f"{percent(point.accuracy)} {margin(point.error)}"


RULE = f"Match means: {MATCH_MEANS}. For both, kNN accuracy itself uses the labels of all train texts."


def labels_needed(points: Sequence[StudyPoint], line: StudyPoint | None, *, recipe: str, distance: Distance) -> str:
    """The smallest number of labels that matches the line; if none does, by how much the best one misses it."""
    if not isinstance(line, MeasuredPoint):
        return ""
    differences = [
        (point, against) for point in _measured(points) if (against := against_line(point, line, distance)) is not None
    ]
    if not differences:
        return ""
    accuracy = f"{percent(line.accuracy)} {margin(line.error)}, {DISTANCES[distance]}"
    without = f"the {recipe} recipe without labels ({accuracy})"
    reached = next(((point, against) for point, against in differences if matches(against)), None)
    if reached is None:
        return f"{_not_reached(differences, without)} {RULE}"
    point, against = reached
    first = " or fewer, the smallest number tried," if point is points[0] else ""
    smallest = "" if first else ", the smallest number that does"
    return f"{point.usable_texts:,.0f} labeled texts{first} match {without}: {against.points}{smallest}. {RULE}"


def matches(difference: Difference) -> bool:
    """Whether the whole interval lies above the margin (non-inferiority); one that crosses it proves nothing."""
    return difference.low > -MATCH_MARGIN


def against_line(point: StudyPoint, line: StudyPoint, distance: Distance, *, level: float = LEVEL) -> Difference | None:
    """The difference to the line, paired by test text and, in order, by seed; None if either is missing."""
    ours = {each.seed: each.run for each in point.finished}
    theirs = {each.seed: each.run for each in line.finished}
    shared = [seed for seed in ours if seed in theirs]
    one = right_texts([run_if_readable(ours[seed]) for seed in shared], distance)
    other = right_texts([run_if_readable(theirs[seed]) for seed in shared], distance)
    if one is None or other is None or not np.array_equal(one[0], other[0]):
        return None
    return pooled_seeds(one[1].astype(int) - other[1].astype(int), level=level)


def _not_reached(differences: Sequence[tuple[MeasuredPoint, Difference]], without: str) -> str:
    most = max(point.usable_texts for point, _ in differences)
    point, against = max(differences, key=lambda each: each[1].low)
    misses = f"its lower bound misses {-100 * MATCH_MARGIN:g} points by {100 * (-MATCH_MARGIN - against.low):.1f}"
    alike = counted_shares(n=against.n, gained=0, lost=0)
    few = "" if matches(alike) else f" {against.n:,} test texts are too few: even equal encoders would not match."
    return (
        f"Not reached with up to {most:,.0f} labeled texts: the best, {point.usable_texts:,.0f}, is {against.points} "
        f"from {without}; {misses.replace('-', '−')}.{few}"
    )
