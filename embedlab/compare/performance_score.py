"""SemCSE's performance score over the columns of a side-by-side table (section 5.2): one number a row, or why none."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from embedlab.compare.best import supervised
from embedlab.compare.columns.base import Column
from embedlab.compare.rows import ComparedRow
from embedlab.errors import SettingsError

TITLE = "performance score"


@dataclass(frozen=True)
class PerformanceScore:
    """``scores`` by the keys of rows, between 0 and 1; ``columns`` by which; ``why`` there are none."""

    scores: dict[str, float] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    why: str = ""

    @property
    def sentence(self) -> str:
        """For the note below the table."""
        if self.why:
            return self.why
        return (
            f"Performance score of SemCSE (section 5.2), over {'; '.join(self.columns)}: 1 is the best of the "
            f"{len(self.scores)} rows that have all of these in every column, 0.5 the median, 0 as far below it "
            f"again or farther. It depends on the other rows; a row trained with labels is left out unless all are."
        )


def performance_of(columns: Sequence[Column], rows: Sequence[ComparedRow]) -> PerformanceScore:
    """Over the columns with a good direction, a metric by one distance; of the rows that have a value in all.

    A row that was trained by labels, where others were not, is an upper bound and takes no part.
    """
    counted = [column for column in columns if column.counts and column.higher_is_better is not None]
    if not counted:
        return PerformanceScore(why="No performance score: no column says whether higher or lower is better.")
    keys = [row.key for row in rows if row.key not in supervised(list(rows))]
    whole = [key for key in keys if all(key in column.values for column in counted)]
    if len(whole) < FEWEST_MODELS:
        number = f"{len(whole)} row{'' if len(whole) == 1 else 's'}"
        return PerformanceScore(
            why=f"No performance score: it needs {FEWEST_MODELS} rows with a value in each of "
            f"{'; '.join(column.name for column in counted)}, but there {'is' if len(whole) == 1 else 'are'} {number}."
        )
    values = np.array([[column.values[key].value for column in counted] for key in whole])
    scores = performance(values, higher_is_better=[bool(column.higher_is_better) for column in counted])
    return PerformanceScore(dict(zip(whole, scores.tolist(), strict=True)), tuple(column.name for column in counted))


FEWEST_MODELS = 4


def performance(values: np.ndarray, *, higher_is_better: list[bool]) -> np.ndarray:
    """max(0, 1 − ½ (x − best) / (median − best)), mean over the tasks: 1 is the best at all, ½ the median, 0 the end.

    Depends on the compared models. Where the median is the best value, that scores 1 and others 0.
    values: (models, tasks) -> (models,)
    """
    values = np.asarray(values, float)
    if len(values) < FEWEST_MODELS:
        raise SettingsError(
            "E-FEW-MODELS",
            f"The performance score needs at least {FEWEST_MODELS} compared runs, but there are {len(values)}."
            " Choose more runs.",
        )
    best = np.where(higher_is_better, values.max(axis=0), values.min(axis=0))
    reach = np.median(values, axis=0) - best
    scores = np.maximum(0, 1 - (values - best) / np.where(reach == 0, 1, reach) / 2)
    return np.where(reach == 0, values == best, scores).mean(axis=1)
