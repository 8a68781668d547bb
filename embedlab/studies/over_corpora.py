"""A study of several corpora, one a line: which they are, and what it says on average over all of them."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev

from embedlab.corpora.base import CorpusInfo, list_corpora
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
    found = {info.fingerprint: info}
    for value in values:
        each = next((each for each in stored.values() if str(value) in (each.fingerprint, each.name)), None)
        if each is None:
            known = ", ".join(each.name for each in stored.values()) or "none"
            said = f"The series needs stored corpora, but there is none called {str(value)!r}. There are: {known}."
            raise SettingsError("E-SERIES", said)
        if not each.has_two_classes:
            said = f"The corpus {each.name} of the series lacks two classes, so it has no kNN accuracy. Leave it out."
            raise CorpusError("E-NO-LABELS", said)
        found[each.fingerprint] = each
    return found


def is_over_corpora(found: Mapping) -> bool:
    """Whether a summary has a line for each of several corpora."""
    return found["series"] is not None and found["series"]["setting"] == CORPUS and len(found["series"]["values"]) > 1


def averaged(found: Mapping) -> dict:
    """A study seen by one distance as one line: of each value the mean over its corpora, each counting the same.

    A value is a gap until every corpus has it. ``height_error`` is that of the mean over these corpora, by the errors
    of each; ``height_sd`` the standard deviation over them; dots are corpora, which ``spread`` says.
    """
    names = list(dict.fromkeys(point["name"] for point in found["points"]))
    grouped = [[point for point in found["points"] if point["name"] == name] for name in names]
    told = {
        **found["measure"],
        "title": f"{found['measure']['title']}, mean of {len(found['series']['values'])} corpora",
    }
    return {
        **found,
        "series": None,
        "measure": told,
        "spread": "corpora",
        "references": {},
        "points": [_mean(each) for each in grouped],
    }


def mean_sentence(found: Mapping) -> str:
    """``Mean of 3 corpora: 0.05 61.2 % ± 0.8 (sd over corpora 9.1) …``; empty while no value has all of them."""
    shown = averaged(found)
    done = [point for point in shown["points"] if point["height"] is not None]
    if not done:
        return ""
    unit = found["measure"]["unit"]
    scale = 100 if unit == "share" else 1
    said = [
        f"{point['name']} {in_unit(point['height'], point['height_error'], unit)}"
        + (f" (sd over corpora {scale * point['height_sd']:.1f})" if point["height_sd"] is not None else "")
        for point in done
    ]
    return f"Mean of {len(found['series']['values'])} corpora, weighted equally: {'; '.join(said)}."


def _mean(points: Sequence[Mapping]) -> dict:
    first = points[0]
    dots = [
        {"seed": 0, "called": point["series_name"], "state": "finished", "height": point["height"]} for point in points
    ]
    told = {**first, "series_name": "", "series": None, "beside": None, "seeds": dots}
    heights = [point["height"] for point in points]
    if None in heights:
        return {**told, **dict.fromkeys(("height", "height_error", "height_sd", "height_low", "height_high"))}
    errors = [point["height_error"] for point in points]
    mean = fmean(heights)
    error = None if None in errors else sqrt(sum(each**2 for each in errors)) / len(errors)
    half = None if error is None else normal(LEVEL) * error
    return told | {
        "height": mean,
        "height_error": error,
        "height_sd": stdev(heights) if len(heights) > 1 else None,
        "height_low": None if half is None else mean - half,
        "height_high": None if half is None else mean + half,
        "steps": fmean(point["steps"] for point in points),
        "usable_texts": fmean(point["usable_texts"] for point in points),
        "test_texts": sum(point["test_texts"] or 0 for point in points),
    }
