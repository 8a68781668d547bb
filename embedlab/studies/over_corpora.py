"""A study over several corpora, one per line: which they are, and the mean over all of them."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from embedlab.corpora.stored.shelf import CorpusInfo, list_corpora
from embedlab.errors import CorpusError, SettingsError
from embedlab.numbers import in_unit
from embedlab.statistics.intervals import LEVEL, normal

CORPUS = "corpus"  # the series whose values are fingerprints
MEAN_LINE = (
    "Points: means over the corpora (dots), weighted equally; a value is drawn once all of them have it. Bars: one "
    "standard error of that mean, from the errors of each."
)


def corpus_names() -> dict[str, str]:
    """The stored corpora: fingerprint -> name."""
    return {info.fingerprint: info.name for info in list_corpora()}


def corpora_of(info: CorpusInfo, values: Sequence) -> dict[str, CorpusInfo]:
    """The study's own corpus and those of its series, by fingerprint; each needs classes."""
    stored = {each.fingerprint: each for each in list_corpora()}
    corpora = {info.fingerprint: info}
    for value in values:
        each = next((each for each in stored.values() if str(value) in (each.fingerprint, each.name)), None)
        if each is None:
            names = ", ".join(each.name for each in stored.values()) or "none"
            message = f"The series needs stored corpora, but there is none called {str(value)!r}. There are: {names}."
            raise SettingsError("E-SERIES", message)
        if not each.has_knn:
            message = f"The corpus {each.name} of the series lacks two classes of two texts, so it has no kNN accuracy."
            raise CorpusError("E-NO-LABELS", f"{message} Leave it out.")
        corpora[each.fingerprint] = each
    return corpora


def is_over_corpora(sweep: Mapping) -> bool:
    """Whether a summary has one line per corpus."""
    return sweep["series"] is not None and sweep["series"]["setting"] == CORPUS and len(sweep["series"]["values"]) > 1


def averaged(sweep: Mapping) -> dict[str, Any]:
    """A study seen by one distance as a single line: for each value the mean over its corpora, equally weighted.

    A value is a gap until every corpus has it. ``height_error`` is that of the mean over these corpora, by the errors
    of each; ``height_sd`` the standard deviation over them; dots are corpora, which ``spread`` says.
    """
    names = list(dict.fromkeys(point["name"] for point in sweep["points"]))
    grouped = [[point for point in sweep["points"] if point["name"] == name] for name in names]
    description = {
        **sweep["measure"],
        "title": f"{sweep['measure']['title']}, mean of {len(sweep['series']['values'])} corpora",
    }
    return {
        **sweep,
        "series": None,
        "measure": description,
        "spread": "corpora",
        "references": {},
        "points": [_mean(each) for each in grouped],
    }


def mean_sentence(sweep: Mapping) -> str:
    """``Mean of 3 corpora: 0.05 61.2 % ± 0.8 (sd over corpora 9.1) …``; empty while no value is complete."""
    mean_line = averaged(sweep)
    done = [point for point in mean_line["points"] if point["height"] is not None]
    if not done:
        return ""
    unit = sweep["measure"]["unit"]
    scale = 100 if unit == "share" else 1
    values = [
        f"{point['name']} {in_unit(point['height'], point['height_error'], unit)}"
        + (f" (sd over corpora {scale * point['height_sd']:.1f})" if point["height_sd"] is not None else "")
        for point in done
    ]
    return f"Mean of {len(sweep['series']['values'])} corpora, weighted equally: {'; '.join(values)}."


def _mean(points: Sequence[Mapping]) -> dict[str, Any]:
    first = points[0]
    dots = [
        {"seed": 0, "called": point["series_name"], "state": "finished", "height": point["height"]} for point in points
    ]
    mean_point = {**first, "series_name": "", "series": None, "beside": None, "seeds": dots}
    heights = [point["height"] for point in points]
    if None in heights:
        return {**mean_point, **dict.fromkeys(("height", "height_error", "height_sd", "height_low", "height_high"))}
    errors = [point["height_error"] for point in points]
    mean = fmean(heights)
    error = None if None in errors else sqrt(sum(each**2 for each in errors)) / len(errors)
    half = None if error is None else normal(LEVEL) * error
    return mean_point | {
        "height": mean,
        "height_error": error,
        "height_sd": stdev(heights) if len(heights) > 1 else None,
        "height_low": None if half is None else mean - half,
        "height_high": None if half is None else mean + half,
        "steps": fmean(point["steps"] for point in points),
        "usable_texts": fmean(point["usable_texts"] for point in points),
        "test_texts": sum(point["test_texts"] or 0 for point in points),
    }
