"""The chosen runs on the texts of a selection: kNN accuracy over ten folds, before and after, with intervals."""

from pathlib import Path

import pyarrow as pa
import streamlit as st

from embedlab.comparison.selected_accuracy import SelectedAccuracy, Share, accuracy_on
from embedlab.corpora.stored.shelf import FINGERPRINT
from embedlab.distance import DISTANCES, Distance, other_distance
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.measuring import PredictFolds
from embedlab.measurement import Difference
from embedlab.numbers import count, percent, points, share_range
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.selections import Selection, list_selections, rows_of
from embedlab.runs.store import corpus_key
from embedlab.ui.components.selection_choice import SELECTION, selection_picker
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.layout import escaped, show_error, whole_table
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import by_distance, shown_distance

NOTHING = "–"
OFFERED = 3  # runs at once whose texts can be predicted
_ABOUT = (
    "kNN accuracy over ten folds, only of the selection's labeled texts; their neighbors come from all labeled "
    "texts. In brackets 95 % intervals; a change is clear if its interval excludes 0."
)


def selection_view(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """Folded until one is open: the choice of a selection on any of these runs' corpora, and the table.

    Nothing if none is stored.
    """
    of = {run.id: corpus for run in chosen if FINGERPRINT.fullmatch(corpus := str(corpus_key(run)))}
    corpora = list(dict.fromkeys(of.values()))
    if not any(list_selections(corpus) for corpus in corpora):
        return
    with st.expander(
        "On a selection", expanded=bool(st.query_params.get(SELECTION) or st.session_state.get(SELECTION))
    ):
        _on_selection(chosen, names, of, corpora)


def _on_selection(chosen: list[RunFolder], names: dict[str, str], of: dict[str, str], corpora: list[str]) -> None:
    selection = selection_picker(corpora)
    if selection is None:
        st.caption("Choose a selection to see how these runs do on only its texts.")
        return
    runs = [run for run in chosen if of.get(run.id) == selection.corpus]
    try:
        accuracies = {run: {each: _accuracy(run, selection, each) for each in DISTANCES} for run in runs}
    except EmbedlabError as error:
        show_error(error)
        return
    measured = {run: by for run, by in accuracies.items() if any(by.values())}
    if measured:
        table = accuracy_table(measured, names, shown_distance())
        whole_table(table, key="compare-selection", alt=f"{len(measured)} runs on one selection.")
        st.caption(_sentence(selection, measured, left_out=len(chosen) - len(runs)))
    unpredicted = [run for run in runs if not saw_labels(run) and not run.predictions_by_folds.exists()]
    for run in unpredicted[:OFFERED]:
        label = f"Predict all labeled texts of {escaped(names[run.id], 60)}"
        job_panel(PredictFolds(run=run.id), start=label, key=f"compare.folds-{run.id}", primary=False)
    if not measured and not unpredicted:
        st.caption("None of the selection's texts has a label, so there is no kNN accuracy for them.")


def accuracy_table(
    measured: dict[RunFolder, dict[Distance, SelectedAccuracy | None]], names: dict[str, str], distance: Distance
) -> pa.Table:
    """Markdown cells, one row per run: the shown distance in full, the other one briefly."""
    rows = []
    for run, by in measured.items():
        either, other = next(each for each in by.values() if each), by[other_distance(distance)]
        rows.append(
            {
                "run": escaped(names[run.id]) + (" (test texts only)" if either.of_test_texts else ""),
                "n": count(either.after.n),
                **_by_shown(by[distance], by_distance(distance)),
                DISTANCES[other_distance(distance)]: NOTHING if other is None else _briefly(other),
            }
        )
    return pa.Table.from_pylist(rows)


def _by_shown(accuracy: SelectedAccuracy | None, by: str) -> dict[str, str]:
    if accuracy is None:
        return dict.fromkeys((f"before {by}", f"after {by}", f"change {by}"), NOTHING)
    change = accuracy.difference
    return {
        f"before {by}": f"{percent(accuracy.before.value)} ({_range(accuracy.before)})",
        f"after {by}": f"{percent(accuracy.after.value)} ({_range(accuracy.after)})",
        f"change {by}": f"{points(change.value)} ({_range(change)})" + (", clear" if change.is_clear else ""),
    }


def _briefly(accuracy: SelectedAccuracy) -> str:
    change = points(accuracy.difference.value) + (", clear" if accuracy.difference.is_clear else "")
    return f"{percent(accuracy.before.value)} → {percent(accuracy.after.value)}, {change}"


def _range(interval: Share | Difference) -> str:
    return share_range(interval.low, interval.high).removeprefix("95 %: ")


def _sentence(selection: Selection, measured: dict, *, left_out: int) -> str:
    every = [next(each for each in by.values() if each) for by in measured.values()]
    labelled = max(each.after.n for each in every)
    sentences = [f"{selection.name}: {count(labelled)} of its {count(selection.texts)} texts have a label."]
    if any(each.of_test_texts for each in every):
        sentences.append("Runs whose lineage was trained on labels are measured only on the test texts among them.")
        sentences[:1] = sentences[:1] if not all(each.of_test_texts for each in every) else []
    if left_out:
        sentences.append(f"{count(left_out)} of the chosen runs are on other texts and are left out.")
    return escaped(" ".join(sentences), 300) + "  \n" + _ABOUT


def _predicted(run: RunFolder) -> Path:
    return run.predictions if saw_labels(run) else run.predictions_by_folds


@read_once(lambda run, selection, distance: [_predicted(run)], most=200)
def _accuracy(run: RunFolder, selection: Selection, distance: Distance) -> SelectedAccuracy | None:
    return accuracy_on(run, rows_of(selection), distance) if _predicted(run).exists() else None
