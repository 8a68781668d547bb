"""A study under the keys that the command line prints: Euclidean as in the papers, cosine under ``cosine``."""

from dataclasses import asdict, fields

from embedlab.distance import COSINE
from embedlab.jobs.campaigns import created
from embedlab.store_root import Json
from embedlab.studies.points import DevelopedPoint, MeasuredSeed, SeedResult, StudyPoint
from embedlab.studies.request import scale_of
from embedlab.studies.summary import StudySummary


def printed_study(summary: StudySummary) -> Json:
    """The summary of a study."""
    design, kind, names = summary.design, summary.kind, list(summary.series_names)
    euclidean, cosine = summary.measured.euclidean, summary.measured.cosine
    line = None if euclidean.line is None or cosine.line is None else _point(euclidean.line, cosine.line)
    by_euclidean, by_cosine = (  # the sentence, and the lines that the points are compared with
        {name: value for name in ("answer", "references", "counted") if (value := getattr(each, name)) is not None}
        for each in (euclidean, cosine)
    )
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
        **by_euclidean,
        COSINE: by_cosine,
    }


def _point(euclidean: StudyPoint, cosine: StudyPoint) -> Json:
    seeds = [
        _by_both(*both, MeasuredSeed, "standard_error") for both in zip(euclidean.seeds, cosine.seeds, strict=True)
    ]
    return {**_by_both(euclidean, cosine, DevelopedPoint, "error", "sd", "low", "high"), "seeds": seeds}


def _by_both(
    euclidean: StudyPoint | SeedResult,
    cosine: StudyPoint | SeedResult,
    most: type[DevelopedPoint] | type[MeasuredSeed],
    *errors: str,
) -> Json:
    """With the same keys whether anything was measured or not; ``development_is_whole``: whether all of that part."""
    unmeasured: Json = {**dict.fromkeys(each.name for each in fields(most)), "measured": {}}
    values, by_cosine = ({**unmeasured, **asdict(each)} for each in (euclidean, cosine))
    names = ("accuracy", *errors, "before", "measured", "development", "development_error")
    return {
        **values,
        "development_is_whole": None if values["development"] is None else True,
        COSINE: None if by_cosine["accuracy"] is None else {name: by_cosine[name] for name in names},
    }
