"""A study under the keys that the command line prints: Euclidean as in the papers, cosine under ``cosine``."""

from dataclasses import asdict, fields
from typing import Any

from embedlab.distance import COSINE
from embedlab.jobs.campaigns import created
from embedlab.studies.points import DevelopedPoint, MeasuredSeed, SeedResult, StudyPoint
from embedlab.studies.request import scale_of
from embedlab.studies.summary import MeasuredStudy, StudySummary

Json = dict[str, Any]
_OF_BOTH = ("before", "measured", "development", "development_error")
_OF_A_POINT = ("accuracy", "error", "sd", "low", "high", *_OF_BOTH)
_OF_A_SEED = ("accuracy", "standard_error", *_OF_BOTH)


def printed_study(summary: StudySummary) -> Json:
    """The summary of a study."""
    design, kind, names = summary.design, summary.kind, list(summary.series_names)
    euclidean, cosine = summary.measured.euclidean, summary.measured.cosine
    line = None
    if euclidean.line is not None and cosine.line is not None:
        line = _point(euclidean.line, cosine.line)
    return {
        "study": summary.study.id,
        "kind": kind.key,
        "title": kind.title,
        "paper": kind.paper,
        "state": str(summary.state),
        "failure": summary.failure,
        "created": created(summary.study),
        "corpus": {"fingerprint": design.corpus, "name": summary.corpus},
        "encoder": design.encoder,
        "recipe": design.recipe,
        "setting": design.setting,
        "series": {"setting": design.series, "values": list(design.series_values), "names": names} if names else None,
        "seeds": list(design.seeds),
        "settings": design.settings,
        "notes": list(design.notes),
        "axis": summary.axis,
        "scale": scale_of(kind, design.values),
        "runs": {"planned": summary.planned, "finished": summary.finished},
        "seconds_left": summary.seconds_left,
        "errors": summary.errors,
        "path": str(summary.study.path),
        "points": [_point(*both) for both in zip(euclidean.points, cosine.points, strict=True)],
        "line": line,
        **_lines_of(euclidean),
        COSINE: _lines_of(cosine),
    }


def _lines_of(measured: MeasuredStudy) -> Json:
    """The sentence and the lines that the points are compared with."""
    counted = {} if measured.counted is None else {"counted": measured.counted}
    return {"answer": measured.answer, "references": measured.references, **counted}


def _point(euclidean: StudyPoint, cosine: StudyPoint) -> Json:
    seeds = [
        _by_both(one, other, MeasuredSeed, _OF_A_SEED) for one, other in zip(euclidean.seeds, cosine.seeds, strict=True)
    ]
    return {**_by_both(euclidean, cosine, DevelopedPoint, _OF_A_POINT), "seeds": seeds}


def _by_both(
    euclidean: StudyPoint | SeedResult,
    cosine: StudyPoint | SeedResult,
    most: type[DevelopedPoint] | type[MeasuredSeed],
    names: tuple[str, ...],
) -> Json:
    """With the same keys whether anything was measured or not; ``development_is_whole``: whether all of that part."""
    unmeasured: Json = {**dict.fromkeys(each.name for each in fields(most)), "measured": {}}
    values, by_cosine = ({**unmeasured, **asdict(each)} for each in (euclidean, cosine))
    return {
        **values,
        "development_is_whole": None if values["development"] is None else True,
        COSINE: None if by_cosine["accuracy"] is None else {name: by_cosine[name] for name in names},
    }
