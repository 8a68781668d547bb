"""What was measured after a run: metrics with their units, diagnostics, and scores on public benchmarks.

The scores are stored by the encoder that got them: ``<store>/benchmarks/<hash>/``.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_arrays, read_model, read_model_if_whole, read_table
from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.measurement import ByDistance, Difference, of_each, shown_by
from embedlab.metrics import METRICS
from embedlab.metrics.base import MetricResult
from embedlab.metrics.layer_rows import LayerCurves
from embedlab.metrics.length_results import LengthFacts, ScoredLength
from embedlab.picture import Picture
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.store_root import (
    Json,
    UnreadableFile,
    alone,
    atomic_write,
    read_json_if_whole,
    store_root,
    write_json,
)

LABELS_UNREAD = "labels_unread"  # beside a value of an encoder trained with labels: measured without texts with those
DIFFERENCE = "difference"  # after minus before, in the place of a state
CORPUS = "corpus"  # the source of what the run's own labelled corpus measures; others are evaluation sets' fingerprints

_ENCODER_HASH = re.compile(r"[0-9a-f]{64}")
_TASK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
States = dict[str, MetricResult | Difference]


@dataclass(frozen=True)
class Evaluations:
    """A folder with ``evaluations.json`` and ``units/``, of a run or of a baseline next to its corpus.

    The states of a run are ``before`` and ``after``; a baseline has ``after`` only.
    """

    path: Path

    @property
    def file(self) -> Path:
        """``{"metrics": {source: {metric: {state: MetricResult}}}, "post": …}``; by distance: ``{"euclidean": …}``"""
        return RunFolder(self.path).evaluations

    def all(self) -> Json:
        """The whole file; empty if nothing was measured, or it cannot be read."""
        content = read_json_if_whole(self.file) or {}
        return {name: part for name, part in content.items() if isinstance(part, dict)}

    def values(self, source: str = CORPUS, distance: Distance = EUCLIDEAN) -> dict[str, States]:
        """``{metric: {state: MetricResult, difference: Difference}}`` on one source; ten folds are ``knn/cv10``.

        Of a metric that both distances measure by this one; nothing of one that is no part any more. Of a run that was
        trained on labels only what was measured on texts whose labels it had not read.
        """
        stored = self.all().get("metrics", {}).get(source)
        by_metric = {
            metric: {state: shown_by(each, distance) for state, each in states.items()}
            for metric, states in ((metric, _readable(states)) for metric, states in _items(stored))
            if states and metric.partition("/")[0] in METRICS
        }
        if source != CORPUS or not by_metric or not saw_labels(RunFolder(self.path)):
            return by_metric
        of_unread = {key: {**by_metric[key]} for key in by_metric if not key.endswith("/cv10")}
        for states in of_unread.values():
            if not all(each.facts.get(LABELS_UNREAD) for state, each in states.items() if state != DIFFERENCE):
                states.clear()
        return {key: states for key, states in of_unread.items() if states}

    def units(
        self, source: str, metric: str, state: str, distance: Distance = EUCLIDEAN
    ) -> dict[str, np.ndarray] | None:
        """The values by which two measurements are compared, or None if none were stored."""
        for file in (self._units(source, metric, state, distance), self._units(source, metric, state)):
            with suppress(UnreadableFile):
                return read_arrays(file)
        return None

    def keep(
        self, source: str, metric: str, state: str, values: MetricResult | ByDistance[MetricResult], **about: bool
    ) -> None:
        """Store one measurement and its facts, merged with what other jobs store at the same time."""
        for distance in DISTANCES if isinstance(values, ByDistance) else (None,):
            with atomic_write(self._units(source, metric, state, distance)) as temporary, open(temporary, "wb") as file:
                np.savez_compressed(file, **shown_by(values, distance).units)
        self._lay(source, metric, state, of_each(lambda each: _as_stored(each, about), values))

    def keep_difference(self, source: str, metric: str, change: Difference | ByDistance[Difference]) -> None:
        """Store after minus before with its interval, as the pseudo-state ``difference``."""
        self._lay(source, metric, DIFFERENCE, of_each(Difference.as_json, change))

    def keep_post(self, steps: Json) -> Json:
        """Store the results of post-processing steps with earlier ones; returns all of them."""
        with alone("evaluations"):
            content = self.all()
            content["post"] = {**content.get("post", {}), **steps}
            write_json(self.file, content)
            return content["post"]

    def _lay(self, source: str, metric: str, state: str, values: dict | ByDistance[dict]) -> None:
        values = vars(values) if isinstance(values, ByDistance) else values
        with alone("evaluations"):
            content = self.all()
            of_source = dict(_items(content.get("metrics", {}).get(source)))
            of_source[metric] = {**dict(_items(of_source.get(metric))), state: values}
            content["metrics"] = {**content.get("metrics", {}), source: of_source}
            write_json(self.file, content)

    def _units(self, source: str, metric: str, state: str, distance: Distance | None = None) -> Path:
        by = f"-{distance}" if distance is not None else ""
        return self.path / "units" / source / f"{metric.replace('/', '-')}-{state}{by}.npz"


def _as_stored(value: MetricResult, about: dict[str, bool]) -> Json:
    return value.model_copy(update={"facts": value.facts | about}).model_dump(exclude_defaults=True)


def _items(value: object) -> list[tuple[str, object]]:
    """The items of an object; empty for anything else."""
    return list(value.items()) if isinstance(value, dict) else []


def _readable(states: object) -> dict[str, Any]:
    """Unreadable entries count as not measured."""
    readable = {}
    for state, value in _items(states):
        with suppress(ValueError, KeyError, TypeError, AttributeError):  # a ValidationError is a ValueError
            readable[state] = _read(value, state)
    return readable


def _read(value: Any, state: str) -> MetricResult | Difference | ByDistance[Any]:
    if value.keys() == DISTANCES.keys():
        return ByDistance.of(lambda distance: _read(value[distance], state))
    return Difference.from_json(value) if state == DIFFERENCE else MetricResult.model_validate(value)


def measured_key(metric: str, protocol: str) -> str:
    """The key of a measurement: ``linear``, or ``linear/cv10``."""
    return metric if protocol == "paper" else f"{metric}/{protocol}"


def evaluations_of(run: RunFolder, dimensions: int | None = None) -> Evaluations:
    """What was measured on a run's vectors, or on the first ``dimensions`` of each, which are stored apart."""
    return Evaluations(run.path if dimensions is None else run.path / "dimensions" / str(dimensions))


def baseline_folder(fingerprint: str, source: str, key: str) -> Path:
    """The folder of a baseline's measurements, next to the corpus (by fingerprint) or the evaluation set."""
    measured_on = f"corpora/{fingerprint}" if source == CORPUS else f"sets/{source}"
    return store_root() / measured_on / "baselines" / key


def baselines_beside(run: RunFolder, fingerprint: str, source: str, key: str) -> Path:
    """The same, on the texts that this run is measured on: fewer, if it was trained with labels."""
    is_own = source == CORPUS and saw_labels(run)
    return run.path / "baselines" / key if is_own else baseline_folder(fingerprint, source, key)


def read_layers(run: RunFolder) -> LayerCurves | None:
    """None if a run's layers were not measured, or the file is damaged."""
    return read_model_if_whole(run.layers, LayerCurves)


def read_length(run: RunFolder) -> LengthFacts | None:
    """None if the length attack was not run, or one of its files is damaged."""
    try:
        read_table(run.similarities, ())
        return read_model(run.length, LengthFacts)
    except UnreadableFile:
        return None


def read_scored_length(run: RunFolder) -> ScoredLength | None:
    """None if no scored pairs were attacked, or the file is damaged."""
    return read_model_if_whole(run.length_scores, ScoredLength)


class Diagnosed(BaseModel):
    """One diagnostic of one run; what could not be measured has a ``reason`` in place of values."""

    model_config = ConfigDict(frozen=True)

    before: dict | None = None
    after: dict | None = None
    unit: str = ""
    sentence: str = ""
    fitted: str = ""  # which defaults were lowered for a long context
    reason: str = ""
    pictures: dict[str, list[Picture]] = {}  # of each state
    settings: dict = {}
    texts: list[str] = []  # those that were typed
    measured: str = ""

    def as_json(self, *, without: Collection[str] = ()) -> Json:
        """Under the keys of its file, only those that say something of it."""
        return self.model_dump(mode="json", exclude_unset=True, exclude=set(without))

    def number(self, name: str) -> tuple[float | None, float | None]:
        """One value, before and after."""
        before, after = (None if state is None else state.get(name) for state in (self.before, self.after))
        return before, after


def read_diagnosed(run: RunFolder, key: str) -> Diagnosed | None:
    """None if it was not measured, or the file is damaged."""
    return read_model_if_whole(run.diagnostic(key), Diagnosed)


def robustness_of(run: RunFolder) -> tuple[float | None, float | None]:
    """Untouched and fine-tuned: by how many standard deviations repetition moves their cosines."""
    stored = read_model_if_whole(run.length, LengthFacts)
    measured = {} if stored is None else {name: each.change for name, each in stored.robustness.items()}
    return measured.get("untouched"), measured.get("tuned")


def scores_folder(encoder_hash: str) -> Path:
    """The folder of one encoder's scores: never shared by two encoders, shared by the same encoder in two runs."""
    assert _ENCODER_HASH.fullmatch(encoder_hash), encoder_hash
    return store_root() / "benchmarks" / encoder_hash


def keep_score(encoder_hash: str, task: str, score: dict) -> None:
    """Store the score of one task, whole or not at all."""
    write_json(_file(encoder_hash, task), score)


def read_score(encoder_hash: str, task: str) -> Json | None:
    """The score of one task, or None if it was not measured."""
    return read_json_if_whole(_file(encoder_hash, task))


def keep_summary(encoder_hash: str, benchmark: str, summary: dict) -> None:
    """Store a set's summary so far: scores, groups, average, what is missing."""
    write_json(_summary(encoder_hash, benchmark), summary)


def read_summary(encoder_hash: str, benchmark: str) -> Json | None:
    """The same, or None if this set was not measured."""
    return read_json_if_whole(_summary(encoder_hash, benchmark))


def read_summaries(encoder_hash: str) -> list[Json]:
    """The summaries of every set that the encoder has scores for, by set."""
    folder = scores_folder(encoder_hash) / "sets"
    summaries = [read_json_if_whole(path) for path in sorted(folder.glob("*.json"))]
    return [summary for summary in summaries if summary and summary.get("scores")]


def keep_pointer(run: RunFolder, state: str, encoder_hash: str) -> None:
    """Store which encoder the run's ``before`` or ``after`` is."""
    write_json(run.benchmarks, {**(read_json_if_whole(run.benchmarks) or {}), state: encoder_hash})


def read_pointer(run: RunFolder, state: str) -> str | None:
    """Its hash, or None if no benchmark was requested for it."""
    return (read_json_if_whole(run.benchmarks) or {}).get(state)


def _file(encoder_hash: str, task: str) -> Path:
    assert _TASK_NAME.fullmatch(task), task
    return scores_folder(encoder_hash) / f"{task}.json"


def _summary(encoder_hash: str, benchmark: str) -> Path:
    assert _TASK_NAME.fullmatch(benchmark), benchmark
    return scores_folder(encoder_hash) / "sets" / f"{benchmark}.json"
