"""How many labels match a recipe without labels: not more than a margin below it, with the whole interval."""

from collections.abc import Sequence

import numpy as np

from embedlab.distance import DISTANCES, Distance
from embedlab.statistics.intervals import LEVEL, Difference, counted_shares
from embedlab.statistics.seeds import pooled_seeds
from embedlab.studies.points import Point, right_texts
from embedlab.studies.sizes import MATCH_MARGIN, MATCH_MEANS
from embedlab.studies.store import opened_run

RULE = f"Match means: {MATCH_MEANS}. kNN accuracy itself reads the labels of all train texts, for both."


def labels_needed(points: Sequence[Point], line: Point | None, *, recipe: str, distance: Distance) -> str:
    """The smallest number of labels that matches the line, else by how much the best one misses it."""
    if line is None or line.accuracy is None:
        return ""
    found = [(point, against) for point in points if (against := against_line(point, line, distance)) is not None]
    if not found:
        return ""
    accuracy = f"{100 * line.accuracy:.1f} % ± {100 * line.error:.1f} by {DISTANCES[distance]}"
    without = f"the {recipe} recipe without labels ({accuracy})"
    reached = next(((point, against) for point, against in found if matches(against)), None)
    if reached is None:
        return f"{_not_reached(found, without)} {RULE}"
    point, against = reached
    first = " or fewer, the smallest number tried," if point is points[0] else ""
    smallest = "" if first else ", the smallest number that does"
    return f"{_labels(point)}{first} match {without}: {against.points}{smallest}. {RULE}"


def matches(found: Difference) -> bool:
    """Whether the whole interval lies above the margin (non-inferiority); one that reaches below it shows nothing."""
    return found.low > -MATCH_MARGIN


def against_line(point: Point, line: Point, distance: Distance, *, level: float = LEVEL) -> Difference | None:
    """The difference to the line, paired by test text and, in order, by seed; None without both."""
    ours = {each.seed: each.run for each in point.finished}
    theirs = {each.seed: each.run for each in line.finished}
    shared = [seed for seed in ours if seed in theirs]
    one = right_texts([opened_run(ours[seed]) for seed in shared], distance)
    other = right_texts([opened_run(theirs[seed]) for seed in shared], distance)
    if one is None or other is None or not np.array_equal(one[0], other[0]):
        return None
    return pooled_seeds(one[1].astype(int) - other[1].astype(int), level=level)


def _not_reached(found: Sequence[tuple[Point, Difference]], without: str) -> str:
    most = max(point.usable_texts for point, _ in found)
    point, against = max(found, key=lambda each: each[1].low)
    misses = f"its lower end misses {-100 * MATCH_MARGIN:g} points by {100 * (-MATCH_MARGIN - against.low):.1f}"
    alike = counted_shares(n=against.n, gained=0, lost=0)
    few = "" if matches(alike) else f" {against.n:,} test texts are too few: not even equal encoders would match."
    return (
        f"Not reached with up to {most:,.0f} labelled texts: the best, {point.usable_texts:,.0f}, lies "
        f"{against.points} "
        f"from {without}; {misses.replace('-', '−')}.{few}"
    )


def _labels(point: Point) -> str:
    return f"{point.usable_texts:,.0f} labelled texts"
