"""kNN accuracy of a run by one distance, as every page, chart and file reads it from its result."""

from dataclasses import dataclass, field
from math import sqrt

from embedlab.figures.text import accuracy
from embedlab.metrics.by_distance import value_key
from embedlab.metrics.distance import COSINE, DISTANCES, EUCLIDEAN, Distance


@dataclass(frozen=True)
class Change:
    """A difference of shares with its 95 % interval (0.215 = 21.5 points)."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Accuracy:
    """Shares between 0 and 1 on the test texts: before training, and of the encoder that is opened.

    The encoder that is opened is the last one, after Stop or an early end the best one. ``distance`` is the one that
    the values are by: a run from before cosine was kept has Euclidean ones, whichever was asked for. ``change`` and
    ``verdict`` are None where nothing was trained or nothing was judged by this distance.
    """

    distance: Distance
    before: float
    after: float
    last: float  # of the last step, also where another encoder is opened
    standard_error_before: float
    standard_error: float
    test_texts: int
    k: int
    change: Change | None = None
    verdict: str | None = None
    against: dict[str, Change] = field(default_factory=dict)

    def said(self, side: str = "after") -> str:
        """``58.9 % ± 1.4 by cosine``, of the encoder ``before`` or of the one that is opened."""
        if side == "before":
            return f"{accuracy(self.before, self.standard_error_before)} by {DISTANCES[self.distance]}"
        return f"{accuracy(self.after, self.standard_error)} by {DISTANCES[self.distance]}"


def accuracy_of(result: dict | None, distance: Distance) -> Accuracy | None:
    """None of a run without a result or without kNN accuracy."""
    knn = (result or {}).get("knn")
    if not knn:
        return None
    is_best = bool(result.get("stopped"))
    by_cosine = knn.get(COSINE) or {}
    known = {"before", "best" if is_best else "after"} <= by_cosine.keys()
    distance = distance if known else EUCLIDEAN
    values, judged = (by_cosine, by_cosine) if distance == COSINE else (knn, result)
    after, tested = values["best" if is_best else "after"], knn["test_texts"]
    return Accuracy(
        distance=distance,
        before=values["before"],
        after=after,
        last=values["after"],
        standard_error_before=values.get("standard_error_before", _binomial(values["before"], tested)),
        standard_error=_binomial(after, tested),
        test_texts=tested,
        k=knn.get("k", 10),
        change=_change(judged),
        verdict=judged.get("verdict"),
        against={name: _change(line) for name, line in (judged.get("against") or {}).items()},
    )


def references_of(result: dict, distance: Distance) -> dict[str, tuple[float, float]]:
    """TF-IDF and SVD on the run's test texts: ``{tfidf: (value, standard error), svd: …}``."""
    lines = result.get("references") or {}
    return {
        name: (line.get(COSINE, line["value"]) if distance == COSINE else line["value"], line["standard_error"])
        for name, line in lines.items()
    }


def as_measured(result: dict | None) -> dict[str, dict]:
    """kNN accuracy as the run itself found it, in the form of its evaluations; empty without kNN accuracy.

    ``{before: {value, standard_error, cosine, …}, after: …, difference: {value, low, high, …}, tfidf: …, svd: …}``
    """
    states: dict[str, dict] = {}
    for distance in DISTANCES:
        told = accuracy_of(result, distance)
        if told is None or told.distance != distance:
            continue
        sides = {"before": (told.before, told.standard_error_before), "after": (told.after, told.standard_error)}
        for state, (value, error) in (sides | references_of(result, distance)).items():
            known = {value_key("value", distance): value, value_key("standard_error", distance): error}
            states[state] = {"test_texts": told.test_texts, **states.get(state, {}), **known}
        if told.change is not None:
            bounds = {"value": told.change.difference, "low": told.change.low, "high": told.change.high}
            known = {value_key(name, distance): number for name, number in bounds.items()}
            states["difference"] = {**states.get("difference", {}), **known}
    return states


def folds_told(result: dict, distance: Distance) -> dict | None:
    """What ten folds over all labelled texts found by this distance, else by Euclidean, where only that was kept."""
    folds = result.get("folds")
    return folds.get(COSINE, folds) if folds and distance == COSINE else folds


def _change(values: dict) -> Change | None:
    if values.get("difference") is None:
        return None
    return Change(values["difference"], values["low"], values["high"])


def _binomial(share: float, tested: int) -> float:
    return sqrt(share * (1 - share) / tested) if tested else 0.0
