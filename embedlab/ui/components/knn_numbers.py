"""kNN accuracy of a run: as one row of numbers between the reference lines, and across phases."""

from collections.abc import Sequence

import streamlit as st

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.distance import DISTANCES, other_distance
from embedlab.figures.run_curves import phases_curve
from embedlab.numbers import accuracy, count, duration, margin, percent, signed
from embedlab.report.result_lines import training_length
from embedlab.report.verdict_words import judge_line
from embedlab.runs.curve import watched_phases
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import name_of_before
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, counted_in, references_of
from embedlab.runs.store import settings_of
from embedlab.ui.frame.layout import chart, escaped, number_row
from embedlab.ui.frame.state import by_distance, is_dark, shown_distance

_ALIKE = "Its rows have length one, so cosine and Euclidean distance find the same neighbors."


def numbers(run: RunFolder, result: RunResult) -> None:
    """kNN accuracy before → after ± error by the shown distance, the reference lines, and the duration, in one row."""
    knn, row = accuracy_of(result, shown_distance()), number_row()
    if knn is not None:
        other = accuracy_of(result, other_distance(knn.distance))
        tested = f"± one standard error, {count(knn.test_texts)} test texts, k = {knn.k}"
        first = result.files.get("before", name_of_before(run).capitalize())
        value = accuracy(knn.before, knn.standard_error_before)
        explained = escaped(f"{first}. {tested}. {_beside(other, knn, 'before')}", 300)
        row.metric(f"kNN accuracy {by_distance(knn.distance)}, before", value, help=explained)
        value = accuracy(knn.after, knn.standard_error)
        change = knn.after - knn.before if result.judged else None
        row.metric("after", value, change, help=escaped(f"{tested}. {_beside(other, knn, 'after')}", 300))
        for name, line in references_of(result, knn.distance).items():
            sentence = REFERENCE_LINES[name].sentence if name in REFERENCE_LINES else ""
            explained = f"kNN accuracy of a reference, {margin(line.error or 0.0)}. {sentence} {_ALIKE}"
            row.metric(baseline_title(name, counted_in(result)), percent(line.value), help=explained)
    if (judge := result.judge) is not None:
        explained = escaped(f"On {judge.set}, the evaluation set that judges. {judge_line(result)}", 300)
        row.metric(f"{judge.title}, before", f"{judge.before:.3f}", help=explained)
        difference = None if judge.difference is None else signed(judge.difference, 3)
        row.metric("after", f"{judge.after:.3f}", difference, help=explained)
    took = training_length(result) if result.is_trained else "Nothing was trained"
    row.metric("Took", duration(result.seconds), help=f"{took}, measuring included.")


def _beside(other: Accuracy | None, first: Accuracy, side: str) -> str:
    """The same by the other distance."""
    comparison = "" if other is None else f" The other distance: {other.in_words(side)}."
    return f"Measured with {DISTANCES[first.distance]}.{comparison}"


def phases_view(runs: Sequence[tuple[str, RunFolder]], *, key: str) -> None:
    """Runs that end their phases, by name; nothing unless a run watched a target."""
    distance = shown_distance()
    watched = {(name, run.id): watched_phases(run, distance) for name, run in runs}
    with_curves = {run_key: phases for run_key, phases in watched.items() if any(phase.rows for phase in phases)}
    if not with_curves:
        return
    target = next(settings_of(run).get("target", "") for name, run in runs if (name, run.id) in with_curves)
    corpus = {info.fingerprint: info.name for info in list_corpora()}.get(target, target)
    lines = [{"name": name, "phases": [phase.rows for phase in phases]} for (name, _), phases in with_curves.items()]
    chart(phases_curve(lines, corpus=corpus, by=by_distance(distance), dark=is_dark()), key=key)
    last = next(phase.rows[-1] for phases in with_curves.values() for phase in phases if phase.rows)
    of = f"Of {count(last['texts'])} test texts of {escaped(corpus)}"
    sample = (
        "" if last["is_whole"] else ", with neighbors from a sample of its train texts: lower than with all of them"
    )
    several = any(len(phases) > 1 for phases in with_curves.values())
    rings = " Thin: an earlier phase; ring: where the next one begins." if several else ""
    st.caption(f"{of}, the same at every point{sample}.{rings}")
