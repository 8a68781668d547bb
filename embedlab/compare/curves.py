"""Curves of several runs in one chart: which of them were measured on the same texts, and what may be read from it."""

from dataclasses import dataclass

from embedlab.counting import WORDS
from embedlab.distance import Distance
from embedlab.errors import EmbedlabError
from embedlab.runs.curve import RunCurve, curve_of, live_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of, read_settings

_DIFFERENT = (
    "These lines are not measured on the same texts, so do not compare them. Diamonds are for all test texts, and so "
    "is a line without diamonds."
)


@dataclass(frozen=True)
class Overlay:
    """``curves``: ``{"name", "rows", "marks"}`` of each run, marks where all test texts are more than the line's.

    ``references`` are TF-IDF and SVD on the texts of the lines, where these are the same for all; ``reference_marks``
    on all test texts. ``captions``: on which texts each line is measured.
    """

    curves: list[dict]
    references: dict[str, float]
    reference_marks: dict[str, float]
    captions: list[str]
    counted: str = WORDS  # by the references


def overlay(runs: list[RunFolder], names: dict[str, str], distance: Distance) -> Overlay:
    """By this distance, or by Euclidean where a run was measured by that one alone, which its caption says."""
    run_curves = {run.id: curve_of(run, distance) for run in runs}
    drawn = [run for run in runs if run_curves[run.id].line or run_curves[run.id].marks]
    curves = [
        {"name": names[run.id], "rows": run_curves[run.id].line, "marks": run_curves[run.id].marks} for run in runs
    ]
    are_alike = len({_texts(run, run_curves[run.id]) for run in drawn}) <= 1
    first = [run_curves[run.id] for run in drawn][:1]
    counted = first[0].counted if first else WORDS
    if are_alike:
        marked = max((curve.reference_marks for curve in run_curves.values()), key=len, default={})
        caption = max((run_curves[run.id].where for run in drawn), key=len, default="")
        return Overlay(curves, first[0].references if first else {}, marked, [caption] if caption else [], counted)
    whole = [_on_all_test_texts(run_curves[run.id]) for run in drawn]
    marked = whole[0] if all(each == whole[0] for each in whole) and _one_corpus(drawn) else {}
    by_texts: dict[str, list[str]] = {}
    for run in drawn:
        by_texts.setdefault(run_curves[run.id].where, []).append(names[run.id])
    captions = [f"{', '.join(of)}: {where}" for where, of in by_texts.items()]
    return Overlay(curves, {}, marked, [_DIFFERENT, *captions], counted)


def _texts(run: RunFolder, curve: RunCurve) -> tuple:
    """The same where two lines are measured on the same texts by the same distance; a sample is drawn by the seed."""
    facts, corpus = live_facts(run), _corpus(run)
    tested = curve.line[-1].get("test_texts") if curve.line else None
    if facts is None or facts.is_whole:
        return corpus, curve.distance, tested
    return corpus, curve.distance, facts.test_texts, facts.neighbors, _seed(run), str(facts.references)


def _on_all_test_texts(curve: RunCurve) -> dict[str, float]:
    return curve.reference_marks if curve.marks else curve.references


def _one_corpus(runs: list[RunFolder]) -> bool:
    return len({_corpus(run) for run in runs}) == 1


def _corpus(run: RunFolder) -> str | None:
    try:
        return fingerprint_of(run)
    except EmbedlabError:
        return None


def _seed(run: RunFolder) -> int | None:
    try:
        return read_settings(run)["settings"].get("seed", 0)
    except EmbedlabError:
        return None
