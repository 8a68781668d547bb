"""The data of a run's curve: kNN accuracy by step, and that of earlier phases on one x axis.

``live.json``: on which texts the live curve is measured, and the reference lines on the same texts.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from embedlab.counting import WORDS
from embedlab.damage import read_model_if_whole
from embedlab.distance import Distance
from embedlab.measurement import CurvePoint, ResultPart, from_row
from embedlab.metrics.split import LiveTexts
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import MOST_PHASES
from embedlab.runs.reference_lines import ReferenceLine
from embedlab.runs.result import RunResult, counted_in, read_result, split_references_of
from embedlab.runs.state import read_state
from embedlab.runs.store import read_rows, run_if_readable, settings_of
from embedlab.store_root import Json, write_json

LIVE_DIAGNOSTICS = {  # measured at every live point of a few hundred texts, and drawn where a reader asks for one
    "effective_rank": "Effective rank",
    "uniformity": "Uniformity",
    "alignment": "Alignment",
    "mean_cosine": "Mean cosine",
    "hubness": "Hubness",
}


class LiveFacts(ResultPart):
    """The number of live texts, and the reference lines on the same queries and neighbors."""

    is_whole: bool
    neighbors: int
    test_texts: int
    development_texts: int
    references: dict[str, ReferenceLine]

    @property
    def counted(self) -> str:
        """What TF-IDF and SVD count: words or characters."""
        return next((line.counted for line in self.references.values()), WORDS)

    @property
    def where(self) -> str:
        """For a caption: the queries and the texts they search."""
        if self.is_whole:
            return f"all {self.test_texts:,} test texts among all {self.neighbors:,} labeled train texts"
        return f"a sample: {self.test_texts:,} test texts among {self.neighbors:,} labeled train texts"


def write_live(folder: RunFolder, texts: LiveTexts, references: dict[str, ReferenceLine]) -> None:
    """``references``: measured on these texts."""
    facts = LiveFacts(
        is_whole=texts.is_whole,
        neighbors=len(texts.neighbors),
        test_texts=len(texts.test),
        development_texts=len(texts.development),
        references=references,
    )
    write_json(folder.live, facts.model_dump(mode="json"))


def live_facts(folder: RunFolder) -> LiveFacts | None:
    """None for a run without a live curve of labelled texts."""
    return read_model_if_whole(folder.live, LiveFacts)


def curve_points(rows: Iterable[Json], distance: Distance, *, of: str = "") -> list[CurvePoint]:
    """The rows of metrics.jsonl with kNN accuracy, by this distance.

    ``of``: of the corpus, or as ``target_`` of the watched target.
    """
    return [
        CurvePoint(
            step=row["step"],
            knn=knn.by(distance).value,
            texts=row.get("texts", 0),
            seconds=row.get("seconds", 0.0),
            test_texts=row.get(f"{of}texts" if of else "test_texts", 0),
        )
        for row in rows
        if (knn := from_row(row.get(f"{of}knn"))) is not None
    ]


@dataclass(frozen=True)
class RunCurve:
    """The contents of one chart; only values measured on the same texts are drawn as comparable lines.

    ``line``: its first point is before training.
    ``references``: TF-IDF and SVD on the texts of the line. ``marks`` and ``reference_marks``: the final protocol's
    values, where its texts are others than the line's. ``distance`` is the one that all of them are by.
    """

    distance: Distance
    line: list[CurvePoint]
    marks: list[CurvePoint]
    references: dict[str, float]
    reference_marks: dict[str, float]
    where: str
    counted: str = WORDS  # by TF-IDF and SVD
    kept: int | None = None  # the step whose encoder is reported, where another one came after it


def curve_of(run: RunFolder, distance: Distance) -> RunCurve:
    """The curve so far, by this distance."""
    rows, result = read_rows(run.metrics), read_result(run)
    live, full = (
        curve_points((row for row in rows if bool(row.get("full")) is is_full), distance) for is_full in (False, True)
    )
    facts, final = live_facts(run), dict[str, float]()
    if result is not None:  # on all test texts
        final = {name: line.value for name, line in split_references_of(result, distance).items()}
    kept_step = None
    if result is not None and result.stopped and result.kept is not None and result.kept.step != result.steps:
        kept_step = result.kept.step
    tested = full[-1].test_texts if full else 0
    if facts is None:
        where = f"All {tested:,} test texts." if full else ""
    elif facts.is_whole:
        where = f"The curve and the reference lines use {facts.where}, the whole test part of the paper's split."
    else:
        ticks = "; the short amber marks at the end too" if final else ""
        marked = f" Diamonds: all {tested:,} test texts, among all labeled train texts{ticks}." if full else ""
        where = f"The curve and the reference lines use {facts.where}.{marked}"
    counted = facts.counted if facts is not None else WORDS if result is None else counted_in(result)
    if final or (facts is not None and facts.references):
        where += f" TF-IDF counts {counted}."
    if kept_step is not None:
        where += f" The ring marks step {kept_step:,}, whose encoder was kept and is reported."
    if where:
        where = " ".join(filter(None, [where, _result_sentence(run, result)]))
    if facts is not None:
        references = {name: line.measured.by(distance).value for name, line in facts.references.items()}
        if facts.is_whole:
            return RunCurve(distance, live or full, [], references, {}, where, counted, kept_step)
        return RunCurve(distance, live, full, references, final, where, counted, kept_step)
    return RunCurve(distance, full, [], final, {}, where, counted, kept_step)


def _result_sentence(run: RunFolder, result: RunResult | None) -> str:
    """What the run's result is measured on, which the last point of the curve is not; empty if it is not another."""
    if result is not None and result.folds is not None:
        tested = result.folds.after.either.n or 0
        return f"The result is another number: it tests {tested:,} labeled texts over ten folds, after training."
    if read_state(run).is_over:
        return ""
    return "These points are not the result, which is measured after training."


@dataclass(frozen=True)
class WatchedPhase:
    """The accuracy of the watched target during one run; steps count from the first phase on."""

    points: list[CurvePoint]
    is_whole: bool  # whether all train texts of the target are searched


def watched_phases(run: RunFolder, distance: Distance) -> list[WatchedPhase]:
    """First to last; empty for a run without a watched target. An earlier phase with another target is left out."""
    target = settings_of(run).get("target")
    if target is None:
        return []
    runs, encoder = [run], settings_of(run).get("encoder") or ""
    while encoder.startswith("run:") and len(runs) < MOST_PHASES:
        earlier = run_if_readable(encoder.removeprefix("run:"))
        if earlier is None or (settings := settings_of(earlier)).get("target") != target:
            break
        runs, encoder = [earlier, *runs], settings.get("encoder") or ""
    phases, began = [], 0
    for each in runs:
        rows = read_rows(each.metrics)
        points = [replace(point, step=point.step + began) for point in curve_points(rows, distance, of="target_")]
        phases.append(WatchedPhase(points, any(row.get("target_is_whole") for row in rows)))
        began = points[-1].step if points else began
    return phases
