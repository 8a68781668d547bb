"""Whether centring, whitening or BERT-flow improve a run's embeddings: measured on request, collapsed."""

from statistics import NormalDist

import pyarrow as pa
import streamlit as st

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, other_distance
from embedlab.figures.metric_bars import post_accuracies
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.measuring import Evaluate
from embedlab.numbers import accuracy, fixed, percent, points, share_range
from embedlab.postprocessing import POSTPROCESSING
from embedlab.runs.evaluations import Evaluations
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.result import RunResult
from embedlab.runs.state import read_state
from embedlab.statistics.verdict import FEWEST_TEXTS
from embedlab.ui.components.chart import chart
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import begin
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.switches import shown_distance
from embedlab.ui.frame.text import escaped

RAW, NOTHING = "Raw", "–"
_NAMES = {"euclidean": "Euclidean", "cosine": "cosine"}
_ALL = {2: "both", 3: "all three"}
_WHICH = {"before": "Before fine-tuning", "after": "After fine-tuning"}
_ABOUT = (
    "Three ways to change finished embeddings, fitted on all texts without labels; the run stays unchanged. Raw "
    "embeddings compared with cosine are the same as embeddings divided by their length (L2) and compared with "
    "Euclidean distance."
)


def post_section(run: RunFolder, result: RunResult) -> None:
    """Collapsed: a button per missing step, then the figure, the table and the best step. Needs labels."""
    if result.knn is not None:
        with st.expander("After centring, whitening or BERT-flow"):
            _section(run, {step.key: step.title for step in POSTPROCESSING}, trained=result.steps > 0)


def _section(run: RunFolder, titles: dict[str, str], *, trained: bool) -> None:
    evaluations = Evaluations(run.path).all().get("post", {})
    states = ["before", "after"] if trained else ["before"]
    st.caption(_ABOUT)
    _measure(run, {key: title for key, title in titles.items() if key not in evaluations})
    measured = {"raw": RAW} | {key: title for key, title in titles.items() if key in evaluations}
    if len(measured) > 1:
        _show(run, evaluations, measured, states)


def _measure(run: RunFolder, missing: dict[str, str]) -> None:
    """A button for all missing steps and one for each; while a job works, its progress."""
    job = newest_job(run)
    if job is not None and (missing or not read_state(job).is_over) and not follow_job(job).is_over:
        return
    with st.container(horizontal=True):
        if len(missing) > 1:
            label = f"Measure {_ALL.get(len(missing), f'all {len(missing)}')}"
            _button(run, list(missing), label, primary=True)
        for key, title in missing.items():
            _button(run, [key], f"Measure {_within(title)}")


def _button(run: RunFolder, keys: list[str], label: str, *, primary: bool = False) -> None:
    request = Evaluate(run=run.id, post=tuple(keys))
    st.button(label, key=f"post-{'-'.join(keys)}", type="primary" if primary else "secondary", on_click=begin,
              args=(request,))  # fmt: skip


def newest_job(run: RunFolder) -> RunFolder | None:
    """The newest job that measures steps of this run, in any state."""
    return next((job for job in find_jobs(Evaluate.task, run=run.id) if read_request(job, Evaluate).post), None)


def _show(run: RunFolder, evaluations: dict, titles: dict[str, str], states: list[str]) -> None:
    for state in states:
        opening = _WHICH[state] if len(states) > 1 else "Here"
        line = best_sentence(evaluations, titles, state, opening=opening)
        if line:
            st.write(escaped(line, 400))
    distance = shown_distance()
    chart(
        post_accuracies(figure_rows(evaluations, titles, states), first_distance=distance, dark=is_dark()),
        key=f"post-{run.id}",
    )
    table = post_table(evaluations, titles, states, distance)
    st.table(table, hide_index=True, alt="kNN accuracy after each step, one row a step.")
    for line in remarks(evaluations, titles, states):
        st.caption(escaped(line, 400))


def cells(evaluations: dict, titles: dict[str, str], state: str) -> list[dict]:
    """The measured steps of one state by both distances: title, distance, value, standard error, difference to raw."""
    measured = [
        (key, title, evaluations[key][state]) for key, title in titles.items() if "knn" in evaluations[key][state]
    ]
    return [
        {
            "title": title,
            "state": state,
            "distance": distance,
            "value": row["knn"][distance]["value"],
            "standard_error": row["knn"][distance]["error"],
            "against_raw": None if key == "raw" else row["against_raw"][distance],
        }
        for key, title, row in measured
        for distance in (EUCLIDEAN, COSINE)
    ]


def best_sentence(evaluations: dict, titles: dict[str, str], state: str, *, opening: str) -> str:
    """The best step in one state, and its difference to the raw embeddings by the same distance."""
    measured = cells(evaluations, titles, state)
    steps = [cell for cell in measured if cell["against_raw"] is not None]
    if not steps:
        return ""
    raw = max((cell for cell in measured if cell["against_raw"] is None), key=lambda cell: cell["value"])
    best = max(steps, key=lambda cell: cell["value"])
    change, low, high = among(best["against_raw"], of=len(steps))
    named = f"{_within(best['title'])} ({_by(best)})"
    against = f"{points(change)} against raw with the same distance ({share_range(low, high)})"
    if best["value"] <= raw["value"]:
        return (
            f"{opening}, no step does better than the raw embeddings ({_by(raw)}), {percent(raw['value'])};"
            f" of the steps {named} comes closest, {percent(best['value'])}."
        )
    if low > 0 and evaluations["raw"][state]["knn"][EUCLIDEAN]["n"] >= FEWEST_TEXTS:
        return f"{opening}, {named} is best: {percent(best['value'])}, {against}."
    return f"{opening}, no clear change: {named} comes out best with {percent(best['value'])}, {against}."


def among(difference: dict, *, of: int) -> tuple[float, float, float]:
    """A paired difference with its 95 % interval widened for being the best of ``of`` (Bonferroni)."""
    middle, half = (difference["low"] + difference["high"]) / 2, (difference["high"] - difference["low"]) / 2
    half *= NormalDist().inv_cdf(1 - 0.025 / of) / 1.96
    return difference["difference"], max(middle - half, -1.0), min(middle + half, 1.0)


def figure_rows(evaluations: dict, titles: dict[str, str], states: list[str]) -> list[dict]:
    """Every measured value, steps in display order."""
    return [cell for state in states for cell in cells(evaluations, titles, state)]


def post_table(evaluations: dict, titles: dict[str, str], states: list[str], first: Distance = SHOWN_FIRST) -> pa.Table:
    """One row per step, ``58.9 % ± 2.4`` by both distances before and after, the shown one first."""
    accuracies = {(cell["title"], cell["distance"], cell["state"]): accuracy(cell["value"], cell["standard_error"])
            for cell in figure_rows(evaluations, titles, states)}  # fmt: skip
    columns = {"embeddings": list(titles.values())}
    for distance in (first, other_distance(first)):
        for state in states:
            name = f"{_NAMES[distance]}, {state}" if len(states) > 1 else _NAMES[distance]
            columns[name] = [accuracies.get((title, distance, state), NOTHING) for title in titles.values()]
    return pa.table(columns)


def remarks(evaluations: dict, titles: dict[str, str], states: list[str]) -> list[str]:
    """How it was measured, the steps' remarks, and which could not be fitted."""
    raw = evaluations["raw"][states[0]]
    lines = [
        f"{raw['knn'][EUCLIDEAN]['n']:,} test texts, k = {raw['k']}, ± one standard error. Differences are paired over "
        "the same test texts; their intervals account for picking the best of all steps."
    ]
    for key, title in titles.items():
        for state in states:
            row, when = evaluations[key][state], f", {state}" if len(states) > 1 else ""
            if "refused" in row:
                lines.append(f"{title}{when}: not measured. {row['refused']}")
            lines += [f"{title}{when}: {remark}" for remark in row.get("remarks", ())]
            if "bits_per_dimension" in row:
                start, end = row["bits_per_dimension_start"], row["bits_per_dimension"]
                lines.append(f"{title}{when}: {_bits(start)} → {_bits(end)} bits per dimension; fewer is likelier.")
    return lines


def _within(title: str) -> str:
    """A title as it reads within a sentence: centring, whitening, BERT-flow."""
    return title.lower() if title.istitle() else title


def _by(cell: dict) -> str:
    return DISTANCES[cell["distance"]]


def _bits(value: float) -> str:
    return fixed(value, 2)
