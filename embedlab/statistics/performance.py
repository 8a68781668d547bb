"""SemCSE's performance score: several tasks of several models on one scale (section 5.2, Table 1)."""

import numpy as np

from embedlab.errors import SettingsError

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
