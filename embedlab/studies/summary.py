"""Everything about a study: its state, its points and sentence by each distance; its table, also as CSV."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.errors import EmbedlabError
from embedlab.jobs.campaigns import asked_of, created, state_of
from embedlab.measurement import ByDistance
from embedlab.numbers import ago, in_percent
from embedlab.runs.result import counted_in, read_result, split_references_of
from embedlab.runs.state import State, read_state
from embedlab.runs.store import run_if_readable
from embedlab.studies import STUDIES
from embedlab.studies.answers import answer
from embedlab.studies.kinds import StudyKind
from embedlab.studies.plan import CORPUS, StudySettings, cells, corpus_names, series_name
from embedlab.studies.points import MeasuredPoint, StudyPoint, line_of, points_of
from embedlab.studies.store import Study, runs_of
from embedlab.table_files import as_csv_file, csv_of_rows

ROUNDING = 0.005  # of kNN accuracy: so much may the same untouched encoder differ from run to run


@dataclass(frozen=True)
class MeasuredStudy:
    """By one distance; ``references`` are TF-IDF, SVD and, if all values start alike, the untouched encoder.

    There are none until a run has finished, and none over several corpora: ``counted`` is then None, too.
    """

    points: list[StudyPoint]
    line: StudyPoint | None
    answer: str
    references: dict[str, float]
    counted: str | None

    @property
    def in_table(self) -> list[StudyPoint]:
        """The line that the points are compared with, if there is one, and the points."""
        return [*([self.line] if self.line else []), *self.points]

    @property
    def done(self) -> list[MeasuredPoint]:
        """The points that have an accuracy."""
        return [point for point in self.points if isinstance(point, MeasuredPoint)]


@dataclass(frozen=True)
class StudySummary:
    """A study with what its runs have measured so far; ``corpus`` is the name, ``failure`` what its job died of."""

    study: Study
    design: StudySettings
    corpus: str
    state: State
    failure: str | None
    finished: int
    planned: int
    measured: ByDistance[MeasuredStudy]

    @property
    def kind(self) -> StudyKind:
        """Which figure of the papers it is."""
        return STUDIES[self.design.kind]

    @property
    def axis(self) -> str:
        """What is swept, in words."""
        return self.kind.axis or self.design.setting

    @property
    def series_names(self) -> tuple[str, ...]:
        """The lines of a second swept setting, if there is one."""
        return tuple(series_name(self.design, each) for each in self.design.series_values) if self.design.series else ()

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the study's own runs; None until one has finished, or when none is left."""
        took = [each.seconds for point in self.measured.either.points for each in point.finished]
        left = self.planned - self.finished
        return fmean(took) * left if took and left else None

    @property
    def errors(self) -> str:
        """What the error bars of kNN accuracy show, for the caption."""
        done = self.measured.either.done
        if not done:
            return ""
        tested = sorted({point.test_texts for point in done})
        n = f"{tested[0]:,}" if len(tested) == 1 else f"{tested[0]:,} to {tested[-1]:,}"
        most = max(len(point.finished) for point in done)
        if most == 1:
            return f"Bars: one binomial standard error of one run on {n} test texts."
        return (
            f"Points: means of up to {most} seeds (dots). Bars: one standard error of the mean, from the {n} test "
            "texts and the spread of the seeds together."
        )


def summary(study: Study) -> StudySummary:
    """What there is now; grows as runs finish."""
    design, facts, run_ids = asked_of(study), state_of(study), runs_of(study)
    planned = cells(design)
    runs = [run_if_readable(run_ids.get(cell.key)) for cell in planned]
    finished = sum(run is not None and read_state(run).state is State.FINISHED for run in runs)
    is_over = finished == len(planned) and facts.state.is_over  # whatever became of its last job
    return StudySummary(
        study=study,
        design=design,
        corpus=corpus_names().get(design.corpus, design.corpus),
        state=State.FINISHED if is_over else facts.state,
        failure=facts.error.message if facts.error else None,
        finished=finished,
        planned=len(planned),
        measured=ByDistance.of(lambda distance: _measured(study, design, distance)),
    )


def _measured(study: Study, design: StudySettings, distance: Distance) -> MeasuredStudy:
    kind, points = STUDIES[design.kind], points_of(study, design, distance)
    line = line_of(study, design, distance) if kind.swept_recipe else None
    sentence = answer(design, points, line, distance)
    if design.series == CORPUS:  # each has lines of its own
        return MeasuredStudy(points, line, sentence, references={}, counted=None)
    finished = [each for point in points for each in point.finished]
    runs = [run_if_readable(each.run) for each in finished[:1]]
    results = [result for run in runs if run is not None and (result := read_result(run)) is not None]
    lines = {name: line.value for each in results for name, line in split_references_of(each, distance).items()}
    if kind.untouched_is_one and finished:
        befores: dict[int, list[float]] = {}  # by seed, alike if all runs began with one encoder and pooling
        for each in finished:
            befores.setdefault(each.seed, []).append(each.before)
        if all(max(values) - min(values) <= ROUNDING for values in befores.values()):
            lines["untouched"] = fmean(each.before for each in finished)
    return MeasuredStudy(points, line, sentence, lines, counted=next(map(counted_in, results), WORDS))


_NUMBERS = {
    "kNN after, {} (%)": "accuracy",
    "±, {} (points)": "error",
    "95 % low, {}": "low",
    "95 % high, {}": "high",
    "sd of seeds, {}": "sd",
    "kNN before, {} (%)": "before",
    "development, {} (%)": "development",
    "± of development, {} (points)": "development_error",
}


def rows_of(report: StudySummary, *distances: Distance) -> list[dict[str, str | float | None]]:
    """The table of a summary: one row per value, numbers by each of these distances, gaps with their reason."""
    rows = zip(*(report.measured.by(distance).in_table for distance in distances), strict=True)
    return [_row(dict(zip(distances, row, strict=True)), has_series=bool(report.design.series)) for row in rows]


def column(number: str, distance: Distance) -> str:
    """The column name of a point's number: ``column("accuracy", "cosine")``."""
    return next(name for name, key in _NUMBERS.items() if key == number).format(DISTANCES[distance])


def csv_of(report: StudySummary, distance: Distance) -> bytes:
    """Numbers by both distances, this one first; cells that a spreadsheet would execute get an apostrophe."""
    rows = rows_of(report, distance, other_distance(distance))
    return as_csv_file(csv_of_rows([rows[0], *(row.values() for row in rows)]))


def _row(points: Mapping[Distance, StudyPoint], *, has_series: bool) -> dict[str, str | float | None]:
    """A line of the table; the numbers that a point lacks are empty."""
    point = next(iter(points.values()))
    measured = point if isinstance(point, MeasuredPoint) else None
    loss = measured.height("loss") if measured else None
    numbers = {
        column(key, distance): in_percent(getattr(each, key, None))
        for distance, each in points.items()
        for key in _NUMBERS.values()
    }
    return {
        "value": point.name,
        **({"series": point.series_name} if has_series else {}),
        **numbers,
        "final loss": loss.value if loss else None,
        "sd of final loss": loss.sd if loss else None,
        "steps": round(measured.steps) if measured else None,
        "usable texts": round(measured.usable_texts) if measured else None,
        "seeds": len(point.finished),
        "gaps": point.gaps,
    }


def study_line(study: Study, titles: dict[str, str], corpora: dict[str, str]) -> str:
    """``Temperature · docs · token · 5 min ago``; plain text, not Markdown."""
    try:
        settings = asked_of(study)
    except EmbedlabError:
        return f"{study.id} (unreadable)"
    what = titles.get(settings.kind, settings.kind) if settings.kind != "own" else settings.setting
    if settings.series:
        what += f" by {settings.series}"
    parts = [what, corpora.get(settings.corpus, settings.corpus), settings.encoder, ago(created(study))]
    return " · ".join(part for part in parts if part)


def accuracy_span(points: list[MeasuredPoint]) -> str:
    """``41.0 … 64.0 %``"""
    lowest, highest = (f"{100 * end(point.accuracy for point in points):.1f}" for end in (min, max))
    return f"{lowest} … {highest} %" if len(points) > 1 else f"{highest} %"


def span_explained(report: StudySummary, distance: Distance) -> str:
    """Explains the numbers, and gives the range by the other distance."""
    explained = "Of the points on the test texts; the named value is selected by the development texts."
    other = other_distance(distance)
    others = report.measured.by(other).done
    return f"{explained} ({DISTANCES[other]}): {accuracy_span(others)}." if others else explained
