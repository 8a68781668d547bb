"""Tables that the API returns: frozen rows that a type checker knows, and the same as a DataFrame or in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from embedlab.damage import read_table
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.figures.layers import layer_curves
from embedlab.figures.length import similarity_histograms
from embedlab.figures.notebook import Figure
from embedlab.metrics import METRICS
from embedlab.metrics.layer_rows import LayerCurves, best_layers_sentence, texts_in_words
from embedlab.metrics.length_results import LengthFacts
from embedlab.numbers import counted
from embedlab.report.length_words import cosines
from embedlab.runs.evaluations import DIFFERENCE, Evaluations
from embedlab.runs.folder import RunFolder

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

RowT = TypeVar("RowT")


@dataclass(frozen=True, repr=False)
class Table(Sequence[RowT], Generic[RowT]):
    """Rows in a fixed order; each field of a row is a column."""

    rows: tuple[RowT, ...]

    @overload
    def __getitem__(self, index: int) -> RowT: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RowT, ...]: ...
    def __getitem__(self, index: int | slice) -> RowT | tuple[RowT, ...]:
        """One row by its number from 0, or some."""
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RowT]:
        return iter(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        """One row per row, one column per field; None for a missing number."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])  # type: ignore[call-overload]  # rows are dataclasses

    def __repr__(self) -> str:
        return self.to_pandas().to_string(index=False) if self.rows else f"{type(self).__name__}: no rows"

    def _repr_html_(self) -> str:
        """For a notebook; names of classes, runs and texts are escaped."""
        return self.to_pandas().to_html(index=False, escape=True, border=0, na_rep="")


@dataclass(frozen=True)
class Score:
    """One metric of a run by one distance, before and after fine-tuning, in the metric's own unit.

    ``low`` and ``high`` are the 95 % interval of ``change`` over the ``n`` units that both share (test texts, pairs or
    queries), in ``METRICS[metric].range``. ``distance`` is None where no distance changes the metric.
    """

    metric: str
    title: str
    distance: Distance | None
    before: float | None
    after: float | None
    standard_error: float | None
    change: float | None
    low: float | None
    high: float | None
    n: int | None


class Scores(Table[Score]):
    """The results of ``evaluate``, metric by metric, cosine first."""


def scores_of(run: RunFolder, source: str, keys: Sequence[str], protocol: str) -> Scores:
    """The scores stored with a run for these metrics on one source."""
    rows = []
    for key in keys:
        metric = METRICS[key.partition("/")[0]]
        by_distance = {distance: Evaluations(run.path).values(source, distance).get(key, {}) for distance in DISTANCES}
        is_same = by_distance[EUCLIDEAN] == by_distance[SHOWN_FIRST] and metric.key != "knn"
        for distance, states in by_distance.items():
            if not states or (is_same and distance != EUCLIDEAN):
                continue
            before, after, change = states.get("before"), states.get("after"), states.get(DIFFERENCE)
            rows.append(
                Score(
                    metric=key,
                    title=metric.title,
                    distance=None if is_same else distance,
                    before=getattr(before, "value", None),
                    after=getattr(after, "value", None),
                    standard_error=getattr(after, "error", None),
                    change=getattr(change, "value", None),
                    low=getattr(change, "low", None),
                    high=getattr(change, "high", None),
                    n=getattr(after, "n", None),
                )
            )
    return Scores(tuple(rows))


@dataclass(frozen=True)
class ComparedRow:
    """One run, untouched encoder or baseline, by one metric and distance, on one corpus or evaluation set.

    ``mark`` says whether it is the best of its group or not separable from it at the family level of 5 %;
    ``to_best``, ``low`` and ``high`` are its difference from the best with its interval.
    """

    name: str
    kind: str
    corpus: str
    encoder: str | None
    recipe: str | None
    seed: int | None
    metric: str
    distance: Distance | None
    value: float
    standard_error: float | None
    n: int | None
    mark: str
    to_best: float | None
    low: float | None
    high: float | None
    key: str


class Comparison(Table[ComparedRow]):
    """What ``compare`` returns: metric by metric, with untouched encoders and baselines."""


@dataclass(frozen=True)
class LayerScore:
    """kNN accuracy after one layer by one distance and pooling: shares between 0 and 1, with binomial errors."""

    layer: int
    pooling: str
    distance: Distance
    before: float | None
    after: float | None
    standard_error_before: float | None
    standard_error_after: float | None


@dataclass(frozen=True, repr=False)
class Layers(Table[LayerScore]):
    """Layer by layer, from the token embeddings (0) up; ``best``: a sentence for each distance."""

    best: tuple[str, ...]
    test_texts: int
    note: str  # why there is only one layer to read, and which sample was measured; empty where there is neither
    curves: LayerCurves

    def figure(self, distance: Distance = SHOWN_FIRST) -> Figure:
        """The curves before and after by one distance, as a plotly figure."""
        return layer_curves(self.curves.knn(distance), measured=f"kNN accuracy ({DISTANCES[distance]})")


def layers_of(curves: LayerCurves) -> Layers:
    """The table of a run's ``layers.json``."""
    rows = tuple(
        LayerScore(
            layer=each.layer,
            pooling=each.pooling,
            distance=distance,
            before=getattr(each.before, "value", None),
            after=getattr(each.after, "value", None),
            standard_error_before=getattr(each.before, "error", None),
            standard_error_after=getattr(each.after, "error", None),
        )
        for distance in DISTANCES
        for each in curves.knn(distance)
    )
    sentences = tuple(best_layers_sentence(curves, distance=distance) for distance in DISTANCES)
    sample = f"Measured on {texts_in_words(curves)}." if curves.sampled else ""
    note = " ".join(filter(None, [curves.flat_because, sample]))
    return Layers(rows, sentences, curves.test_texts, note, curves)


@dataclass(frozen=True)
class AttackedEncoder:
    """Cosine similarities of random pairs of short texts, unchanged and with one text of each pair repeated."""

    encoder: str  # untouched or tuned
    pairs: int
    copies: int
    mean_before: float
    std_before: float
    mean_after: float
    std_after: float


@dataclass(frozen=True, repr=False)
class LengthAttack(Table[AttackedEncoder]):
    """The untouched and the fine-tuned encoder under the length attack of LA(SER)³."""

    cosines: Callable[[], dict[str, dict]]  # by encoder: before, after  (pairs,)
    note: str  # why repeating changes nothing; empty where it may

    def figure(self) -> Figure:
        """Histograms of the cosines before and after elongation, as a plotly figure."""
        cosines = self.cosines()
        copies = counted(self.rows[0].copies, "copy", "copies")
        return similarity_histograms(untouched=cosines["untouched"], tuned=cosines.get("tuned"), copies=copies)


def length_attack_of(run: RunFolder, attacked: LengthFacts) -> LengthAttack:
    """The table of a run's ``length.json``; its cosines are read when drawn."""
    rows = tuple(
        AttackedEncoder(
            encoder=encoder,
            pairs=attacked.pairs,
            copies=attacked.copies,
            mean_before=shift.before.mean,
            std_before=shift.before.std,
            mean_after=shift.after.mean,
            std_after=shift.after.std,
        )
        for encoder, shift in attacked.encoders.items()
    )
    return LengthAttack(rows, lambda: _cosines(run, attacked.encoders), attacked.flat_because or "")


def _cosines(run: RunFolder, encoders: Iterable[str]) -> dict[str, dict[str, np.ndarray]]:
    """Cosines of random pairs, by encoder. -> {untouched: {before: (pairs,), after: (pairs,)}, …}"""
    table = read_table(run.similarities)
    return {name: cosines(table, kind="random", encoder=name) for name in encoders}


@dataclass(frozen=True)
class CandidateRow:
    """One candidate of a Find: ``value`` on the texts that choose, by one distance; ``mark`` in the final order."""

    candidate: str
    kind: str
    encoder: str
    recipe: str
    state: str
    steps: int
    seconds: float
    distance: Distance | None
    value: float | None
    standard_error: float | None
    mark: str
    reason: str


class Leaderboard(Table[CandidateRow]):
    """Every candidate of a Find, best first."""
