"""What development texts say of a run of a study: values are chosen by them, never by the test texts."""

from dataclasses import dataclass

from embedlab.distance import COSINE, Distance
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult
from embedlab.runs.store import read_rows
from embedlab.statistics.intervals import share_error


@dataclass(frozen=True)
class Development:
    """kNN accuracy of development texts by the encoder that is opened; ``error`` is its binomial standard error.

    ``is_whole``: of the whole development part. A run from before that was kept has its last live sample's, Euclidean
    whichever distance was asked for; if it judged by ranks it has those, which are no share and have no ``error``.
    """

    value: float
    error: float | None
    texts: int | None
    is_whole: bool


def development_of(run: RunFolder, result: RunResult, distance: Distance) -> Development | None:
    """None where no development text was measured."""
    whole = result.development
    if whole is not None:
        values = whole.cosine if distance == COSINE else whole
        return Development(values.after, values.standard_error, whole.texts, True)
    return _of_the_live_sample(run, result)


def _of_the_live_sample(run: RunFolder, result: RunResult) -> Development | None:
    """At the step that was measured: the last one, or the best that was kept."""
    rows = [row for row in read_rows(run.metrics)[0] if not row.get("full") and row.get("development") is not None]
    best = None if result.kept is None else result.kept.best_development
    value = best if result.stopped else rows[-1]["development"] if rows else None
    if value is None:
        return None
    texts = (rows[-1].get("development_texts") if rows else None) or None
    if texts is None or not 0 <= value <= 1:
        return Development(value, None, None, False)
    return Development(value, share_error(value, texts), texts, False)
