"""What was measured of a run or a baseline: values by source, metric and state, and the units behind them."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from filelock import FileLock

from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.measurement import ByDistance, Difference, of_each, shown_by
from embedlab.metrics.base import MetricResult
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.store_root import atomic_write, make_folder, read_json, store_root, write_json

LABELS_UNREAD = "labels_unread"  # beside a value of an encoder trained with labels: measured without texts with those
DIFFERENCE = "difference"  # after minus before, in the place of a state
CORPUS = "corpus"  # the source of what the run's own labelled corpus measures; others are evaluation sets' fingerprints

States = dict[str, MetricResult | Difference]


@dataclass(frozen=True)
class Evaluations:
    """A folder with ``evaluations.json`` and ``units/``: a run's, or a baseline's beside its corpus.

    The states of a run are ``before`` and ``after``; a baseline has ``after`` only.
    """

    path: Path

    @property
    def file(self) -> Path:
        """``{"metrics": {source: {metric: {state: Measured}}}, "post": …}``; by distance: ``{"euclidean": …, …}``"""
        return RunFolder(self.path).evaluations

    def all(self) -> dict:
        """Everything in the file; empty while nothing was measured."""
        try:
            return read_json(self.file)
        except (FileNotFoundError, ValueError):
            return {}

    def values(self, source: str = CORPUS, distance: Distance = EUCLIDEAN) -> dict[str, States]:
        """``{metric: {state: Measured, difference: Difference}}`` on one source; by ten folds it is ``knn/cv10``.

        Of a metric that both distances measure by this one. Of a run that was trained on labels only what was measured
        on texts whose labels it had not read.
        """
        kept = self.all().get("metrics", {}).get(source, {})
        found = {
            metric: {state: shown_by(each, distance) for state, each in states.items()}
            for metric, states in ((metric, _readable(states)) for metric, states in kept.items())
            if states
        }
        if source != CORPUS or not found or not saw_labels(RunFolder(self.path)):
            return found
        of_unread = {key: {**found[key]} for key in found if not key.endswith("/cv10")}
        for states in of_unread.values():
            if not all(each.facts.get(LABELS_UNREAD) for state, each in states.items() if state != DIFFERENCE):
                states.clear()
        return {key: states for key, states in of_unread.items() if states}

    def units(
        self, source: str, metric: str, state: str, distance: Distance = EUCLIDEAN
    ) -> dict[str, np.ndarray] | None:
        """What two measurements are compared by, or None where nothing was kept."""
        for file in (self._units(source, metric, state, distance), self._units(source, metric, state)):
            try:
                with np.load(file, allow_pickle=False) as found:
                    return {name: found[name] for name in found.files}
            except (FileNotFoundError, ValueError):
                continue
        return None

    def keep(
        self, source: str, metric: str, state: str, found: MetricResult | ByDistance[MetricResult], **about: bool
    ) -> None:
        """One measurement and what else is true of it, laid beside what other jobs keep at the same time."""
        for distance in DISTANCES if isinstance(found, ByDistance) else (None,):
            with atomic_write(self._units(source, metric, state, distance)) as temporary, open(temporary, "wb") as file:
                np.savez_compressed(file, **shown_by(found, distance).units)
        self._lay(source, metric, state, of_each(lambda each: _as_kept(each, about), found))

    def keep_difference(self, source: str, metric: str, found: Difference | ByDistance[Difference]) -> None:
        """After minus before with its interval, as the pseudo-state ``difference``."""
        self._lay(source, metric, DIFFERENCE, of_each(Difference.as_json, found))

    def keep_post(self, steps: dict) -> dict:
        """What post-processing steps gave, beside earlier ones; all of them."""
        with _lock():
            known = self.all()
            known["post"] = {**known.get("post", {}), **steps}
            write_json(self.file, known)
            return known["post"]

    def _lay(self, source: str, metric: str, state: str, values: dict | ByDistance[dict]) -> None:
        values = vars(values) if isinstance(values, ByDistance) else values
        with _lock():
            known = self.all()
            known.setdefault("metrics", {}).setdefault(source, {}).setdefault(metric, {})[state] = values
            write_json(self.file, known)

    def _units(self, source: str, metric: str, state: str, distance: Distance | None = None) -> Path:
        by = f"-{distance}" if distance is not None else ""
        return self.path / "units" / source / f"{metric.replace('/', '-')}-{state}{by}.npz"


def _as_kept(found: MetricResult, about: dict[str, bool]) -> dict:
    return found.model_copy(update={"facts": found.facts | about}).model_dump(exclude_defaults=True)


def _readable(states: dict[str, dict]) -> dict:
    """What cannot be read counts as not measured."""
    found = {}
    for state, kept in states.items():
        with suppress(ValueError, KeyError, TypeError, AttributeError):  # a ValidationError is a ValueError
            found[state] = _read(kept, state)
    return found


def _read(kept: dict, state: str) -> MetricResult | Difference | ByDistance[MetricResult] | ByDistance[Difference]:
    if kept.keys() == DISTANCES.keys():
        return ByDistance.of(lambda distance: _read(kept[distance], state))
    return Difference.from_json(kept) if state == DIFFERENCE else MetricResult.model_validate(kept)


def measured_key(metric: str, protocol: str) -> str:
    """How a measurement is called: ``linear``, or ``linear/cv10``."""
    return metric if protocol == "paper" else f"{metric}/{protocol}"


def baseline_folder(fingerprint: str, source: str, key: str) -> Path:
    """Where a baseline's measurements lie: beside the corpus (of that fingerprint) or the set they were taken on."""
    place = f"corpora/{fingerprint}" if source == CORPUS else f"sets/{source}"
    return store_root() / place / "baselines" / key


def baselines_beside(run: RunFolder, fingerprint: str, source: str, key: str) -> Path:
    """The same, on the texts that this run is measured on: fewer, where it was trained with labels."""
    is_own = source == CORPUS and saw_labels(run)
    return run.path / "baselines" / key if is_own else baseline_folder(fingerprint, source, key)


def _lock() -> FileLock:
    locks = store_root() / "locks"
    make_folder(locks)
    return FileLock(locks / "evaluations.lock", timeout=30)
