"""Everything about a study in one dict, for command line, page and files; for one distance as table, CSV and lines."""

from collections.abc import Mapping
from dataclasses import fields
from statistics import fmean
from typing import Any

from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.errors import EmbedlabError
from embedlab.jobs.campaigns import asked_of, created, state_of
from embedlab.measurement import ByDistance
from embedlab.numbers import ago, in_percent, percent
from embedlab.runs.result import counted_in, read_result, references_of
from embedlab.runs.state import State, read_state
from embedlab.runs.store import run_if_readable
from embedlab.studies import STUDIES
from embedlab.studies.answers import answer
from embedlab.studies.measures import ACCURACY, drawn_over
from embedlab.studies.over_corpora import CORPUS, corpus_names, is_over_corpora, mean_sentence
from embedlab.studies.plan import StudySettings, cells, series_name
from embedlab.studies.points import MeasuredPoint, MeasuredSeed, StudyPoint, line_of, points_of
from embedlab.studies.request import scale_of
from embedlab.studies.store import Study, runs_of
from embedlab.table_files import as_csv_file, csv_of_rows
from embedlab.training.recipes import recipe_title

ROUNDING = 0.005  # of kNN accuracy: so much may the same untouched encoder differ from run to run


def summary(study: Study) -> dict[str, Any]:
    """State and settings, and as ``measured`` for each distance its points, reference lines and sentence; grows as runs
    finish.
    """
    design = asked_of(study)
    kind = STUDIES[design.kind]
    facts = state_of(study)
    points = ByDistance.of(lambda distance: points_of(study, design, distance))
    planned = cells(design)
    run_ids = runs_of(study)
    done = sum(_is_finished(run_ids.get(cell.key)) for cell in planned)
    return {
        "study": study.id,
        "kind": kind.key,
        "title": kind.title,
        "paper": kind.paper,
        "state": str(_shown(facts.state, done, len(planned))),
        "failure": facts.error.message if facts.error else None,
        "created": created(study),
        "corpus": {"fingerprint": design.corpus, "name": corpus_names().get(design.corpus, design.corpus)},
        "encoder": design.encoder,
        "recipe": design.recipe,
        "setting": design.setting,
        "series": _series(design),
        "seeds": list(design.seeds),
        "settings": design.settings,
        "notes": list(design.notes),
        "axis": kind.axis or design.setting,
        "scale": scale_of(kind, design.values),
        "runs": {"planned": len(planned), "finished": done},
        "seconds_left": _seconds_left(points.either, len(planned) - done),
        "errors": errors_line(points.either),
        "measured": ByDistance.of(lambda distance: _measured(study, design, points.by(distance), distance)),
        "path": str(study.path),
    }


def errors_line(points: list[StudyPoint]) -> str:
    """What the error bars show, for the caption."""
    done = [point for point in points if isinstance(point, MeasuredPoint)]
    if not done:
        return ""
    tested = sorted({point.test_texts for point in done})
    n = f"{tested[0]:,}" if len(tested) == 1 else f"{tested[0]:,} to {tested[-1]:,}"
    most = max(len(point.finished) for point in done)
    if most == 1:
        return f"Bars: one binomial standard error of one run on {n} test texts."
    return (
        f"Points: means of up to {most} seeds (dots). Bars: one standard error of the mean, from the {n} test texts "
        "and the spread of the seeds together."
    )


def _measured(study: Study, design: StudySettings, points: list[StudyPoint], distance: Distance) -> dict[str, Any]:
    """``references`` are TF-IDF, SVD and, if all values start alike, the untouched encoder; empty until a run has
    finished.
    """
    line = line_of(study, design, distance) if STUDIES[design.kind].swept_recipe else None
    measured = {
        "points": [_as_plain(point) for point in points],
        "line": None if line is None else _as_plain(line),
        "answer": answer(design, points, line, distance),
    }
    if design.series == CORPUS:  # each has lines of its own
        return {**measured, "references": {}}
    finished = [each for point in points for each in point.finished]
    runs = [run_if_readable(each.run) for each in finished[:1]]
    results = [result for run in runs if run is not None and (result := read_result(run)) is not None]
    lines = {name: line.value for each in results for name, line in references_of(each, distance).items()}
    if STUDIES[design.kind].untouched_is_one and finished and _start_alike(finished):
        lines["untouched"] = fmean(each.before for each in finished)
    counted = next(map(counted_in, results), WORDS)
    return {**measured, "references": lines, "counted": counted}


def _as_plain(point: StudyPoint) -> dict[str, Any]:
    """With the same keys whether anything was measured or not."""
    seeds = [{**_unmeasured(MeasuredSeed), **vars(seed)} for seed in point.seeds]
    return {**_unmeasured(MeasuredPoint), **vars(point), "seeds": seeds}


def _unmeasured(kind: type[MeasuredPoint] | type[MeasuredSeed]) -> dict[str, Any]:
    return {**dict.fromkeys(each.name for each in fields(kind)), "measured": {}}


def _series(design: StudySettings) -> dict[str, Any] | None:
    """``{setting, values, names}`` of the second swept setting, or None."""
    if not design.series:
        return None
    names = [series_name(design, each) for each in design.series_values]
    return {"setting": design.series, "values": list(design.series_values), "names": names}


def _start_alike(finished: list[MeasuredSeed]) -> bool:
    """Whether the runs of each seed start at the same accuracy, as with the same untouched encoder and pooling."""
    befores: dict[int, list[float]] = {}
    for each in finished:
        befores.setdefault(each.seed, []).append(each.before)
    return all(max(values) - min(values) <= ROUNDING for values in befores.values())


def _shown(state: State, done: int, planned: int) -> State:
    """A study with every run finished is finished, whatever became of its last job."""
    return State.FINISHED if done == planned and state.is_over else state


def _seconds_left(points: list[StudyPoint], runs: int) -> float | None:
    """Estimated from the study's own runs; None until one has finished, or when none is left."""
    took = [each.seconds for point in points for each in point.finished]
    return fmean(took) * runs if took and runs else None


def _is_finished(run_id: str | None) -> bool:
    run = run_if_readable(run_id)
    return run is not None and read_state(run).state is State.FINISHED


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


def rows_of(report: Mapping, *distances: Distance) -> list[dict[str, Any]]:
    """The table of a summary: one row per value, numbers by each of these distances, gaps with their reason."""
    by_distance = [report["measured"].by(distance) for distance in distances]
    rows = zip(*([*([each["line"]] if each["line"] else []), *each["points"]] for each in by_distance), strict=True)
    return [_row(dict(zip(distances, row, strict=True)), has_series=report["series"] is not None) for row in rows]


def column(number: str, distance: Distance) -> str:
    """The column name of a point's number: ``column("accuracy", "cosine")``."""
    return next(name for name, key in _NUMBERS.items() if key == number).format(DISTANCES[distance])


def csv_of(report: Mapping, distance: Distance) -> bytes:
    """Numbers by both distances, this one first; cells that a spreadsheet would execute get an apostrophe."""
    rows = rows_of(report, distance, other_distance(distance))
    return as_csv_file(csv_of_rows([rows[0], *(row.values() for row in rows)]))


def _row(points: dict[Distance, Mapping], *, has_series: bool) -> dict[str, Any]:
    point = next(iter(points.values()))
    gaps = [f"seed {each['seed']}: {each['reason']}" for each in point["seeds"] if each["reason"]]
    numbers = {
        column(key, distance): in_percent(each.get(key))
        for distance, each in points.items()
        for key in _NUMBERS.values()
    }
    losses = point["measured"].get("loss") or {}
    return {
        "value": point["name"],
        **({"series": point["series_name"]} if has_series else {}),
        **numbers,
        "final loss": losses.get("value"),
        "sd of final loss": losses.get("sd"),
        "steps": _whole(point["steps"]),
        "usable texts": _whole(point["usable_texts"]),
        "seeds": sum(each["accuracy"] is not None for each in point["seeds"]),
        "gaps": " ".join(gaps),
    }


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def seen_by(report: Mapping, distance: Distance, measure: str = ACCURACY) -> dict[str, Any]:
    """The summary restricted to one distance: ``points line references counted answer``.

    ``distance`` is the one they are by; ``by`` says it. Each point has the other distance's ``accuracy`` and ``error``
    under ``beside``, None where it has none. ``measure`` is what stands as the ``height`` of points and seeds.
    """
    measured, other_measured = (report["measured"].by(each) for each in (distance, other_distance(distance)))
    by_other = f"({DISTANCES[other_distance(distance)]})"
    points = [_beside(*both, by_other) for both in zip(measured["points"], other_measured["points"], strict=True)]
    line = None if measured["line"] is None else _beside(measured["line"], other_measured["line"], by_other)
    by = f"({DISTANCES[distance]})"
    sweep = {"points": points, "line": line, "distance": distance, "by": by}
    return drawn_over({**report, **measured, **sweep, "encoder": encoder_title(report["encoder"])}, measure)


def _beside(point: Mapping, other: Mapping, by: str) -> dict[str, Any]:
    numbers = {"by": by, "accuracy": other["accuracy"], "error": other["error"]}
    return {**point, "beside": None if other["accuracy"] is None else numbers}


def study_lines(report: dict, distance: Distance) -> list[str]:
    """The lines of a study's summary."""
    seen, runs = seen_by(report, distance), report["runs"]
    swept = report["series"]["setting"] if report["series"] is not None else ""
    with_encoder = "" if swept == "encoder" else f" with {encoder_title(report['encoder'])}"
    by_recipe = "" if swept == "recipe" else f", {recipe_title(report['recipe'])}"
    head = f"{report['title']} on {report['corpus']['name']}{with_encoder}{by_recipe}"
    lines = [f"{head}: {report['state']}, {runs['finished']} of {runs['planned']} runs", *report["notes"]]
    lines += [f"kNN accuracy {seen['by']}:", *_rows(rows_of(report, distance), distance)]
    if is_over_corpora(seen):
        lines.append(mean_sentence(seen))
    references = ", ".join(f"{name} {percent(value)}" for name, value in seen["references"].items())
    return [*lines, *filter(None, (references, seen["errors"], seen["answer"]))]


def _rows(rows: list[dict], distance: Distance) -> list[str]:
    """One line per point; if it is missing, the reason."""
    lines, wide = [], max(len(row.get("series", "")) for row in rows)
    for row in rows:
        accuracy, error = (row[column(number, distance)] for number in ("accuracy", "error"))
        line_start = f"  {row['value']:>12}" + (f"  {row['series']:<{wide}}" if wide else "")
        if accuracy is None:
            lines.append(f"{line_start}  –  {row['gaps']}")
            continue
        accuracy_line = f"{accuracy:.1f} % ± {error:.1f}, {row['steps']:,} steps"
        lines.append(f"{line_start}  {accuracy_line} on {row['usable texts']:,} usable texts  {row['gaps']}".rstrip())
    return lines


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


def accuracy_span(points: list[dict]) -> str:
    """``41.0 … 64.0 %``"""
    lowest, highest = (f"{100 * end(point['accuracy'] for point in points):.1f}" for end in (min, max))
    return f"{lowest} … {highest} %" if len(points) > 1 else f"{highest} %"


def span_explained(points: list[dict]) -> str:
    """Explains the numbers, and gives the range by the other distance."""
    explained = "Of the points on the test texts; the named value is selected by the development texts."
    others = [point["beside"] for point in points if point["beside"] is not None]
    return f"{explained} {others[0]['by'].capitalize()}: {accuracy_span(others)}." if others else explained
