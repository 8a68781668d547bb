"""A run's result in the keys that the command line prints: Euclidean as in the papers, under ``cosine`` by cosine."""

from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.measurement import ByDistance, Measurement
from embedlab.runs.reference_lines import ReferenceLine
from embedlab.runs.result import Development, Folds, Judged, Knn, RunResult


def printed(result: RunResult) -> dict:
    """The object of ``--json``, of whatever the run was."""
    found = result.as_json()
    judged = found.pop("judged", None)
    if judged is not None:
        found = _judged(result.judged.euclidean, "verdict") | found
    if result.knn is not None:
        found["knn"] = _knn(result.knn, result.judged)
    if result.folds is not None:
        found["folds"] = {**_folds(result.folds, EUCLIDEAN), COSINE: _folds(result.folds, COSINE)}
    if result.development is not None:
        found["development"] = _development(result.development)
    return found | {"references": {name: _line(line) for name, line in result.references.items()}}


def _knn(knn: Knn, judged: ByDistance[Judged] | None) -> dict:
    sides = {name: getattr(knn, name) for name in ("before", "after", "best")}
    errors = {"standard_error": "after", "standard_error_before": "before", "standard_error_best": "best"}
    values = {
        distance: {name: side.by(distance).value for name, side in sides.items()}
        | {name: sides[side].by(distance).error for name, side in errors.items()}
        for distance in (EUCLIDEAN, COSINE)
    }
    values[COSINE] |= {} if judged is None else _judged(judged.cosine, "verdict")
    counts = {"test_texts": knn.test_texts, "k": knn.k, "zero_vectors": knn.zero_vectors}
    return {**values[EUCLIDEAN], COSINE: values[COSINE], "protocol": knn.protocol, **counts}


def _judged(judged: Judged, sentence: str) -> dict:
    """Without a change where nothing was trained."""
    told = {} if judged.change is None else {**judged.change.model_dump(), sentence: judged.sentence}
    return told | {"against": {name: change.model_dump() for name, change in judged.against.items()}}


def _folds(folds: Folds, distance: Distance) -> dict:
    before, after = folds.before.by(distance), folds.after.by(distance)
    judged = _judged(folds.judged.by(distance), "sentence")
    return {"before": before.value, "after": after.value, "n": after.n, **judged}


def _development(found: Development) -> dict:
    def values(distance: Distance) -> dict:
        after: Measurement = found.after.by(distance)
        return {"before": found.before.by(distance).value, "after": after.value, "standard_error": after.error}

    return {
        "texts": found.after.euclidean.n,
        "step": found.step,
        **values(EUCLIDEAN),
        COSINE: values(COSINE),
    }


def _line(line: ReferenceLine) -> dict:
    measured = line.measured.by(EUCLIDEAN)
    values = {"value": measured.value, "standard_error": measured.error, "test_texts": measured.n}
    facts = {name: getattr(line, name) for name in ("k", "zero_vectors", "protocol", "counted")}
    return {**values, **facts, "distance": EUCLIDEAN, COSINE: line.measured.by(COSINE).value}
