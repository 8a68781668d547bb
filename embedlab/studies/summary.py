"""Everything about a study in one dict, for the command line, the page and the exported files."""

from statistics import fmean

from embedlab.counting import WORDS
from embedlab.distance import Distance
from embedlab.jobs.campaigns import asked_of, created, state_of
from embedlab.measurement import ByDistance
from embedlab.runs.result import counted_in, read_result, references_of
from embedlab.runs.state import State, read_state
from embedlab.studies import STUDIES
from embedlab.studies.answers import answer
from embedlab.studies.base import StudySettings
from embedlab.studies.over_corpora import CORPUS, corpus_names
from embedlab.studies.plan import cells, series_name
from embedlab.studies.points import Point, SeedResult, line_of, points_of
from embedlab.studies.store import Study, opened_run, runs_of
from embedlab.studies.values import scale_of

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
