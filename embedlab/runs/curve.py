"""kNN accuracy over a run as its charts show it: line and reference lines on one set of texts, marks of all of them."""

from dataclasses import dataclass

from embedlab.counting import WORDS
from embedlab.distance import Distance
from embedlab.runs.folder import RunFolder
from embedlab.runs.live import LiveFacts, curve_rows, live_facts
from embedlab.runs.result import RunResult, counted_in, read_result, references_of
from embedlab.runs.store import read_rows


@dataclass(frozen=True)
class RunCurve:
    """What stands in one chart; only what was measured on the same texts is drawn as lines that may be compared.

    ``line``: rows with step, texts, seconds, knn, standard_error and test_texts, the first one before training.
    ``references``: TF-IDF and SVD on the texts of the line. ``marks`` and ``reference_marks``: the final protocol's
    values, where its texts are others than the line's. ``distance`` is the one that all of them are by.
    """

    distance: Distance
    line: list[dict]
    marks: list[dict]
    references: dict[str, float]
    reference_marks: dict[str, float]
    where: str
    counted: str = WORDS  # by TF-IDF and SVD


def curve_of(run: RunFolder, distance: Distance) -> RunCurve:
    """The curve so far, by this distance."""
    rows, result = curve_rows(read_rows(run.metrics)[0], distance), read_result(run)
    live, full = [row for row in rows if not row.get("full")], [row for row in rows if row.get("full")]
    facts, final = live_facts(run), _final_references(result, distance)
    where = _where(facts, full, is_reference_marked=bool(final))
    counted = facts.counted if facts is not None else WORDS if result is None else counted_in(result)
    if final or (facts is not None and facts.references):
        where += f" TF-IDF counts {counted}."
    if facts is not None:
        references = {name: line.measured.by(distance).value for name, line in facts.references.items()}
        if facts.is_whole:
            return RunCurve(distance, live or full, [], references, {}, where, counted)
        return RunCurve(distance, live, full, references, final, where, counted)
    return RunCurve(distance, full, [], final, {}, where, counted)


def _final_references(result: RunResult | None, distance: Distance) -> dict[str, float]:
    """On all test texts, as soon as the run has a result."""
    return {} if result is None else {name: line.value for name, line in references_of(result, distance).items()}


def _where(facts: LiveFacts | None, full: list[dict], *, is_reference_marked: bool) -> str:
    """For a caption: on which texts the line is measured, and why the marks do not lie on it."""
    marked = f"Diamonds: all {_tested(full):,} test texts, among all labelled train texts" if full else ""
    if facts is not None:
        said = f"The line from its first point on, TF-IDF and SVD are measured on {facts.where}."
        if facts.is_whole:
            return f"{said} These are the texts of the final numbers too."
        ticks = "; the short amber marks at the end too" if is_reference_marked else ""
        return f"{said} {marked}{ticks}." if marked else said
    return f"All {_tested(full):,} test texts." if full else ""


def _tested(rows: list[dict]) -> int:
    return int(rows[-1].get("test_texts") or 0) if rows else 0
