"""What two phrase axes say in numbers: the mean of every class on each, and how far the axes agree."""

from dataclasses import dataclass

import numpy as np

HIGHEST = 3
FEWEST = 5  # texts of a class whose mean is named


@dataclass(frozen=True)
class AxesReading:
    """Of one side."""

    means: np.ndarray  # (2, classes), not a number where a class has no text with a vector
    sizes: np.ndarray  # (classes,)
    correlation: float  # Pearson's r of both cosines over all texts; not a number where one does not vary
    texts: int

    def highest(self, phrase: int, count: int = HIGHEST) -> list[int]:
        """The classes with the highest mean cosine to a phrase, highest first."""
        able = np.flatnonzero((self.sizes >= FEWEST) & np.isfinite(self.means[phrase]))
        return able[np.argsort(-self.means[phrase, able], kind="stable")][:count].tolist()


def read_axes(cosines: np.ndarray, groups: np.ndarray, classes: int) -> AxesReading:
    """cosines (2, texts), groups (texts,): the class of each, ``classes`` or more for none"""
    known = np.isfinite(cosines).all(axis=0)
    values, own = cosines[:, known].astype(np.float64), groups[known]
    in_class = own < classes
    sizes = np.bincount(own[in_class], minlength=classes)[:classes]
    sums = np.stack([np.bincount(own[in_class], each[in_class], minlength=classes)[:classes] for each in values])
    means = np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)
    varies = values.shape[1] > 1 and (np.ptp(values, axis=1) > 0).all()
    correlation = float(np.corrcoef(values)[0, 1]) if varies else float("nan")
    return AxesReading(means, sizes, correlation, values.shape[1])


def worth_naming(both: tuple[AxesReading, AxesReading], count: int) -> list[int]:
    """The same classes on both sides: in turn the highest on each axis, after first."""
    lists = [side.highest(phrase, count) for side in reversed(both) for phrase in (0, 1)]
    turns = [row for place in range(count) for each in lists for row in each[place : place + 1]]
    return list(dict.fromkeys(turns))[:count]
