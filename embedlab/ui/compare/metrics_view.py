"""The chosen runs by every metric: bars, one table per corpus, what is missing, and the table for export."""

from collections.abc import Sequence
from math import inf

import pyarrow as pa
import streamlit as st

from embedlab.comparison.best import (
    Comparison,
    compare_rows,
    grouped,
    is_quick,
    measured_metrics,
    measures_of,
    state_of_knowledge,
    title_of,
    values_only,
)
from embedlab.comparison.published import place_of, published_beside
from embedlab.comparison.rows import ComparedRow, compared_rows
from embedlab.comparison.sheet import comparison_sheet, head_of, scale_of
from embedlab.comparison.tables import SIGNS, Sheet, TableGroup, markdown_cell
from embedlab.comparison.values import missing_of, values_of
from embedlab.corpora.sets.stored import list_sets
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.diagnostics import NUMBERS
from embedlab.distance import Distance, is_of_papers
from embedlab.figures.metric_bars import Bar, BarPanel, metric_bars
from embedlab.jobs.requests.measuring import CompareRuns, Evaluate
from embedlab.metrics import METRICS
from embedlab.metrics.base import why_not_served
from embedlab.numbers import counted
from embedlab.report.evaluation_jobs import evaluation, newest_evaluation
from embedlab.report.run_rows import numbers_table
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.store_root import read_json_if_whole, store_root
from embedlab.ui.compare.selection_view import selection_view
from embedlab.ui.compare.sheets_view import export_button
from embedlab.ui.frame.layout import chart, escaped, show_table, whole_table
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import job_panel, start_once
from embedlab.ui.frame.state import is_dark, named, several_of, shown_distance

SOURCE, METRICS_SHOWN = "compare.source", "compare.metrics"
FIRST_SHOWN = 3  # as many panels as stand side by side


def metrics_view(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """Everything about the chosen runs on one source."""
    with_metrics = {each for run in chosen for each in Evaluations(run.path).all().get("metrics", {})}
    sets = {info.fingerprint: info.name for info in list_sets() if info.fingerprint in with_metrics}
    source = CORPUS
    if sets:  # that measured some of the runs
        options = {CORPUS: "their own corpora", **sets}
        source = st.selectbox("Measured on", key=SOURCE, persist_state="session", **named(options))
    rows = compared_rows(chosen, names, source)
    metrics = _metric_picker(rows, source)
    measured = [metric for metric in metrics if any(metric in values_of(row, source) for row in rows)]
    if not measured:
        st.info("These runs have not been measured with these metrics yet. Measure them, or choose others.")
        measure_missing(rows, source, metrics)
        show_measuring(rows, source, metrics, names)
        return
    comparison, is_marked = comparison_of(rows, source, measured)
    distance = shown_distance()
    sheet = comparison_sheet(rows, comparison, source=source, source_name=sets.get(source, ""), first=distance)
    # one figure per group, because values on different corpora do not belong on one axis
    for (key, members), group in zip(grouped(rows, source).items(), sheet.groups, strict=True):
        if all(cell.value is None for line in group.lines for cell in line.cells):
            continue  # the table says it, and which runs
        panels = [_panel(*measures_of(metric, distance)[0], sheet, members, group, source) for metric in measured]
        title = group.title if len(sheet.groups) > 1 else ""
        figure = metric_bars([line.words[0] for line in group.lines], panels, title=title, dark=is_dark())
        chart(figure, key=f"compare.bars-{key}")
    _tables(sheet, [metric for metric in metrics if metric not in measured])
    st.caption("  \n".join(escaped(note, 1000) for note in sheet.notes_with_legend()))
    with st.container(horizontal=True, vertical_alignment="center"):
        if is_marked:
            export_button(sheet, "comparison", key="compare.export")
        measure_missing(rows, source, metrics)
    show_measuring(rows, source, metrics, names)
    selection_view(chosen, names)


def brief_comparison(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """The runs by the first measured metrics, in one table per corpus; the view Metrics has the rest."""
    rows = compared_rows([run for run in chosen if read_result(run) is not None], names)
    quick = [metric for metric in measured_metrics(rows) if is_quick(rows, CORPUS, metric)][:FIRST_SHOWN]
    if not quick:
        st.caption("These runs have no measured metrics to compare yet.")
        return
    comparison, _ = comparison_of(rows, CORPUS, quick)
    sheet = comparison_sheet(rows, comparison, source=CORPUS, source_name="", first=shown_distance())
    _tables(sheet, [])
    st.caption("  \n".join(escaped(note, 1000) for note in sheet.notes_with_legend()))


def _metric_picker(rows: list[ComparedRow], source: str) -> list[str]:
    """Draws the choice of metrics, measured ones first, then those that all corpora serve; returns the chosen ones."""
    measured = options = measured_metrics(rows, source)
    if source == CORPUS:
        corpora = [info for info in list_corpora() if info.fingerprint in {row.corpus for row in rows}]
        no_labels = None if corpora and all(info.has_knn for info in corpora) else "no labels"
        has = {"titles"} if corpora and all(info.roles.get("title") for info in corpora) else set()
        served = [m.key for m in METRICS if why_not_served(m, name="", no_labels=no_labels, has=has) is None]
        options = list(dict.fromkeys([*measured, *served]))
    if not options:
        return []
    metrics = several_of(
        "Metrics", {metric: title_of(metric) for metric in options}, key=METRICS_SHOWN, at_least_one=True,
        first=measured[:FIRST_SHOWN] or options[:1], placeholder="Choose metrics",
    )  # fmt: skip
    return sorted(metrics, key=options.index)


def _panel(
    metric: str, distance: Distance | None, sheet: Sheet, rows: list[ComparedRow], group: TableGroup, source: str
) -> BarPanel:
    head, bars = head_of(metric, distance), []
    position, is_papers = sheet.cell_heads.index(head), source == CORPUS and is_of_papers(distance)
    scale, digits, unit = scale_of(metric)
    for number, (row, line) in enumerate(zip(rows, group.lines, strict=True)):
        cell = line.cells[position]
        if cell.value is None:
            continue
        error = None if cell.error is None else scale * cell.error
        bar = Bar(number, row.kind, scale * cell.value, error, SIGNS.get(cell.mark, ""))
        if is_papers and (printed := published_beside(row, metric)) is not None:
            share = None if printed.share is None else scale * printed.share
            bar = bar._replace(published=share, published_in=place_of(printed))
        bars.append(bar)
    return BarPanel(head, digits, bars, most=scale if unit else inf)  # a rank has neither


def _tables(sheet: Sheet, unmeasured: list[str]) -> None:
    for position, group in enumerate(sheet.groups):
        if group.title:
            st.markdown(f"**{escaped(group.title)}**")
        alt = f"{len(group.lines)} rows by {len(sheet.cell_heads)} metrics."
        whole_table(metric_table(sheet, group, unmeasured), key=f"compare-table-{position}", alt=alt)


def metric_table(sheet: Sheet, group: TableGroup, unmeasured: Sequence[str] = ()) -> pa.Table:
    """Markdown cells: the best in bold, not separable in italics, each with its sign; published values grey."""
    columns = {"run": [escaped(line.words[0]) for line in group.lines]}
    for position, head in enumerate(sheet.cell_heads):
        cells = [line.cells[position] for line in group.lines]
        columns[head] = [f":gray[{cell.in_words}]" if cell.is_published else markdown_cell(cell) for cell in cells]
    heads = [head_of(*each) for metric in unmeasured for each in measures_of(metric, shown_distance())]
    columns |= {head: ["–"] * len(group.lines) for head in heads}
    return pa.table(columns)


def comparison_of(rows: list[ComparedRow], source: str, metrics: list[str]) -> tuple[Comparison, bool]:
    """The result of ``compare_rows``, and whether it is complete; until then slow metrics have no marks.

    Those are compared by the job for exactly this comparison, which the first call starts.
    """
    knowledge = state_of_knowledge(rows, source)
    quick = [metric for metric in metrics if is_quick(rows, source, metric)]
    slow = [metric for metric in metrics if metric not in quick]
    compared = _quick(str(store_root()), knowledge, source, tuple(quick), rows) if quick else {}
    done: Comparison | None = {}
    if slow:
        keys = tuple(row.key for row in rows)
        request = CompareRuns(rows=keys, source=source, metrics=tuple(slow), of=knowledge)
        results: list[dict | None] = []
        job_panel(
            request, key="compare.again", stop="", show=lambda job: results.append(read_json_if_whole(job.result))
        )
        done = (results[0] or {}).get("metrics") if results else None
    compared = compared | (values_only(rows, source=source, metrics=slow) if done is None else done)
    return {metric: compared[metric] for metric in metrics}, done is not None


@st.cache_data(max_entries=64, show_spinner=False)
def _quick(store: str, knowledge: str, source: str, metrics: tuple[str, ...], _rows: list[ComparedRow]) -> Comparison:
    return compare_rows(_rows, source=source, metrics=metrics)


AT_ONCE = 4  # jobs that one click starts: each reads a corpus


def _missing(rows: list[ComparedRow], source: str, metrics: list[str]) -> list[tuple[Evaluate, RunFolder | None]]:
    """What would measure the metrics that a run lacks, for each such run, and the newest job that measures the run."""
    missing = missing_of(rows, source, metrics)
    return [(evaluation(run, source, lacking), newest_evaluation(run)) for run, lacking in missing.items()]


def measure_missing(rows: list[ComparedRow], source: str, metrics: list[str]) -> None:
    """The button, for runs that no job is measuring yet."""
    missing = _missing(rows, source, metrics)
    waiting = [request for request, job in missing if job is None or read_state(job).is_over]
    if waiting:
        label = f"Measure what is missing of {counted(len(waiting), 'run')}"
        explained = "Before and after, in the background. It takes minutes on a large corpus."
        if len(waiting) > AT_ONCE:
            explained += f" One click measures {AT_ONCE} of them."
        st.button(label, key="compare.measure", on_click=_start, args=(waiting[:AT_ONCE],), help=explained)


def show_measuring(rows: list[ComparedRow], source: str, metrics: list[str], names: dict[str, str]) -> None:
    """The jobs that measure missing metrics: their progress, or why they failed."""
    for request, job in _missing(rows, source, metrics):
        if job is not None and read_state(job).state is not State.FINISHED:
            st.caption(escaped(f"Metrics of {names.get(request.run, request.run)}"))
            job_panel(request, key=f"compare.measure-{request.run}", job=job)


def _start(requests: list[Evaluate]) -> None:
    for request in requests:
        start_once(request)


def diagnosed_numbers(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """A table of the diagnostics measured for any of them, or a link to the page that measures them."""
    st.subheader("Diagnostics", anchor=False)
    table = numbers_table(chosen, names, NUMBERS)
    if table is None:
        with st.expander("None has been measured for these runs yet"):
            st.caption("Effective rank, hubness, sensitivity to word order and others are measured run by run.")
            go_button("Open Diagnostics", "diagnostics", name="compare.diagnostics")
        return
    show_table(
        table,
        alt=f"Diagnostics of {counted(table.num_rows, 'run')}, before and after.",
        formats={"run": st.column_config.TextColumn(pinned=True)},
        placeholder="–",
    )
    st.caption("Before → after fine-tuning. A larger number is neither better nor worse by itself.")
