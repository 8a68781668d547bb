"""A study as its figures and lines show it: one measure by one distance, by series or as the mean over its corpora."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from statistics import fmean, stdev

from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.figures.studies.drawn import Dot, DrawnPoint, DrawnStudy, DrawnValue
from embedlab.numbers import margin, percent
from embedlab.studies.measures import ACCURACY, MEASURES, Measure, measure_of
from embedlab.studies.points import MeasuredPoint, MeasuredSeed, StudyPoint
from embedlab.studies.request import scale_of
from embedlab.studies.summary import StudySummary
from embedlab.training.recipes import recipe_title

MEAN_LINE = (
    "Points: means over the corpora (dots), weighted equally; a value is drawn once all of them have it. Bars: one "
    "standard error of that mean, from the errors of each."
)


def seen_by(summary: StudySummary, distance: Distance, measure: str = ACCURACY) -> DrawnStudy:
    """The study by one distance with this measure up the y axis; only kNN accuracy has lines to compare with."""
    design, kind, chosen = summary.design, summary.kind, measure_of(measure)
    is_accuracy, other = measure == ACCURACY, other_distance(distance)
    measured, others = summary.measured.by(distance), summary.measured.by(other).points
    line = None if measured.line is None else _drawn(measured.line, chosen)
    has_first_phase = is_accuracy and kind.first_phase == "corpus"
    points = []
    for point, by_other in zip(measured.points, others, strict=True):
        words = ""
        if is_accuracy and isinstance(by_other, MeasuredPoint):
            words = f"({DISTANCES[other]}) {percent(by_other.accuracy)} {margin(by_other.error)}"
        points.append(_drawn(point, chosen, has_first_phase=has_first_phase, by_other=words))
    return DrawnStudy(
        id=summary.study.id,
        title=kind.title,
        corpus=summary.corpus,
        encoder=encoder_title(design.encoder),
        seeds=len(design.seeds),
        axis=summary.axis,
        scale=scale_of(kind, design.values),
        series_setting=design.series,
        series=summary.series_names,
        measure=measure,
        measure_title=chosen.title.format(by=f"({DISTANCES[distance]})"),
        unit=chosen.unit,
        points=tuple(points),
        line=line if isinstance(line, DrawnPoint) else None,
        references=measured.references if is_accuracy else {},
        counted=measured.counted or WORDS,
    )


def _drawn(point: StudyPoint, measure: Measure, *, has_first_phase: bool = False, by_other: str = "") -> DrawnValue:
    scale = 100 if measure.unit == "points" else 1

    def scaled(value: float | None) -> float | None:
        return None if value is None else scale * value

    dots = tuple(
        Dot(
            f"seed {seed.seed}",
            scaled(seed.height(measure.key)) if isinstance(seed, MeasuredSeed) else None,
            reason=seed.reason or "",
            is_over=seed.is_gap,
        )
        for seed in point.seeds
    )
    if not isinstance(point, MeasuredPoint):
        return DrawnValue(point.value, point.name, point.series_name, dots, steps=None, usable_texts=None)
    drawn = DrawnValue(point.value, point.name, point.series_name, dots, point.steps, point.usable_texts)
    if (mean := point.height(measure.key)) is None:
        return drawn
    return DrawnPoint(
        **vars(drawn),
        height=scale * mean.value,
        error=scaled(mean.error),
        sd=scaled(mean.sd),
        test_texts=point.test_texts,
        first_phase=point.before if has_first_phase else None,
        by_other=by_other,
    )


def averaged(study: DrawnStudy) -> DrawnStudy:
    """The study as a single line: for each value the mean over its corpora, equally weighted.

    A value is a gap until every corpus has it. The error is that of the mean over these corpora, by the errors of each;
    the sd that over them; dots are corpora.
    """
    return replace(
        study,
        view="mean",
        series=(),
        references={},
        measure_title=f"{study.measure_title}, mean of {len(study.series)} corpora",
        points=tuple(_mean([point for point in study.points if point.name == name]) for name in study.value_names),
    )


def _mean(points: Sequence[DrawnValue]) -> DrawnValue:
    done = [point for point in points if isinstance(point, DrawnPoint)]
    heights = {point.series_name: point.height for point in done}
    first = points[0]
    dots = tuple(Dot(point.series_name, heights.get(point.series_name)) for point in points)
    if len(done) < len(points):
        return DrawnValue(first.value, first.name, "", dots, first.steps, first.usable_texts)
    errors = [point.error for point in done if point.error is not None]
    return DrawnPoint(
        value=first.value,
        name=first.name,
        series_name="",
        dots=dots,
        steps=fmean(point.steps for point in done),
        usable_texts=fmean(point.usable_texts for point in done),
        height=fmean(heights.values()),
        error=sqrt(sum(each**2 for each in errors)) / len(errors) if len(errors) == len(done) else None,
        sd=stdev(heights.values()) if len(heights) > 1 else None,
        test_texts=sum(point.test_texts for point in done),
    )


def offered(summary: StudySummary, distance: Distance) -> tuple[list[Measure], list[str]]:
    """The measures that a study can show for one distance; once a run is done, a sentence for each that it cannot."""
    done, by = summary.measured.by(distance).done, f"({DISTANCES[distance]})"
    there = [each for each in MEASURES if each.key == ACCURACY or any(point.height(each.key) for point in done)]
    lacking = [f"{each.title.format(by=by)}: {each.lacks}." for each in MEASURES if done and each not in there]
    return there, lacking


def bars_of(study: DrawnStudy) -> str:
    """What the error bars show for this measure, for the caption; kNN accuracy has its own sentence."""
    seeds = max((sum(dot.height is not None for dot in point.dots) for point in study.points), default=0)
    if study.measure in ("difference", "development"):
        return "Bars: one standard error, from the texts and the spread of the seeds together."
    if seeds < 2:
        return "One seed each: no error."
    return f"Points: means of up to {seeds} seeds (dots). Bars: one standard error from the spread of the seeds alone."


def study_lines(report: StudySummary, distance: Distance) -> list[str]:
    """The lines of a study's summary."""
    design, measured = report.design, report.measured.by(distance)
    with_encoder = "" if design.series == "encoder" else f" with {encoder_title(design.encoder)}"
    by_recipe = "" if design.series == "recipe" else f", {recipe_title(design.recipe)}"
    head = f"{report.kind.title} on {report.corpus}{with_encoder}{by_recipe}"
    lines = [f"{head}: {report.state}, {report.finished} of {report.planned} runs", *design.notes]
    wide = max(len(point.series_name) for point in measured.in_table)
    lines += [f"kNN accuracy ({DISTANCES[distance]}):", *(_line(point, wide) for point in measured.in_table)]
    if design.is_over_corpora:
        lines.append(mean_sentence(seen_by(report, distance)))
    references = ", ".join(f"{name} {percent(value)}" for name, value in measured.references.items())
    return [*lines, *filter(None, (references, report.errors, measured.answer))]


def _line(point: StudyPoint, wide: int) -> str:
    """A point; if it is missing, the reason.  wide: the longest name of a series"""
    line_start = f"  {point.name:>12}" + (f"  {point.series_name:<{wide}}" if wide else "")
    if not isinstance(point, MeasuredPoint):
        return f"{line_start}  –  {point.gaps}"
    trained = f"{point.steps:,.0f} steps on {point.usable_texts:,.0f} usable texts"
    return f"{line_start}  {percent(point.accuracy)} {margin(point.error)}, {trained}  {point.gaps}".rstrip()


def mean_sentence(study: DrawnStudy) -> str:
    """``Mean of 3 corpora: 0.05 61.2 % ± 0.8 (sd over corpora 9.1) …``; empty while no value is complete."""
    scale = 100 if study.unit == "share" else 1
    values = [
        f"{point.name} {study.in_words(point.height, point.error)}"
        + (f" (sd over corpora {scale * point.sd:.1f})" if point.sd is not None else "")
        for point in averaged(study).done
    ]
    return f"Mean of {len(study.series)} corpora, weighted equally: {'; '.join(values)}." if values else ""
