"""Everything about a study in one dict, for command line, page and files; by one distance as table, CSV and lines."""

from collections.abc import Mapping
from statistics import fmean

from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.encoders.catalog import encoder_title
from embedlab.jobs.campaigns import asked_of, created, state_of
from embedlab.measurement import ByDistance
from embedlab.numbers import in_percent
from embedlab.runs.result import counted_in, read_result, references_of
from embedlab.runs.state import State, read_state
from embedlab.studies import STUDIES
from embedlab.studies.answers import answer
from embedlab.studies.measures import ACCURACY, drawn_over
from embedlab.studies.over_corpora import CORPUS, corpus_names, is_over_corpora, mean_sentence
from embedlab.studies.plan import StudySettings, cells, series_name
from embedlab.studies.points import Point, SeedResult, line_of, points_of
from embedlab.studies.request import scale_of
from embedlab.studies.store import Study, opened_run, runs_of
from embedlab.table_files import as_csv_file, csv_of_rows
from embedlab.training.recipes import recipe_title

ROUNDING = 0.005  # of kNN accuracy: so much may the same untouched encoder differ from run to run


def summary(study: Study) -> dict:
    """State and settings, and as ``measured`` by each distance its points, reference lines and sentence; grows while
    runs end."""
    asked = asked_of(study)
    kind = STUDIES[asked.kind]
    facts = state_of(study)
    points = ByDistance.of(lambda distance: points_of(study, asked, distance))
    planned = cells(asked)
    known = runs_of(study)
    done = sum(_is_finished(known.get(cell.key)) for cell in planned)
    return {
        "study": study.id,
        "kind": kind.key,
        "title": kind.title,
        "paper": kind.paper,
        "state": str(_shown(facts.state, done, len(planned))),
        "failure": facts.error.message if facts.error else None,
        "created": created(study),
        "corpus": {"fingerprint": asked.corpus, "name": corpus_names().get(asked.corpus, asked.corpus)},
        "encoder": asked.encoder,
        "recipe": asked.recipe,
        "setting": asked.setting,
        "series": _series(asked),
        "seeds": list(asked.seeds),
        "settings": asked.settings,
        "notes": list(asked.notes),
        "axis": kind.axis or asked.setting,
        "scale": scale_of(kind, asked.values),
        "runs": {"planned": len(planned), "finished": done},
        "seconds_left": _seconds_left(points.euclidean, len(planned) - done),
        "errors": errors_line(points.euclidean),
        "measured": ByDistance.of(lambda distance: _measured(study, asked, points.by(distance), distance)),
        "path": str(study.path),
    }


def errors_line(points: list[Point]) -> str:
    """What the error bars are, for the caption."""
    done = [point for point in points if point.accuracy is not None]
    if not done:
        return ""
    tested = sorted({point.test_texts or 0 for point in done})
    n = f"{tested[0]:,}" if len(tested) == 1 else f"{tested[0]:,} to {tested[-1]:,}"
    most = max(len(point.finished) for point in done)
    if most == 1:
        return f"Bars: one binomial standard error of one run on {n} test texts."
    return (
        f"Points: means of up to {most} seeds (dots). Bars: one standard error of the mean, from the {n} test texts "
        "and the spread of the seeds together."
    )


def _measured(study: Study, asked: StudySettings, points: list[Point], distance: Distance) -> dict:
    """``references`` are TF-IDF, SVD and, where all values start alike, the untouched encoder; empty while no run has
    finished."""
    line = line_of(study, asked, distance) if STUDIES[asked.kind].swept_recipe else None
    found = {
        "points": [_as_plain(point) for point in points],
        "line": None if line is None else _as_plain(line),
        "answer": answer(asked, points, line, distance),
    }
    if asked.series == CORPUS:  # each has lines of its own
        return {**found, "references": {}}
    finished = [each for point in points for each in point.finished]
    runs = [opened_run(each.run) for each in finished[:1]]
    results = [result for run in runs if run is not None and (result := read_result(run)) is not None]
    lines = {name: line.value for each in results for name, line in references_of(each, distance).items()}
    if STUDIES[asked.kind].untouched_is_one and finished and _start_alike(finished):
        lines["untouched"] = fmean(each.before for each in finished)
    counted = next(map(counted_in, results), WORDS)
    return {**found, "references": lines, "counted": counted}


def _as_plain(point: Point) -> dict:
    return {**vars(point), "seeds": [vars(seed) for seed in point.seeds]}


def _series(asked: StudySettings) -> dict | None:
    """``{setting, values, names}`` of the second swept setting, None where there is none."""
    if not asked.series:
        return None
    names = [series_name(asked, each) for each in asked.series_values]
    return {"setting": asked.series, "values": list(asked.series_values), "names": names}


def _start_alike(finished: list[SeedResult]) -> bool:
    """Whether the runs of each seed start at one accuracy, as of one untouched encoder: another pooling has another."""
    befores: dict[int, list[float]] = {}
    for each in finished:
        befores.setdefault(each.seed, []).append(each.before)
    return all(max(values) - min(values) <= ROUNDING for values in befores.values())


def _shown(state: State, done: int, planned: int) -> State:
    """A study with every run finished is finished, however its last job ended."""
    return State.FINISHED if done == planned and state.is_over else state


def _seconds_left(points: list[Point], runs: int) -> float | None:
    """By what the study's own runs took; None while none has finished or where none is left."""
    took = [each.seconds for point in points for each in point.finished]
    return fmean(took) * runs if took and runs else None


def _is_finished(run_id: str | None) -> bool:
    run = opened_run(run_id)
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


def rows_of(found: Mapping, *distances: Distance) -> list[dict]:
    """The table of a summary: one row a value, its numbers by each of these distances, gaps with their reason."""
    told = [found["measured"].by(distance) for distance in distances]
    rows = zip(*([*([each["line"]] if each["line"] else []), *each["points"]] for each in told), strict=True)
    return [_row(dict(zip(distances, row, strict=True)), has_series=found["series"] is not None) for row in rows]


def column(number: str, distance: Distance) -> str:
    """What the column of a number of a point is called: ``column("accuracy", "cosine")``."""
    return next(name for name, key in _NUMBERS.items() if key == number).format(DISTANCES[distance])


def csv_of(found: Mapping, distance: Distance) -> bytes:
    """By both distances, this one first; for people: a cell that a spreadsheet would run gets an apostrophe."""
    rows = rows_of(found, distance, other_distance(distance))
    return as_csv_file(csv_of_rows([rows[0], *(row.values() for row in rows)]))


def _row(points: dict[Distance, Mapping], *, has_series: bool) -> dict:
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


def seen_by(found: Mapping, distance: Distance, measure: str = ACCURACY) -> dict:
    """The summary of a study with what was measured by this distance: ``points line references counted answer``.

    ``distance`` is the one they are by; ``by`` says it. Each point has the other distance's ``accuracy`` and ``error``
    under ``beside``, None where it has none. ``measure`` is what stands as the ``height`` of points and seeds.
    """
    told, others = (found["measured"].by(each) for each in (distance, other_distance(distance)))
    by_other = f"({DISTANCES[other_distance(distance)]})"
    points = [_beside(*both, by_other) for both in zip(told["points"], others["points"], strict=True)]
    line = None if told["line"] is None else _beside(told["line"], others["line"], by_other)
    by = f"({DISTANCES[distance]})"
    shown = {"encoder": encoder_title(found["encoder"]), "points": points, "line": line, "distance": distance, "by": by}
    return drawn_over({**found, **told, **shown}, measure)


def _beside(point: Mapping, other: Mapping, by: str) -> dict:
    numbers = {"by": by, "accuracy": other["accuracy"], "error": other["error"]}
    return {**point, "beside": None if other["accuracy"] is None else numbers}


def study_lines(found: dict, distance: str) -> list[str]:
    """Of a study's summary."""
    seen, runs = seen_by(found, distance), found["runs"]
    swept = found["series"]["setting"] if found["series"] is not None else ""
    with_encoder = "" if swept == "encoder" else f" with {encoder_title(found['encoder'])}"
    by_recipe = "" if swept == "recipe" else f", {recipe_title(found['recipe'])}"
    head = f"{found['title']} on {found['corpus']['name']}{with_encoder}{by_recipe}"
    lines = [f"{head}: {found['state']}, {runs['finished']} of {runs['planned']} runs", *found["notes"]]
    lines += [f"kNN accuracy {seen['by']}:", *_rows(rows_of(found, distance), distance)]
    if is_over_corpora(seen):
        lines.append(mean_sentence(seen))
    references = ", ".join(f"{name} {100 * value:.1f} %" for name, value in seen["references"].items())
    return [*lines, *filter(None, (references, seen["errors"], seen["answer"]))]


def _rows(rows: list[dict], distance: str) -> list[str]:
    """A line a point; where there is none, why."""
    lines, wide = [], max(len(row.get("series", "")) for row in rows)
    for row in rows:
        accuracy, error = (row[column(number, distance)] for number in ("accuracy", "error"))
        place = f"  {row['value']:>12}" + (f"  {row['series']:<{wide}}" if wide else "")
        if accuracy is None:
            lines.append(f"{place}  –  {row['gaps']}")
            continue
        told = f"{accuracy:.1f} % ± {error:.1f}, {row['steps']:,} steps"
        lines.append(f"{place}  {told} on {row['usable texts']:,} usable texts  {row['gaps']}".rstrip())
    return lines
