"""kNN accuracy of a run: as one row of numbers between the reference lines, across phases, and by class."""

from collections.abc import Sequence

import streamlit as st

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.distance import DISTANCES, other_distance
from embedlab.figures.run_curves import phases_curve
from embedlab.numbers import accuracy, count, counted, duration, margin, percent, signed
from embedlab.report.class_tables import changes_sentence, texts_lost, worst_class
from embedlab.report.result_lines import training_length
from embedlab.report.verdict_words import judge_line
from embedlab.runs.curve import watched_phases
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import name_of_before
from embedlab.runs.predictions import Folds, folds_of
from embedlab.runs.result import Accuracy, RunResult, accuracy_of, counted_in, references_of
from embedlab.runs.store import settings_of
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.layout import chart, escaped, number_row
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.state import by_distance, is_dark, shown_distance

_ALIKE = "Its rows have length one, so cosine and Euclidean distance find the same neighbors."


def numbers(run: RunFolder, result: RunResult) -> None:
    """kNN accuracy before → after ± error by the shown distance, the reference lines, and the duration, in one row."""
    knn, row = accuracy_of(result, shown_distance()), number_row()
    if knn is not None:
        other = accuracy_of(result, other_distance(knn.distance))
        tested = f"± one standard error, {knn.tested}, k = {knn.k}"
        first = result.files.get("before", name_of_before(run).capitalize())
        value = accuracy(knn.before, knn.standard_error_before)
        explained = escaped(f"{first}. {tested}. {_beside(other, knn, 'before')}", 300)
        row.metric(f"kNN accuracy {by_distance(knn.distance)}, before", value, help=explained)
        value = accuracy(knn.after, knn.standard_error)
        change = None if knn.change is None else knn.after - knn.before
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
    with_curves = {run_key: phases for run_key, phases in watched.items() if any(phase.points for phase in phases)}
    if not with_curves:
        return
    target = next(settings_of(run).get("target", "") for name, run in runs if (name, run.id) in with_curves)
    corpus = {info.fingerprint: info.name for info in list_corpora()}.get(target, target)
    lines = [(name, [phase.points for phase in phases]) for (name, _), phases in with_curves.items()]
    chart(phases_curve(lines, corpus=corpus, by=by_distance(distance), dark=is_dark()), key=key)
    last = next(phase for phases in with_curves.values() for phase in phases if phase.points)
    of = f"Of {count(last.points[-1].test_texts)} test texts of {escaped(corpus)}"
    sample = "" if last.is_whole else ", with neighbors from a sample of its train texts: lower than with all of them"
    several = any(len(phases) > 1 for phases in with_curves.values())
    rings = " Thin: an earlier phase; ring: where the next one begins." if several else ""
    st.caption(f"{of}, the same at every point{sample}.{rings}")


VIEW, LOST = "classes.view", "Lost"  # the switch of Classes, and one of its choices


def changed_classes(run: RunFolder) -> None:
    """The sentence, and a button that opens the texts of the worst class; nothing before the folds are predicted."""
    folds = read_folds(run, shown_distance())
    if folds is None or not (texts := len(texts_lost(folds, None))):
        return
    worst = worst_class(folds)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escaped(changes_sentence(folds), 400), width="content")
        label = f"Show the {counted(texts, 'text')} lost" if worst is None else f"Why {escaped(worst, 40)} got worse"
        if st.button(label, key=f"classes.lost-{run.id}", on_click=_choose, args=(run, folds, worst),
                     help="The texts that were right before and are wrong after."):  # fmt: skip
            go_to("classes")


def _choose(run: RunFolder, folds: Folds, label: str | None) -> None:
    labels = [each.label for each in folds.classes]
    st.session_state[VIEW] = LOST
    st.session_state[class_choice(run)] = 0 if label is None else 1 + labels.index(label)


def class_choice(run: RunFolder) -> str:
    """The key of the choice of a class: 0 for all, else one more than its place among ``folds.classes``."""
    return f"classes.label-{run.id}"


# Predictions for a run's labelled texts with a distance; None if there are none yet
read_folds = read_once(lambda run, distance: [run.predictions_by_folds, run.predictions])(folds_of)
