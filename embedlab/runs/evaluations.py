"""What was measured after a run: metrics with their units, post-processing steps, and diagnostics."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_arrays, read_model, read_model_if_whole, read_table
from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.measurement import ByDistance, Change, Difference, Measurement, of_each, shown_by
from embedlab.metrics import METRICS
from embedlab.metrics.base import MetricResult
from embedlab.metrics.layer_rows import LayerCurves
from embedlab.metrics.length_results import LengthFacts, ScoredLength
from embedlab.picture import Picture
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.store_root import Json, UnreadableFile, atomic_write, read_json_if_whole, store_root
from embedlab.update import update

LABELS_UNREAD = "labels_unread"  # beside a value of an encoder trained with labels: measured without texts with those
DIFFERENCE = "difference"  # after minus before, in the place of a state
CORPUS = "corpus"  # the source of what the run's own labelled corpus measures; others are evaluation sets' fingerprints

States = dict[str, MetricResult | Difference]


class StepResult(BaseModel):
    """kNN accuracy after a step of post-processing, and what the step used and found, which differs by step.

    A step that the embeddings do not allow has ``refused``, a sentence, in place of numbers.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    knn: ByDistance[Measurement] | None = None
    against_raw: ByDistance[Change] | None = None  # None for the raw embeddings
    k: int = 0
    remarks: list[str] = []
    bits_per_dimension: float | None = None  # of BERT-flow; before its first step:
    bits_per_dimension_start: float | None = None
    refused: str = ""


Post = dict[str, dict[str, StepResult]]  # ``raw`` and steps -> ``before`` or ``after``


class _WithPost(BaseModel):
    post: Post = {}


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
        return _parts(self.file)

    def values(self, source: str = CORPUS, distance: Distance = EUCLIDEAN) -> dict[str, States]:
        """``{metric: {state: MetricResult, difference: Difference}}`` on one source; ten folds are ``knn/cv10``.

        Of a metric that both distances measure by this one; nothing of one that is no part any more. Of a run that was
        trained on labels only what was measured on texts whose labels it had not read.
        """
        by_metric = {
            metric: readable
            for metric, states in _items(self.all().get("metrics", {}).get(source))
            if metric.partition("/")[0] in METRICS and (readable := _readable(states, distance))
        }
        if source != CORPUS or not by_metric or not saw_labels(RunFolder(self.path)):
            return by_metric
        return {
            key: states
            for key, states in by_metric.items()
            if not key.endswith("/cv10")
            and all(each.facts.get(LABELS_UNREAD) for each in states.values() if isinstance(each, MetricResult))
        }

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
        stored = of_each(lambda each: each.model_copy(update={"facts": each.facts | about}), values)
        self._lay(source, metric, state, of_each(lambda each: each.model_dump(exclude_defaults=True), stored))

    def keep_difference(self, source: str, metric: str, change: Difference | ByDistance[Difference]) -> None:
        """Store after minus before with its interval, as the pseudo-state ``difference``."""
        self._lay(source, metric, DIFFERENCE, of_each(Difference.as_json, change))

    def post(self) -> Post:
        """The results of post-processing steps; empty if none was measured, or they cannot be read."""
        content = read_model_if_whole(self.file, _WithPost)
        return {} if content is None else content.post

    def keep_post(self, steps: Post) -> None:
        """Store the results of post-processing steps with earlier ones."""
        new = _WithPost(post=steps).model_dump(exclude_unset=True)["post"]

        def changed(content: Json) -> Json:
            return {**content, "post": {**content.get("post", {}), **new}}

        update(self.file, changed, read=_parts)

    def _lay(self, source: str, metric: str, state: str, values: dict | ByDistance[dict]) -> None:
        values = vars(values) if isinstance(values, ByDistance) else values

        def changed(content: Json) -> Json:
            of_source = dict(_items(content.get("metrics", {}).get(source)))
            of_source[metric] = {**dict(_items(of_source.get(metric))), state: values}
            return {**content, "metrics": {**content.get("metrics", {}), source: of_source}}

        update(self.file, changed, read=_parts)

    def _units(self, source: str, metric: str, state: str, distance: Distance | None = None) -> Path:
        by = f"-{distance}" if distance is not None else ""
        return self.path / "units" / source / f"{metric.replace('/', '-')}-{state}{by}.npz"


def _parts(file: Path) -> Json:
    content = read_json_if_whole(file) or {}
    return {name: part for name, part in content.items() if isinstance(part, dict)}


def _items(value: object) -> list[tuple[str, Any]]:
    """The items of an object; empty for anything else."""
    return list(value.items()) if isinstance(value, dict) else []


def _readable(states: object, distance: Distance) -> States:
    """Unreadable entries count as not measured."""
    readable: States = {}
    for state, value in _items(states):
        with suppress(ValueError, KeyError, TypeError, AttributeError):  # a ValidationError is a ValueError
            value = value[distance] if value.keys() == DISTANCES.keys() else value
            readable[state] = Difference.from_json(value) if state == DIFFERENCE else MetricResult.model_validate(value)
    return readable


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
