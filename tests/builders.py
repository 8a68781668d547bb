"""What a worker would have left, made of nothing: a run's result with its values by both distances, its state, rows."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.jobs.progress import TUNING, note_stage
from embedlab.measurement import ByDistance, Change, LayerValue, Measurement, as_row, share_error
from embedlab.metrics.layer_rows import LayerAccuracy, LayerCurves, LayerResult, LayerRow
from embedlab.runs.benchmark_scores import SetScores
from embedlab.runs.curve import LiveFacts
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.predictions import write_predictions
from embedlab.runs.reference_lines import ReferenceLine
from embedlab.runs.result import Development, Folds, Knn, RunResult, WithVerdict, read_result, write_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import append_row, create_run, stored_request
from embedlab.store_root import write_json

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)  # a worker
SIDES = ("before", "after", "best")
CHANGE = (0.2, 0.1, 0.3)


def both(euclidean, cosine=None) -> ByDistance:
    """Two things as one by distance; the same by both, where cosine's is left out."""
    return ByDistance(euclidean, euclidean if cosine is None else cosine)


def shares(euclidean: float, cosine: float | None = None, *, n: int = 12) -> ByDistance[Measurement]:
    """Shares of so many texts, with their binomial errors."""
    found = (euclidean, euclidean if cosine is None else cosine)
    return both(*(Measurement(value=each, error=share_error(each, n), n=n) for each in found))


def knn(euclidean: Sequence[float], cosine: Sequence[float] | None = None, *, n: int = 12, **facts) -> Knn:
    """kNN accuracy ``(before, after, best)``, the best one being the last where it is left out."""
    one, other = (_sides(each) for each in (euclidean, cosine or euclidean))
    return Knn(**{side: shares(one[side], other[side], n=n) for side in SIDES}, **facts)


def change(difference: float, low: float, high: float) -> Change:
    """A difference with its interval."""
    return Change(difference=difference, low=low, high=high)


def judged(
    change_: Sequence[float] | None = CHANGE, against: Mapping[str, Sequence[float]] | None = None
) -> WithVerdict:
    """One distance's verdict: ``(difference, low, high)``, and the same against each reference line."""
    points = None if change_ is None else change(*change_)
    return WithVerdict(change=points, against={name: change(*each) for name, each in (against or {}).items()})


def line(euclidean: float, cosine: float | None = None, *, n: int = 12, **facts) -> ReferenceLine:
    """TF-IDF or SVD."""
    known = {"counted": "words", "k": 10, "zero_vectors": 0, "protocol": "paper", **facts}
    return ReferenceLine(measured=shares(euclidean, cosine, n=n), **known)


def lines(n: int = 12, **values: float | Sequence[float]) -> dict[str, ReferenceLine]:
    """``lines(tfidf=0.7, svd=(0.65, 0.66))``: by Euclidean distance, or by that and cosine."""
    return {name: line(*(value if isinstance(value, tuple) else (value,)), n=n) for name, value in values.items()}


def development(before: float, after: float | Sequence[float], *, n: int = 100, step: int = 10) -> Development:
    """``after``: by Euclidean distance, or by that and cosine."""
    opened = after if isinstance(after, tuple) else (after,)
    return Development(before=shares(before, n=n), after=shares(*opened, n=n), step=step)


def folds(before: float, after: float, *, n: int = 120, **more) -> Folds:
    """Ten folds, the same by both distances."""
    return Folds(before=shares(before, n=n), after=shares(after, n=n), judged=both(judged(**more)))


def leave_result(run: RunFolder, corpus=None, **facts) -> RunResult:
    """The result of a run on this corpus: what it was asked for, and these facts."""
    asked = stored_request(run)
    about = {name: asked.settings[name] for name in ("encoder", "recipe") if name in asked.settings}
    if corpus is not None:
        info = corpus.info
        about["corpus"] = {
            "name": info.name, "texts": info.texts, "classes": len(info.classes), "fingerprint": info.fingerprint,
        }  # fmt: skip
    about["saw_labels"] = saw_labels(run)  # as far as what it starts from says it
    return _written(run, {"run": run.id, "name": asked.name, **about, **facts})


def change_result(run: RunFolder, **facts) -> RunResult:
    """The same result but for these facts."""
    return _written(run, {**read_result(run).model_dump(mode="json", exclude_unset=True), **facts})


def _written(run: RunFolder, values: dict) -> RunResult:
    result = RunResult.model_validate(values)
    write_result(run, result)
    return result


def leave_state(run: RunFolder, state: State | str = State.FINISHED, corpus=None, **facts) -> None:
    """Where a run or job stands, on this corpus."""
    write_state(run, State(state), **({} if corpus is None else {"fingerprint": corpus.fingerprint}), **facts)


def finished(corpus=None, *, task: str = "train", name: str = "", state: str = "finished", **settings) -> RunFolder:
    """A run or job that is over, or in another state, without a result."""
    asked = {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"} if corpus is not None else {}
    run = create_run(task, {**asked, **settings}, name=name)
    leave_state(run, state, corpus)
    return run


def leave_stages(run: RunFolder, *, tuning: float, seconds: float) -> dict[str, str]:
    """What its worker did when: 5 seconds of opening, so many of fine-tuning, the rest up to ``seconds`` of embedding.

    When it started and ended, for its state.
    """
    for kind, after in (("Opening the corpus", 0), (TUNING, 5), ("Embedding N texts, fine-tuned", 5 + tuning)):
        note_stage(run, kind, BEGAN.timestamp() + after)
    return {"started": BEGAN.isoformat(), "ended": (BEGAN + timedelta(seconds=seconds)).isoformat()}


def leave_point(run: RunFolder, step: int, euclidean: float | None, cosine: float | None = None, **facts) -> None:
    """A row of metrics.jsonl with kNN accuracy of ``test_texts``."""
    n = facts.get("test_texts", 12)
    found = None if euclidean is None else as_row(_without_n(shares(euclidean, cosine, n=n)))
    append_row(run.metrics, {"full": False, "step": step, "knn": found, **facts})


def leave_live(
    run: RunFolder, *, is_whole: bool = False, neighbors: int = 180, test_texts: int = 20, development_texts: int = 9,
    **values: float,
) -> None:  # fmt: skip
    """On which texts the live curve is measured, and reference lines on them: ``tfidf=0.55``."""
    counts = {"neighbors": neighbors, "test_texts": test_texts, "development_texts": development_texts}
    facts = LiveFacts(is_whole=is_whole, **counts, references=lines(n=test_texts, **values))
    write_json(run.live, facts.model_dump(mode="json"))


def leave_predictions(
    run: RunFolder, labels: Sequence[str], euclidean: Sequence, cosine: Sequence | None = None, *, rows=None, **named
) -> None:  # fmt: skip
    """What is said ``(before, after)`` of the test texts, which are the first rows; the same by both distances, where
    cosine's is left out.
    """
    texts = {"row": list(range(len(labels)) if rows is None else rows), "label": list(labels)}
    one, other = ({"before": before, "after": after} for before, after in (euclidean, cosine or euclidean))
    write_predictions(run.predictions, texts, both(one, other), **named)


def in_words(right: Sequence[bool]) -> list[str]:
    """What is said of texts with the label ``a``: that, or ``b`` of those that are not right."""
    return ["a" if each else "b" for each in right]


def length_facts(untouched: float, tuned: float) -> dict:
    """The contents of ``length.json``: four pairs of titles, and by how much each encoder moved."""
    spread = {"mean": 0.15, "std": 0.11}
    both = {name: {"before": spread, "after": spread} for name in ("untouched", "tuned")}
    kind = {"pairs": 4, "effective_copies": {"mean": 11.5, "min": 8.0, "max": 20.0}, **both}
    robustness = {
        "untouched": {"change": untouched, "auc_before": 0.75, "auc_after": 0.7},
        "tuned": {"change": tuned, "auc_before": 0.75, "auc_after": 0.75},
    }
    rest = {"copies": 100, "texts": "titles", "zero_vectors": 0, "flat_because": None}
    return {**kind, **rest, "same_label": kind, "robustness": robustness}


def layer_value(layer: int, pooling: str, before: float, after: float | None) -> LayerValue:
    """Two values after a layer, without an error."""
    return LayerValue(layer, pooling, *(None if each is None else Measurement(value=each) for each in (before, after)))


def layer_row(
    layer: int, pooling: str, before: Sequence[float], after: Sequence[float] | None, *, n: int = 12,
    linear: Mapping[str, float] | None = None,
) -> LayerRow:  # fmt: skip
    """A row of ``layers.json``: ``(Euclidean, cosine)`` of each encoder, errors of 2 and 1 points."""
    sides = {"before": (before, 0.02), "after": (after, 0.01)}
    states = {
        state: None if values is None else layer_state(values, error, n=n, linear=(linear or {}).get(state))
        for state, (values, error) in sides.items()
    }
    return LayerRow(layer=layer, pooling=pooling, **states)


def layers_of(rows: Sequence[LayerRow]) -> LayerCurves:
    """The contents of ``layers.json``, of a sample of 120 texts."""
    facts = {"protocol": "paper", "texts": 120, "of": 400, "test_texts": 12, "sampled": True}
    facts |= {"pooling": "mean", "flat_because": None}
    return LayerCurves(layers=rows, **facts)


def layer_state(
    values: Sequence[float], error: float, *, n: int = 12, gained: int = 0, lost: int = 0, linear: float | None = None
) -> LayerResult:
    """What was measured of an encoder after a layer: ``(Euclidean, cosine)``, the same counts by both."""
    found = both(*(LayerAccuracy(value=each, error=error, n=n, gained=gained, lost=lost) for each in values))
    probe = None if linear is None else Measurement(value=linear, error=0.03)
    return LayerResult(knn=found, zero_vectors=0, linear=probe)


def knn_row(euclidean: float, cosine: float | None = None) -> dict:
    """kNN accuracy as a frame of a film keeps it."""
    return {distance: {"value": value} for distance, value in _by(euclidean, cosine).items()}


def _by(euclidean: float, cosine: float | None) -> dict[Distance, float]:
    return {EUCLIDEAN: euclidean, COSINE: euclidean if cosine is None else cosine}


def _without_n(found: ByDistance[Measurement]) -> ByDistance[Measurement]:
    return ByDistance.of(lambda distance: found.by(distance).model_copy(update={"n": None}))


def _sides(values: Sequence[float]) -> dict[str, float]:
    return dict(zip(SIDES, values if len(values) == len(SIDES) else (*values, values[-1]), strict=True))


def set_scores(scores: dict[str, float], benchmark: str = "", encoder: str = "a" * 64, **more) -> SetScores:
    """What an encoder has reached on a benchmark, with nothing else to say unless it is given."""
    rest = {"title": "", "groups": {}, "average": None, "averaging": "", "tasks": 12} | more
    return SetScores(set=benchmark, encoder_hash=encoder, scores=scores, **rest)
