"""Results under the keys that the command line prints: Euclidean as in the papers, cosine under ``cosine``."""

from dataclasses import asdict
from typing import Any, TypeVar

import pyarrow as pa

from embedlab.comparison.best import ComparedGroup, Comparison
from embedlab.comparison.pivot import Pivot, PivotCell
from embedlab.comparison.siblings import TextsLeftOut
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.measurement import ByDistance, Difference, of_each
from embedlab.metrics.base import MetricResult
from embedlab.metrics.layer_rows import (
    STATES,
    VECTORS_OF_LAYERS,
    LayerCurves,
    LayerRow,
    best_layer,
    best_layers_sentence,
    texts_in_words,
)
from embedlab.metrics.per_class import VOTES, gained, lost, suspicious
from embedlab.report.verdict_words import folds_sentence, left_out_sentence, verdict_of
from embedlab.runs.predictions import Folds as PredictedFolds
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, split_accuracy_of

Json = dict[str, Any]  # one object of ``--json``
T = TypeVar("T")
MISTAKES = 20  # the most frequent that are printed


def printed(result: RunResult) -> Json:
    """The object printed by ``--json``, for any kind of run.

    ``verdict`` with ``outcome``, ``difference``, ``low``, ``high`` and ``against`` are by ten folds and cosine, as
    ``decided_by`` says; ``knn`` is on the paper's split, by Euclidean distance with cosine nested, and so is ``folds``.
    """
    values = result.model_dump(mode="json", exclude_unset=True)
    for name in ("judged_against", "judged"):
        values.pop(name, None)
    knn, development = result.knn, result.development
    values = _verdict(result, SHOWN_FIRST) | values
    parts: dict[Distance, Json] = {EUCLIDEAN: {}, COSINE: {}}
    for distance, of in parts.items():
        split = split_accuracy_of(result, distance)
        if knn is not None and split is not None:
            before, after, best = (side.by(distance) for side in (knn.before, knn.after, knn.best))
            errors = {"standard_error_before": before.error, "standard_error_best": best.error}
            of["knn"] = {"before": before.value, "after": after.value, "best": best.value}
            of["knn"] |= {"standard_error": after.error, **errors}
            of["knn"] |= {} if result.judged is None else _changes(split)
        if result.folds is not None and (folded := accuracy_of(result, distance)) is not None:
            of["folds"] = {"before": folded.before, "after": folded.after, "n": folded.test_texts}
            of["folds"] |= {"untested": result.folds.untested, **_changes(folded)}
            of["folds"] |= {"sentence": folds_sentence(result, distance)} if folded.change is not None else {}
        if development is not None:
            before, after = development.before.by(distance), development.after.by(distance)
            of["development"] = {"before": before.value, "after": after.value, "standard_error": after.error}
    values |= {name: part | {COSINE: parts[COSINE][name]} for name, part in parts[EUCLIDEAN].items()}
    if knn is not None:
        values["knn"] |= knn.model_dump(include={"protocol", "k", "zero_vectors"}) | {"test_texts": knn.test_texts}
    if development is not None:
        values["development"] = {"texts": development.after.either.n, "step": development.step} | values["development"]
    values["references"] = {}
    for name, line in result.references.items():
        measured = line.measured.by(EUCLIDEAN)
        numbers = {"value": measured.value, "standard_error": measured.error, "test_texts": measured.n}
        by = {"distance": EUCLIDEAN, COSINE: line.measured.by(COSINE).value}
        values["references"][name] = {**numbers, **line.model_dump(exclude={"measured"}), **by}
    return values


def printed_left_out(runs: TextsLeftOut | None) -> Json | None:
    """What two runs gain on the same test texts: ``read`` trained on them without labels, ``unread`` left them out.

    ``is_example``: both came with embedlab. None without such runs.
    """
    if runs is None or runs.unread.knn is None:
        return None
    facts = {
        "is_example": runs.is_example,
        "sentence": left_out_sentence(runs),
        "test_texts": runs.unread.knn.test_texts,
    }
    return facts | {"read": _on_test_texts(runs.read), "unread": _on_test_texts(runs.unread)}


def _on_test_texts(result: RunResult) -> Json:
    """The run's id, and its accuracy on the test texts of the paper's split; cosine nested."""
    euclidean, cosine = (_gain(split_accuracy_of(result, distance)) for distance in (EUCLIDEAN, COSINE))
    return {"run": result.run, **euclidean, COSINE: cosine}


def _gain(judged: Accuracy | None) -> Json:
    """Before, after and the change with its interval; empty without an accuracy."""
    if judged is None:
        return {}
    change = {} if judged.change is None else judged.change.model_dump()
    return {"before": judged.before, "after": judged.after, **change}


def _verdict(result: RunResult, distance: Distance) -> Json:
    """The run's one verdict, and what it is by; empty if nothing was trained."""
    judged, outcome = accuracy_of(result, distance), verdict_of(result, distance)
    if judged is None or outcome is None:
        return {}
    by = {"distance": distance, "protocol": judged.protocol, "n": judged.test_texts}
    return {"verdict": outcome.sentence, "outcome": outcome.outcome, **_changes(judged), "decided_by": by}


def _changes(judged: Accuracy) -> Json:
    """The change, if anything was trained, and the difference to each reference."""
    change = {} if judged.change is None else judged.change.model_dump()
    return change | {"against": {name: each.model_dump() for name, each in judged.against.items()}}


def printed_classes(folds: PredictedFolds) -> Json:
    """The classes over ten folds by one distance, the mistakes, and the rows gained, lost or suspicious."""
    doubted = None
    if not folds.of_test_texts:
        votes = folds.before_votes, folds.after_votes
        assert votes[0] is not None and votes[1] is not None, "stored with folds of all labeled texts"
        doubts = suspicious(**folds.predicted, before_votes=votes[0], after_votes=votes[1], at_least=VOTES)
        doubted = [
            {"row": int(folds.rows[position]), "label": folds.labels[position], "suggested": label}
            for position, label in zip(doubts.positions, doubts.suggested, strict=True)
        ]
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
        "suspicious": doubted,
    }


def key_of(name: str, distance: Distance) -> str:
    """The key of a number that both distances have: ``low`` and ``cosine_low``; the value itself is ``cosine``."""
    if distance == EUCLIDEAN:
        return name
    return COSINE if name == "value" else f"{COSINE}_{name}"


def printed_value(measured: MetricResult | ByDistance[MetricResult]) -> dict[str, float | str | None]:
    """The value of a metric, as ``evaluate`` prints it."""
    return _with_cosine(of_each(MetricResult.as_json, measured))


def printed_change(change: Difference | ByDistance[Difference]) -> dict[str, float | None]:
    """After minus before, or one encoder minus another: ``{difference, low, high, cosine_difference, …, n}``"""
    return _with_cosine(of_each(lambda each: each.as_json("difference"), change))


def _with_cosine(measured: dict[str, T] | ByDistance[dict[str, T]]) -> dict[str, T]:
    if not isinstance(measured, ByDistance):
        return measured
    names = ("value", "difference", "standard_error", "low", "high", "without_near_duplicates")  # the rest is the same
    by_cosine = {key_of(name, COSINE): measured.cosine[name] for name in names if name in measured.cosine}
    return measured.euclidean | by_cosine


class PrintedGroup(ComparedGroup, total=False):
    """Euclidean values, with those by cosine nested if the metric has both."""

    cosine: ComparedGroup


def printed_comparison(comparison: Comparison) -> dict[str, dict[str, PrintedGroup]]:
    """The comparison of ``compare_rows``."""
    return {
        metric: {
            group: each[EUCLIDEAN] | {COSINE: each[COSINE]} if COSINE in each else each
            for group, each in groups.items()
        }
        for metric, groups in comparison.items()
    }


def printed_layers(curves: LayerCurves) -> Json:
    """Return what ``layers --json`` prints: Euclidean numbers, with the cosine ones nested in each row.

    ``best``: for each distance the best layer with the encoder's own pooling, and the sentence about the best.
    ``protocol`` and ``test_texts`` are those of the run's result; ``texts`` of ``of`` labelled ones were measured.
    """
    best: Json = {}
    for distance in DISTANCES:
        best[distance] = {"sentence": best_layers_sentence(curves, distance=distance)}
        for state in reversed(STATES):
            layer = best_layer(curves, pooling=curves.own_pooling, state=state, distance=distance)
            if layer is not None:
                best[distance][state] = asdict(layer)
    rows = [{**_layer_row(row), COSINE: _layer_numbers(row, COSINE)} for row in curves.layers]
    facts = curves.model_dump(mode="json") | {"distance": EUCLIDEAN, "measured_on": texts_in_words(curves)}
    facts |= {"vectors": VECTORS_OF_LAYERS}
    return {**facts, "layers": rows, "best": best}


def layers_rows(curves: LayerCurves) -> pa.Table:
    """For the download: one row per layer and pooling, by both distances, with the standard errors."""
    rows = [
        _layer_row(row) | {f"{name}_{COSINE}": value for name, value in _layer_numbers(row, COSINE).items()}
        for row in curves.layers
    ]
    return pa.Table.from_pylist(rows)


def _layer_row(row: LayerRow) -> dict[str, float | str | None]:
    numbers = {"layer": row.layer, "pooling": row.pooling, **_layer_numbers(row, EUCLIDEAN)}
    for state, result in row.results.items():
        numbers[f"zero_vectors_{state}"] = result.zero_vectors
        if (linear := result.linear) is not None:
            numbers |= {f"linear_{state}": linear.value, f"linear_standard_error_{state}": linear.error}
    return numbers


def _layer_numbers(row: LayerRow, distance: Distance) -> dict[str, float | None]:
    """Those that depend on the distance; None ``before`` or ``after`` if there is no such encoder."""
    numbers: dict[str, float | None] = dict.fromkeys(STATES)
    for state, result in row.results.items():
        knn = result.knn.by(distance)
        numbers |= {state: knn.value, f"standard_error_{state}": knn.error}
        numbers |= {f"gained_{state}": knn.gained, f"lost_{state}": knn.lost}
    return numbers


def printed_curve(curve: Json | None) -> Json | None:
    """A diagnostic over the layers of one encoder; cosine as ``value_cosine``, …"""
    if curve is None:
        return None
    rows = []
    for row in curve["rows"]:
        numbers = {name: row[name] for name in ("layer", "pooling", "zero_vectors")}
        for distance, ending in ((EUCLIDEAN, ""), (COSINE, f"_{COSINE}")):
            of = row["knn"][distance]
            numbers |= {f"value{ending}": of["value"], f"standard_error{ending}": of["error"]}
            numbers |= {f"gained{ending}": of["gained"], f"lost{ending}": of["lost"]}
        if (linear := row.get("linear")) is not None:
            numbers |= {"linear": linear["value"], "linear_standard_error": linear["error"]}
        rows.append(numbers)
    return {**curve, "rows": rows}


def printed_pivot(pivot: Pivot) -> list[dict[str, str | float | dict[str, float | None] | None]]:
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


def _numbers(cell: PivotCell) -> dict[str, float | None]:
    return {"mean": cell.mean, "sd": cell.sd, "seeds": cell.seeds}
