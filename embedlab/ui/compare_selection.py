"""The chosen runs on the texts of a selection only: kNN accuracy by ten folds, before and after, with intervals."""

from pathlib import Path

import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import FINGERPRINT
from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.selected_accuracy import SelectedAccuracy, accuracy_on
from embedlab.runs.selections import Selection, list_selections, rows_of
from embedlab.runs.store import fingerprint_of
from embedlab.ui.maps.selections import selection_picker
from embedlab.ui.measuring import measure_button
from embedlab.ui.page import show_error
from embedlab.ui.text import count, escaped, percent, points, share_range

OFFERED = 3  # runs at once whose texts can be predicted
_ABOUT = (
    "kNN accuracy by ten folds, of the selection's labelled texts only; their neighbors are sought among all labelled "
    "texts. In brackets 95 % intervals; a change is clear where its interval leaves 0."
)


def selection_view(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """Draw the choice of a selection on any of these runs' corpora, and their table; nothing where none is stored."""
    of = {run.id: corpus for run in chosen if (corpus := _corpus_of(run)) is not None}
    corpora = list(dict.fromkeys(of.values()))
    if not any(list_selections(corpus) for corpus in corpora):
        return
    st.subheader("On a selection", anchor=False)
    selection = selection_picker(corpora)
    if selection is None:
        st.caption("Choose a selection to see how these runs do on its texts alone.")
        return
    runs = [run for run in chosen if of.get(run.id) == selection.corpus]
    try:
        found = {run: _accuracy(run, selection) for run in runs}
    except EmbedlabError as error:
        show_error(error)
        return
    measured = {run: each for run, each in found.items() if each is not None}
    if measured:
        st.table(accuracy_table(measured, names), hide_index=True, alt=f"{len(measured)} runs on one selection.")
        st.caption(_said(selection, measured, left_out=len(chosen) - len(runs)))
    unpredicted = [run for run in runs if not run.predictions_by_folds.exists() and not saw_labels(run)]
    for run in unpredicted[:OFFERED]:
        label = f"Predict all labelled texts of {escaped(names[run.id], 60)}"
        measure_button("folds", {"run": run.id}, label, key=f"compare.folds-{run.id}", primary=False)
    if not measured and not unpredicted:
        st.caption("None of the selection's texts has a label, so kNN accuracy has nothing to say of them.")


def accuracy_table(measured: dict[RunFolder, SelectedAccuracy], names: dict[str, str]) -> pa.Table:
    """Markdown cells, one row a run."""
    rows = [
        {
            "run": escaped(names[run.id]) + (" (test texts only)" if each.of_test_texts else ""),
            "n": count(each.after.n),
            "before": f"{percent(each.before.value)} ({_range(each.before)})",
            "after": f"{percent(each.after.value)} ({_range(each.after)})",
            "change": f"{points(each.difference.value)} ({_range(each.difference)})"
            + (", clear" if each.difference.is_clear else ""),
        }
        for run, each in measured.items()
    ]
    return pa.Table.from_pylist(rows)


def _range(interval) -> str:
    return share_range(interval.low, interval.high).removeprefix("95 %: ")


def _said(selection: Selection, measured: dict, *, left_out: int) -> str:
    labelled = max(each.after.n for each in measured.values())
    said = [f"{selection.name}: {count(labelled)} of its {count(selection.texts)} texts have a label."]
    if any(each.of_test_texts for each in measured.values()):
        said.append("Runs whose lineage was trained on labels are told by the test texts among them only.")
        said[:1] = said[:1] if not all(each.of_test_texts for each in measured.values()) else []
    if left_out:
        said.append(f"{count(left_out)} of the chosen runs are on other texts and left out.")
    return escaped(" ".join(said), 300) + "  \n" + _ABOUT


def _corpus_of(run: RunFolder) -> str | None:
    try:
        found = fingerprint_of(run)
    except EmbedlabError:
        return None
    return found if FINGERPRINT.fullmatch(str(found)) else None


def _accuracy(run: RunFolder, selection: Selection) -> SelectedAccuracy | None:
    file = run.predictions if saw_labels(run) else run.predictions_by_folds
    if not file.exists():
        return None
    changed = file.stat().st_mtime_ns
    return _cached(str(run.path), changed, selection.id, selection.content, selection)


@st.cache_resource(max_entries=200, show_spinner=False)
def _cached(path: str, changed: int, selection: str, content: str, _selection: Selection) -> SelectedAccuracy | None:
    return accuracy_on(RunFolder(Path(path)), rows_of(_selection))
