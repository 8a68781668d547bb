"""Whether centering, whitening or BERT-flow improve a run's embeddings: measured on request, collapsed."""

import streamlit as st

from embedlab.figures.metric_bars import post_accuracies
from embedlab.jobs.requests.measuring import Evaluate
from embedlab.postprocessing import POSTPROCESSING
from embedlab.report.post_words import RAW, best_sentence, cells, newest_job, post_table, remarks, within
from embedlab.runs.evaluations import Evaluations, Post
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult
from embedlab.runs.state import read_state
from embedlab.ui.frame.layout import chart, escaped
from embedlab.ui.frame.progress import begin, follow_job
from embedlab.ui.frame.state import is_dark, shown_distance

_ALL = {2: "both", 3: "all three"}


def post_section(run: RunFolder, result: RunResult) -> None:
    """Collapsed: a button per missing step, then the figure, the table and the best step. Needs labels."""
    if result.knn is None:
        return
    post = Evaluations(run.path).post()
    states = ["before", "after"] if result.steps else ["before"]
    with st.expander("After centering, whitening or BERT-flow"):
        st.caption(
            "Three ways to change finished embeddings, fitted on all texts without labels; the run stays unchanged. "
            "Raw embeddings compared with cosine are the same as embeddings divided by their length (L2) and compared "
            "with Euclidean distance."
        )
        _measure(run, {step.key: step.title for step in POSTPROCESSING if step.key not in post})
        measured = {"raw": RAW} | {step.key: step.title for step in POSTPROCESSING if step.key in post}
        if len(measured) > 1:
            _show(run, post, measured, states)


def _measure(run: RunFolder, missing: dict[str, str]) -> None:
    """A button for all missing steps and one for each; while a job works, its progress."""
    job = newest_job(run)
    if job is not None and (missing or not read_state(job).is_over) and not follow_job(job).is_over:
        return
    with st.container(horizontal=True):
        if len(missing) > 1:
            _button(run, list(missing), f"Measure {_ALL.get(len(missing), f'all {len(missing)}')}", primary=True)
        for key, title in missing.items():
            _button(run, [key], f"Measure {within(title)}")


def _button(run: RunFolder, keys: list[str], label: str, *, primary: bool = False) -> None:
    st.button(label, key=f"post-{'-'.join(keys)}", type="primary" if primary else "secondary", on_click=begin,
              args=(Evaluate(run=run.id, post=tuple(keys)),))  # fmt: skip


def _show(run: RunFolder, post: Post, titles: dict[str, str], states: list[str]) -> None:
    for state in states:
        opening = f"{state.capitalize()} fine-tuning" if len(states) > 1 else "Here"
        if line := best_sentence(post, titles, state, opening=opening):
            st.write(escaped(line, 400))
    distance = shown_distance()
    chart(post_accuracies(cells(post, titles, states), first_distance=distance, dark=is_dark()), key=f"post-{run.id}")
    table = post_table(post, titles, states, distance)
    st.table(table, hide_index=True, alt="kNN accuracy after each step, one row a step.")
    for line in remarks(post, titles, states):
        st.caption(escaped(line, 400))
