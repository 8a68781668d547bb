"""A run on public benchmarks: what a set would download, the button that starts it, its scores beside the papers'."""

from pathlib import Path

import pyarrow as pa
import streamlit as st

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import BenchmarkSet, BenchmarkTask
from embedlab.benchmarks.score_rows import (
    STATES,
    ScoreRow,
    gained,
    group_rows,
    notes_of,
    printed_models,
    printed_value,
    summaries_of,
)
from embedlab.figures.length import gains_by_length
from embedlab.jobs.requests.drawing import Side
from embedlab.jobs.requests.measuring import MeasureBenchmark
from embedlab.numbers import counted, fixed
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.state import State, read_state
from embedlab.runs.store import settings_of
from embedlab.store_root import read_json_if_whole
from embedlab.ui.frame.layout import chart, escaped, show_table
from embedlab.ui.frame.progress import begin, follow_job
from embedlab.ui.frame.state import is_dark, named, one_of

SET, STATE, TASKS, FOLDER, MODELS = (f"benchmarks.{name}" for name in ("set", "state", "tasks", "folder", "models"))
_ABOUT = "Scores are stored per encoder: two runs never share one. In percent, higher is better:"
_WHERE = (
    "The folder data-eval that the authors' package writes: pip install useb, then python -m useb.downloading all. "
    "It contains askubuntu, cqadupstack, twitterpara and scidocs."
)


def show_benchmarks(run: RunFolder) -> None:
    """The tab: choose a set, see what it would download, measure, and read the scores."""
    titles = {each.key: each.title for each in BENCHMARKS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        benchmark = BENCHMARKS[st.selectbox("Benchmark", key=SET, **named(titles))]
        folder = _folder(benchmark)
    paper = f" {benchmark.paper}." if benchmark.paper else ""
    st.caption(escaped(f"{benchmark.sentence}{paper} {benchmark.averaging}", 400))
    measuring = st.container()
    with st.expander("Advanced"):
        state = one_of("Encoder", states_of(run), key=STATE, first="after")
        names = [task.key for task in benchmark.tasks]
        chosen = st.multiselect("Tasks", names, key=f"{TASKS}-{benchmark.key}", placeholder=f"All {len(names)}")
        settings = settings_of(run)
        models = printed_models(benchmark.key, encoder=settings.get("encoder"), recipe=settings.get("recipe"))
        if models:
            models = st.multiselect("Compare with the papers' models", models, default=models[:BESIDE],
                                    key=f"{MODELS}-{benchmark.key}")  # fmt: skip
    with measuring:
        _measure(run, benchmark, state, chosen, folder)
    _scores(run, benchmark, models)


def _measure(run: RunFolder, benchmark: BenchmarkSet, state: Side, chosen: list[str], folder: str | None) -> None:
    """What the chosen tasks would download, and the button; while a job works, its progress."""
    job = newest_job(MeasureBenchmark.task, run=run.id, set=benchmark.key, state=state)
    if job is not None and not follow_job(job).is_over:
        return
    if job is not None and read_state(job).state is State.FINISHED:
        missing = (read_json_if_whole(job.result) or {}).get("missing_sentence")
        if missing:
            st.warning(escaped(missing, 1000))
    not_installed = benchmark.not_installed
    if not_installed is not None:
        st.info(escaped(not_installed, 400))
    tasks = [task for task in benchmark.tasks if not chosen or task.key in chosen]
    if benchmark.reader != "useb":
        _needs(tasks)
    request = MeasureBenchmark(set=benchmark.key, run=run.id, state=state, tasks=tuple(chosen), folder=folder)
    label = f"Measure {counted(len(tasks), 'task')}" + ("" if state == "after" else f" ({word_of_before(run)})")
    is_incomplete = not_installed is not None or (benchmark.reader == "useb" and folder is None)
    st.button(label, key="benchmarks.start", type="primary", on_click=begin, args=(request,), disabled=is_incomplete)


def _folder(benchmark: BenchmarkSet) -> str | None:
    """USEB's folder as typed, once it exists."""
    if benchmark.reader != "useb":
        return None
    written = st.text_input("Folder of USEB's files on this computer", key=FOLDER, help=_WHERE).strip()
    if not written:
        st.caption(escaped(_WHERE, 400))
        return None
    path = Path(written).expanduser()
    if not path.is_dir():
        st.error(escaped(f"There is no folder {written!r} on this computer. Choose the folder data-eval.", 400))
        return None
    return str(path.resolve())


def _needs(tasks: list[BenchmarkTask]) -> None:
    """Says how much would be downloaded, in one sentence and collapsed task by task."""
    here = {task.key: task.is_here for task in tasks}
    data_sets = [sorted({each.dataset for each in task.datasets}) for task in tasks]
    if absent := [task.texts for task in tasks if not here[task.key]]:
        sizes = [texts for texts in absent if texts]
        held = (
            f"{counted(sum(sizes), 'text')} in all"
            if len(sizes) == len(absent)
            else "with the size that the hub reports at the start"
        )
        sets = "1 task has" if len(absent) == 1 else f"{len(absent)} of {len(tasks)} tasks have"
        st.write(f"{sets} data that is not on this computer and would be downloaded, {held}.")
    else:
        st.write("All data is on this computer: nothing would be downloaded.")
    with st.expander("Task by task"):
        table = {
            "Task": list(here),
            "Type": [task.type for task in tasks],
            "Data set": [names[0] if len(names) == 1 else f"{len(names)} data sets" for names in data_sets],
            "Texts": [task.texts for task in tasks],
            "On this computer": list(here.values()),
        }
        show_table(pa.table(table), alt="What each task would download, and how many texts it has.")


def states_of(run: RunFolder) -> dict[str, str]:
    """Names of the run's two encoders."""
    return STATES | {"before": word_of_before(run).capitalize()}


def _scores(run: RunFolder, benchmark: BenchmarkSet, chosen_models: list[str]) -> None:
    scores = summaries_of(run, benchmark.key)
    if not scores and not chosen_models:
        return
    rows = group_rows(benchmark, scores, chosen_models)
    heads = {state: states_of(run)[state] for state in scores}
    table, alt = scores_table(benchmark, rows, heads, chosen_models), "Scores by task with the papers' values."
    st.container(key="benchmarks-scores").table(table, hide_index=True, alt=alt)
    if not scores:
        st.caption("This run has no score on this set yet; these are the papers' own.")
    if any(summary.average is None for summary in scores.values()):
        done = max(len(summary.scores) for summary in scores.values())
        st.caption(f"{done} of {len(benchmark.tasks)} tasks have a score; the average needs them all.")
    tasks = gained(benchmark, scores)
    if len(tasks) > 1:
        chart(gains_by_length(tasks, dark=is_dark()), key=f"benchmarks.lengths-{benchmark.key}")
        st.caption(
            "One point per task: does training help long documents more? The tasks are few and differ in "
            "other ways too."
        )
    for line in [*notes_of(benchmark.key, chosen_models), f"{_ABOUT} {benchmark.measures}."]:
        st.caption(escaped(line, 400))


NOTHING = "–"
BESIDE = 4  # models of a paper that are shown unless somebody chooses others


def scores_table(benchmark: BenchmarkSet, rows: list[ScoreRow], states: dict[str, str], models: list[str]) -> pa.Table:
    """Percent with one decimal; groups and the average in bold, the papers' columns in grey.

    states: state -> the head of its column
    """
    columns = {"Task": [_bold(escaped(row.name), row) for row in rows]}
    for state, head in states.items():
        columns[head] = [_bold(_percent(row.values.get(state)), row) for row in rows]
    for model in models:
        values = [printed_value(benchmark.key, model, row.key) for row in rows]
        columns[f":gray[{escaped(model)}]"] = [f":gray[{_percent(v.share if v else None)}]" for v in values]
    return pa.table(columns)


def _bold(written: str, row: ScoreRow) -> str:
    return written if row.is_task or written == NOTHING else f"**{written}**"


def _percent(share: float | None) -> str:
    return NOTHING if share is None else fixed(100 * share, 1)
