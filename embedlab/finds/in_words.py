"""How a Find writes its candidates' titles and its numbers: accuracies in percent, a file's metrics unscaled."""

from embedlab.distance import DISTANCES, Distance
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.finds.model import KNN_ACCURACY
from embedlab.measurement import Change, Measurement
from embedlab.numbers import accuracy, in_percent, in_points, with_interval


def untouched_title(encoder: str) -> str:
    """``Words of the corpus, untouched``"""
    return f"{encoder_title(encoder)}, untouched"


def is_share(metric: str) -> bool:
    """Whether values of this metric are written in percent; correlations and nDCG are not."""
    return metric == KNN_ACCURACY


def metric_by(metric: str, distance: Distance) -> str:
    """``kNN accuracy by cosine``; other metrics do not name a distance."""
    return f"{metric} ({DISTANCES[distance]})" if is_share(metric) else metric


def value_line(metric: str, measured: Measurement | None) -> str:
    """``58.9 % ± 1.4``, for another metric ``0.812 ± 0.011``; a dash if nothing was measured."""
    if measured is None:
        return "–"
    if is_share(metric):
        return accuracy(measured.value, measured.error)
    return f"{measured.value:.3f}" + (f" ± {measured.error:.3f}" if measured.error else "")


def change_line(metric: str, change: Change) -> str:
    """``+2.2 points (95 %: −0.4 … 4.9)``, for another metric ``+0.022 (95 %: −0.004 … 0.049)``"""
    if is_share(metric):
        return in_points(change.difference, change.low, change.high)
    return with_interval(change.difference, change.low, change.high)


def in_unit(metric: str, number: float | None) -> float | None:
    """The value for a table cell."""
    return in_percent(number) if is_share(metric) else number


def unit_of(metric: str) -> tuple[str, str]:
    """The unit after the name of a column of values, and the name of its column of standard errors."""
    return (" (%)", "± (points)") if is_share(metric) else ("", "±")
