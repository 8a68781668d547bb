"""Results under the keys that the command line prints: Euclidean as in the papers, cosine under ``cosine``."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from embedlab.comparison.pivot import Pivot, PivotCell
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, Distance
from embedlab.measurement import ByDistance, Difference, of_each
from embedlab.metrics.base import MetricResult
from embedlab.metrics.layer_rows import STATES, LayerCurves, LayerRow, best_layer, best_layers_sentence
from embedlab.metrics.per_class import gained, lost, suspicious
from embedlab.report.verdict_words import folds_sentence, verdict_sentence
from embedlab.runs.predictions import Folds as PredictedFolds
from embedlab.runs.reference_lines import ReferenceLine
from embedlab.runs.result import Development, Folds, Knn, RunResult, WithVerdict

Json = dict[str, Any]  # one object of ``--json``
# what the distances have each; the rest of a value is the same
_BY_EACH_DISTANCE = ("value", "difference", "standard_error", "low", "high", "without_near_duplicates")

MISTAKES = 20  # the most frequent that are printed


def printed(result: RunResult) -> Json:
    """The object printed by ``--json``, for any kind of run."""
    values = result.model_dump(mode="json", exclude_unset=True)
    for name in ("judged_against", "judged"):
        values.pop(name, None)
    if (judged := result.judged) is not None:
        values = _judged(judged.euclidean, verdict=verdict_sentence(result, EUCLIDEAN)) | values
    if (knn := result.knn) is not None:
        values["knn"] = _by_both(lambda distance: _knn(knn, distance)) | {
            **knn.model_dump(include={"protocol", "k", "zero_vectors"}),
            "test_texts": knn.test_texts,
        }
        if judged is not None:  # what chose the step was judged by cosine
            values["knn"][COSINE] |= _judged(judged.cosine, verdict=verdict_sentence(result, COSINE))
    if (folds := result.folds) is not None:
        values["folds"] = _by_both(lambda distance: _folds(folds, distance, folds_sentence(result, distance)))
    if (development := result.development) is not None:
        counts = {"texts": development.after.either.n, "step": development.step}
        values["development"] = counts | _by_both(lambda distance: _development(development, distance))
    return values | {"references": {name: _line(line) for name, line in result.references.items()}}


def _by_both(values_of: Callable[[Distance], Json]) -> Json:
    return values_of(EUCLIDEAN) | {COSINE: values_of(COSINE)}


def _knn(knn: Knn, distance: Distance) -> Json:
    before, after, best = (side.by(distance) for side in (knn.before, knn.after, knn.best))
    errors = {"standard_error": after.error, "standard_error_before": before.error, "standard_error_best": best.error}
    return {"before": before.value, "after": after.value, "best": best.value, **errors}


def _folds(folds: Folds, distance: Distance, sentence: str) -> Json:
    before, after = folds.before.by(distance), folds.after.by(distance)
    judged = _judged(folds.judged.by(distance), sentence=sentence)
    return {"before": before.value, "after": after.value, "n": after.n, **judged}


def _development(development: Development, distance: Distance) -> Json:
    before, after = development.before.by(distance), development.after.by(distance)
    return {"before": before.value, "after": after.value, "standard_error": after.error}


def _judged(judged: WithVerdict, **sentence: str) -> Json:
    """The judgement; without a change if nothing was trained."""
    values = {} if judged.change is None else {**judged.change.model_dump(), **sentence}
    return values | {"against": {name: change.model_dump() for name, change in judged.against.items()}}


def _line(line: ReferenceLine) -> Json:
    measured = line.measured.by(EUCLIDEAN)
    values = {"value": measured.value, "standard_error": measured.error, "test_texts": measured.n}
    facts = line.model_dump(include={"k", "zero_vectors", "protocol", "counted"})
    return {**values, **facts, "distance": EUCLIDEAN, COSINE: line.measured.by(COSINE).value}


def printed_classes(folds: PredictedFolds) -> Json:
    """The classes over ten folds by one distance, the mistakes, and the rows gained, lost or suspicious."""
    return {
        "classes": [
            {name: getattr(each, name) for name in ("label", "texts", "before", "after")}
            | {"difference": each.difference.value, "low": each.difference.low, "high": each.difference.high}
            for each in folds.classes
        ],
        "mistakes": [
            {name: getattr(each, name) for name in ("label", "taken_for", "before", "after")}
            for each in folds.mistakes(MISTAKES)
        ],
        "gained": folds.rows[gained(**folds.predicted)].tolist(),
        "lost": folds.rows[lost(**folds.predicted)].tolist(),
        "suspicious": None if folds.of_test_texts else _suspicious(folds),
    }


def _suspicious(folds: PredictedFolds) -> list[Json]:
    assert folds.before_votes is not None and folds.after_votes is not None, "stored with folds of all labeled texts"
    doubted = suspicious(
        labels=folds.labels,
        before=folds.before,
        before_votes=folds.before_votes,
        after=folds.after,
        after_votes=folds.after_votes,
    )
    return [
        {"row": int(folds.rows[position]), "label": folds.labels[position], "suggested": label}
        for position, label in zip(doubted.positions, doubted.suggested, strict=True)
    ]


def key_of(name: str, distance: Distance) -> str:
    """The key of a number that both distances have: ``low`` and ``cosine_low``; the value itself is ``cosine``."""
    if distance == EUCLIDEAN:
        return name
    return COSINE if name == "value" else f"{COSINE}_{name}"


def printed_value(measured: MetricResult | ByDistance[MetricResult]) -> Json:
    """The value of a metric, as ``evaluate`` prints it."""
    return _with_cosine(of_each(MetricResult.as_json, measured))


def printed_change(change: Difference | ByDistance[Difference]) -> Json:
    """After minus before, or one encoder minus another: ``{difference, low, high, cosine_difference, …, n}``"""
    return _with_cosine(of_each(lambda each: each.as_json("difference"), change))


def printed_comparison(comparison: Json) -> Json:
    """The comparison of ``compare_rows``."""
    return {
        metric: {
            group: {**each[EUCLIDEAN], COSINE: each[COSINE]} if COSINE in each else each
            for group, each in groups.items()
        }
        for metric, groups in comparison.items()
    }


def printed_layers(curves: LayerCurves) -> Json:
    """The measurements after every layer: Euclidean numbers, with the cosine ones nested in each row."""
    rows = [_layer_row(row) | {COSINE: _layer_numbers(row, COSINE)} for row in curves.layers]
    return {**curves.model_dump(mode="json"), "layers": rows}


def layers_rows(curves: LayerCurves) -> pa.Table:
    """For the download: one row per layer and pooling, by both distances, with the standard errors."""
    rows = [
        _layer_row(row) | {f"{name}_{COSINE}": value for name, value in _layer_numbers(row, COSINE).items()}
        for row in curves.layers
    ]
    return pa.Table.from_pylist(rows)


def _layer_row(row: LayerRow) -> Json:
    numbers = {"layer": row.layer, "pooling": row.pooling, **_layer_numbers(row, EUCLIDEAN)}
    for state, result in row.results.items():
        numbers[f"zero_vectors_{state}"] = result.zero_vectors
        if (linear := result.linear) is not None:
            numbers |= {f"linear_{state}": linear.value, f"linear_standard_error_{state}": linear.error}
    return numbers


def _layer_numbers(row: LayerRow, distance: Distance) -> Json:
    """Those that depend on the distance; None ``before`` or ``after`` if there is no such encoder."""
    numbers: Json = dict.fromkeys(STATES)
    for state, result in row.results.items():
        knn = result.knn.by(distance)
        numbers |= {state: knn.value, f"standard_error_{state}": knn.error}
        numbers |= {f"gained_{state}": knn.gained, f"lost_{state}": knn.lost}
    return numbers


def printed_best_layers(curves: LayerCurves) -> Json:
    """For each distance the best layer with the encoder's own pooling, and the sentence about the best."""
    best: Json = {}
    for distance in DISTANCES:
        best[distance] = {"sentence": best_layers_sentence(curves, distance=distance)}
        for state in reversed(STATES):
            layer = best_layer(curves, pooling=curves.own_pooling, state=state, distance=distance)
            if layer is not None:
                best[distance][state] = asdict(layer)
    return best


def printed_curve(curve: Json | None) -> Json | None:
    """A diagnostic over the layers of one encoder; cosine as ``value_cosine``, …"""
    return None if curve is None else {**curve, "rows": [_curve_row(row) for row in curve["rows"]]}


def _curve_row(row: Json) -> Json:
    names = {"value": "value", "error": "standard_error", "gained": "gained", "lost": "lost"}
    knn, linear = row["knn"], row.get("linear")
    return {
        **{name: row[name] for name in ("layer", "pooling", "zero_vectors")},
        **{names[name]: knn[EUCLIDEAN][name] for name in names},
        **{f"{names[name]}_{COSINE}": knn[COSINE][name] for name in names},
        **({} if linear is None else {"linear": linear["value"], "linear_standard_error": linear["error"]}),
    }


def _with_cosine(measured: Json | ByDistance[Json]) -> Json:
    if not isinstance(measured, ByDistance):
        return measured
    by_cosine = {key_of(name, COSINE): measured.cosine[name] for name in _BY_EACH_DISTANCE if name in measured.cosine}
    return measured.euclidean | by_cosine


def printed_pivot(pivot: Pivot) -> list[Json]:
    """Recipes by corpus for one metric."""
    return [
        {
            "encoder": line[0],
            "recipe": line[1],
            "corpus": corpus,
            "corpus_name": pivot.corpora[corpus],
            **_numbers(cell),
            **({"cosine": _numbers(by_cosine) if by_cosine else None} if pivot.is_by_both else {}),
            "published": cell.published.share if cell.published else None,
            "published_in": f"{cell.published.paper}, {cell.published.table}" if cell.published else None,
        }
        for line, by_corpus in pivot.cells.items()
        for corpus, cell in by_corpus.items()
        for by_cosine in [pivot.cell(line, corpus, COSINE)]
    ]


def _numbers(cell: PivotCell) -> Json:
    return {"mean": cell.mean, "sd": cell.sd, "seeds": cell.seeds}
