"""A run class by class: accuracy before and after, mistakes, texts gained and lost, suspicious labels."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.classes import class_changes
from embedlab.jobs.requests.measuring import PredictFolds
from embedlab.measurement import texts_tested
from embedlab.metrics.per_class import VOTES
from embedlab.numbers import count, counted, percent
from embedlab.report.class_tables import (
    classes_table,
    mistakes_of,
    mistakes_table,
    predictions_table,
    suspicious_table,
    texts_gained,
    texts_lost,
    texts_of_mistake,
)
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import NO_SUSPICIOUS_LABELS, TEST_TEXTS_ONLY, saw_labels, word_of_before
from embedlab.runs.predictions import Folds, folds_of
from embedlab.runs.result import RunResult, read_result
from embedlab.ui.components.built_in import example_instead
from embedlab.ui.components.knn_numbers import LOST, VIEW, class_choice, numbers, read_folds
from embedlab.ui.components.listed_texts import listed, listed_texts
from embedlab.ui.frame.files import csv_download
from embedlab.ui.frame.layout import chart, escaped, fragment, number_row
from embedlab.ui.frame.page import needs_labels
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import by_distance, corpus_of, is_dark, named, one_of, shown_distance

ALL = "All classes"
ORDERS = {"change": "Change", "texts": "Size"}
SHOWN = 300  # texts in a table; the download has all
GAINED, MISTAKES, SUSPICIOUS = "Gained", "Mistakes", "Suspicious labels"
_LEAST_VOTES = {10: "all 10 neighbors", 9: "9 neighbors", 8: "8 neighbors", 7: "7 neighbors"}


def show_classes(run: RunFolder) -> None:
    """The figure, then the texts behind it; if nothing was predicted yet, the button that starts it."""
    result = read_result(run)
    if result is None or needs_labels(run, result):
        return
    folds = read_folds(run, shown_distance())
    if folds is None:
        _not_yet(run, result)
    else:
        fragment(_classes, key=f"classes-{run.id}")(run, folds)


def _not_yet(run: RunFolder, result: RunResult) -> None:
    if saw_labels(run):
        st.info(f"{TEST_TEXTS_ONLY} This run has no stored predictions for them: train it again.")
        return
    left_out = result.warned("W-NO-FOLDS")
    if left_out:
        st.info(escaped(left_out[0], 400))
        return
    st.write("Classes need predictions over ten folds, not only for the test texts. This run has none yet.")
    job_panel(PredictFolds(run=run.id), start="Predict the labeled texts", key="classes.folds")


_ORDER = "classes.order"


def _classes(run: RunFolder, folds: Folds) -> None:
    _numbers(folds)
    by, order = by_distance(folds.distance), st.session_state.get(_ORDER, "change")
    figure = class_changes(folds.classes, by=order, measured=by, identity=run.id, beginning=word_of_before(run),
                           dark=is_dark())  # fmt: skip
    chart(figure, key=f"classes-{run.id}")
    about = f"Every tested text is predicted once by its ten nearest texts {by} in the other nine of ten folds."
    if folds.of_test_texts:
        about = f"{TEST_TEXTS_ONLY} Each is predicted by its ten nearest train texts {by}."
    classes, by_chance = count(len(folds.classes)), count(max(round(len(folds.classes) / 20), 1))
    whiskers = f"95 % of the change. Of {classes} classes about {by_chance} would look changed by chance alone."
    st.caption(f"{about} Whiskers: {whiskers}")
    with st.expander("Advanced"), st.container(horizontal=True, vertical_alignment="bottom"):
        one_of("Order by", ORDERS, key=_ORDER, first="change")
        at_least = VOTES
        if not folds.of_test_texts:
            at_least = st.selectbox(
                "A label is suspicious from", index=list(_LEAST_VOTES).index(VOTES), key="classes.votes", width=230,
                help="How many of the ten nearest texts have to agree on another label.", **named(_LEAST_VOTES),
            )  # fmt: skip
        csv_download(lambda: classes_table(folds), f"classes-{folds.distance}.csv", "Download the classes as CSV",
                      key="classes.csv")  # fmt: skip
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The texts of this run are no longer in the store. Add their corpus again to see which changed.")
    else:
        _texts(run, corpus, folds, at_least)


def _numbers(folds: Folds) -> None:
    """Over the tested texts: right before and after, and how many texts and classes changed."""
    before, after = (float((side == folds.labels).mean()) for side in (folds.before, folds.after))
    row = number_row()
    by, tested = by_distance(folds.distance), texts_tested(folds.protocol, len(folds.rows))
    row.metric(f"kNN accuracy {by}, before", percent(before), help=f"{tested[0].upper()}{tested[1:]}.")
    row.metric("after", percent(after), after - before, help=f"The kept encoder {by}.")
    row.metric("Texts gained", count(len(texts_gained(folds, None))), help="Wrong before and right after.")
    row.metric("Texts lost", count(len(texts_lost(folds, None))), help="Right before and wrong after.")
    better = sum(each.difference.low > 0 for each in folds.classes)
    worse = sum(each.difference.high < 0 for each in folds.classes)
    explained = f"Of {count(len(folds.classes))} classes: those whose 95 % interval is above, or below, zero."
    row.metric("Classes better / worse", f"{count(better)} / {count(worse)}", help=explained)


def _texts(run: RunFolder, corpus: Corpus, folds: Folds, at_least: int) -> None:
    st.subheader("The texts behind the numbers", anchor=False)
    names = [ALL, *(each.label for each in folds.classes)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = st.selectbox("Class", range(len(names)), format_func=names.__getitem__, key=class_choice(run))
        views = [GAINED, LOST, MISTAKES, *([] if folds.of_test_texts else [SUSPICIOUS])]
        view = one_of("Show", views, key=VIEW, first=GAINED)
    if folds.of_test_texts:
        st.caption(NO_SUSPICIOUS_LABELS)
    chosen = None if label == 0 else names[label]
    if view == SUSPICIOUS:
        _suspicious(corpus, folds, chosen, at_least)
    elif view == MISTAKES:
        _mistakes(corpus, folds, chosen)
    else:
        positions = (texts_gained if view == GAINED else texts_lost)(folds, chosen)
        change = "wrong before and right after" if view == GAINED else "right before and wrong after"
        _predicted(corpus, folds, positions, f"{counted(len(positions), 'text')} {change}.", view.lower())


def _suspicious(corpus: Corpus, folds: Folds, label: str | None, at_least: int) -> None:
    table, positions = suspicious_table(folds, corpus, label, at_least=at_least, most=SHOWN)
    line = f"{counted(len(positions), 'text')} whose neighbors agree on another label, most votes first. "
    st.caption(line + "A wrong label, or a text between two classes: read it before changing anything.")
    listed_texts(
        corpus,
        table,
        key=f"classes.suspicious-{label}-{at_least}-{folds.distance}",
        whole=lambda: suspicious_table(folds, corpus, label, at_least=at_least)[0],
        name=f"suspicious-labels-{folds.distance}.csv",
        of=len(positions),
    )


def _mistakes(corpus: Corpus, folds: Folds, label: str | None) -> None:
    mistakes = mistakes_of(folds, label)
    if not mistakes:
        st.caption("No text is mistaken for another class, neither before nor after.")
        return
    st.caption(
        "Which classes are mistaken for which, counted in texts; clear: the 95 % interval of the change excludes 0."
    )
    line = listed(
        mistakes_table(mistakes), key=f"classes.mistakes-{label}-{folds.distance}", most=7, changes={"change": (0, "")},
        alt="Pairs of confused classes, one per row.", file=f"mistakes-{folds.distance}.csv",
        hint="Choose a row to read its texts.",
    )  # fmt: skip
    if line is None:
        return
    chosen = mistakes[line]
    positions = texts_of_mistake(folds, chosen)
    sentence = f"{counted(len(positions), 'text')} of {chosen.label} mistaken for {chosen.taken_for}."
    _predicted(corpus, folds, positions, sentence, "mistake")


def _predicted(corpus: Corpus, folds: Folds, positions: np.ndarray, sentence: str, name: str) -> None:
    st.caption(escaped(sentence if folds.of_test_texts else f"{sentence} In brackets: votes of ten.", 200))
    listed_texts(
        corpus,
        predictions_table(folds, corpus, positions[:SHOWN]),
        key=f"classes.{name}-{folds.distance}",
        whole=lambda: predictions_table(folds, corpus, positions, whole=True),
        name=f"{name}-{folds.distance}.csv",
        of=len(positions),
    )


def example_classes() -> None:
    """Shows the packaged run's numbers and classes until there is a run."""
    run = example_instead("A run's metrics, its benchmarks, and each class before and after appear here.")
    if run is None or (result := read_result(run)) is None:
        return
    numbers(run, result)
    folds = folds_of(run, shown_distance(), only_test_texts=True)
    if folds is not None:
        by = by_distance(folds.distance)
        chart(class_changes(folds.classes, measured=by, dark=is_dark()), key="example.classes")
        st.caption(f"{count(len(folds.rows))} test texts {by}. Whiskers: 95 % of the change.")
