"""Which classes a run made clearly better or worse, and the way to the texts that it lost."""

import streamlit as st

from embedlab.numbers import counted
from embedlab.report.class_tables import changes_sentence, texts_lost, worst_class
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import Folds, folds_of
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.state import shown_distance

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
