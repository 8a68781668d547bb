"""The curves of a Find's candidates for its picture, and the time left; torch-free."""

from embedlab.distance import Distance
from embedlab.figures.candidates import (
    FAILED,
    GOING,
    LEADS,
    PRUNED,
    UNTOUCHED,
    CandidateCurve,
    CandidatePoint,
    CountingLine,
)
from embedlab.finds.leaderboard import leader
from embedlab.finds.model import CandidateState, FindResults, FindSettings


def curves_of(results: FindResults, distance: Distance) -> list[CandidateCurve]:
    """Those of the measured candidates; a training begins where its encoder as it is stands, if that was looked at."""
    best = leader(results, distance)
    as_they_are = [each for each in results.candidates if each.kind == "untouched" and each.dimensions is None]
    starts = {each.encoder: each.points[0] for each in as_they_are if each.points}
    curves = []
    for candidate in results.candidates:
        if not candidate.points or candidate.kind == "reference" or candidate.is_left_out:
            continue
        role = {CandidateState.PRUNED: PRUNED, CandidateState.FAILED: FAILED}.get(candidate.state, GOING)
        role = UNTOUCHED if candidate.kind == "untouched" else role
        role = LEADS if best is not None and candidate.key == best.key else role
        points, start = candidate.points, starts.get(candidate.encoder)
        if candidate.kind == "trained" and start is not None and points[0].steps > 0:
            points = (start.model_copy(update={"seconds": 0.0}), *points)
        drawn = []
        for point in points:
            measured = point.value.by(distance)
            share = point.steps / candidate.planned if candidate.planned else None
            drawn.append(CandidatePoint(point.steps, point.seconds, share, measured.value, measured.error or 0.0))
        curves.append(CandidateCurve(candidate.key, candidate.title, candidate.settings_line, role, drawn))
    return curves


def references_of(results: FindResults, distance: Distance) -> list[CountingLine]:
    """TF-IDF and SVD, as far as measured."""
    measured = [each for each in results.candidates if each.kind == "reference" and each.value is not None]
    return [CountingLine(each.key, each.title, each.measured.by(distance).value) for each in measured]


def tried(results: FindResults) -> int:
    """Measured candidates, without reference lines."""
    return sum(bool(each.points) and each.kind != "reference" for each in results.candidates)


def seconds_left(settings: FindSettings, results: FindResults, since_written: float = 0.0) -> float:
    """Seconds left of the budget. ``since_written``: seconds of work since ``results`` was written, if at work."""
    return max(60 * settings.minutes - results.spent - max(since_written, 0.0), 0.0)


def longer(minutes: float) -> float:
    """The next worthwhile budget: at least half as much again, rounded to usual numbers of minutes."""
    return next((step for step in (2.0, 5.0, 15.0, 60.0, 240.0) if step > 1.5 * minutes), 3 * minutes)
