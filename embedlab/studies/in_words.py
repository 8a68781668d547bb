"""A study in lines of text: its whole summary, its name in a list, its mean over corpora, the range of its points."""

from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.errors import EmbedlabError
from embedlab.figures.studies.drawn import DrawnStudy
from embedlab.jobs.campaigns import asked_of, created
from embedlab.numbers import ago, percent
from embedlab.studies.drawing import averaged, seen_by
from embedlab.studies.points import MeasuredPoint
from embedlab.studies.store import Study
from embedlab.studies.summary import StudySummary, column, rows_of
from embedlab.training.recipes import recipe_title


def study_lines(report: StudySummary, distance: Distance) -> list[str]:
    """The lines of a study's summary."""
    design, measured = report.design, report.measured.by(distance)
    with_encoder = "" if design.series == "encoder" else f" with {encoder_title(design.encoder)}"
    by_recipe = "" if design.series == "recipe" else f", {recipe_title(design.recipe)}"
    head = f"{report.kind.title} on {report.corpus}{with_encoder}{by_recipe}"
    lines = [f"{head}: {report.state}, {report.finished} of {report.planned} runs", *design.notes]
    lines += [f"kNN accuracy ({DISTANCES[distance]}):", *_rows(report, distance)]
    if design.is_over_corpora:
        lines.append(mean_sentence(seen_by(report, distance)))
    references = ", ".join(f"{name} {percent(value)}" for name, value in measured.references.items())
    return [*lines, *filter(None, (references, report.errors, measured.answer))]


def _rows(report: StudySummary, distance: Distance) -> list[str]:
    """One line per point; if it is missing, the reason."""
    lines, rows = [], rows_of(report, distance)
    wide = max(len(row.get("series", "")) for row in rows)
    for row in rows:
        accuracy, error = (row[column(number, distance)] for number in ("accuracy", "error"))
        line_start = f"  {row['value']:>12}" + (f"  {row['series']:<{wide}}" if wide else "")
        if accuracy is None:
            lines.append(f"{line_start}  –  {row['gaps']}")
            continue
        accuracy_line = f"{accuracy:.1f} % ± {error:.1f}, {row['steps']:,} steps"
        lines.append(f"{line_start}  {accuracy_line} on {row['usable texts']:,} usable texts  {row['gaps']}".rstrip())
    return lines


def mean_sentence(study: DrawnStudy) -> str:
    """``Mean of 3 corpora: 0.05 61.2 % ± 0.8 (sd over corpora 9.1) …``; empty while no value is complete."""
    scale = 100 if study.unit == "share" else 1
    values = [
        f"{point.name} {study.in_words(point.height, point.error)}"
        + (f" (sd over corpora {scale * point.sd:.1f})" if point.sd is not None else "")
        for point in averaged(study).done
    ]
    return f"Mean of {len(study.series)} corpora, weighted equally: {'; '.join(values)}." if values else ""


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
