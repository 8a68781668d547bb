"""All runs in one table: search, filters, groups, columns; a click opens a run, ticked ones are compared or deleted.

And what Runs shows besides it: recipes by corpus, and the views of the chosen runs.
"""

import pyarrow as pa
import streamlit as st

from embedlab.comparison.rows import not_followed_by, run_names
from embedlab.distance import DISTANCES, other_distance
from embedlab.errors import EmbedlabError
from embedlab.jobs.in_use import delete_unused_run
from embedlab.numbers import counted, in_bytes
from embedlab.report.run_rows import ALWAYS, differences, failures, grouped, is_wanted, rows_of, run_row, why_no_result
from embedlab.runs.example import DROPOUT, MINI, example_run
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import bytes_of
from embedlab.runs.tags import MOST_TAGS, change_tags, tags_in_use, tags_of, tidy_tags
from embedlab.training.demo import CORPUS
from embedlab.ui.compare.curves_view import KEY, MOST, VIEW_KEY, cautions, choose_runs, race_or_curves
from embedlab.ui.compare.gallery import gallery
from embedlab.ui.compare.glance_view import glance
from embedlab.ui.compare.metrics_view import brief_comparison, diagnosed_numbers, metrics_view
from embedlab.ui.compare.sheets_view import pivot_view, side_view
from embedlab.ui.components.built_in import example_instead
from embedlab.ui.frame.files import csv_download
from embedlab.ui.frame.layout import escaped, show_table, table_height
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import RESTORABLE, attempt, faults_line, show_refusal
from embedlab.ui.frame.progress import started_elsewhere
from embedlab.ui.frame.state import pick_run, several_of, shown_distance

SEARCH, GROUP, COLUMNS = "runs.search", "runs.group", "runs.columns"
FILTERS = ("corpus", "encoder", "recipe", "state", "outcome")
FAILURES_SHOWN = 5
_REFUSED = "runs.refused"
_WORDS = (ALWAYS, *"corpus encoder recipe outcome prompts state made note tags".split(), "started from", "trained on")
_WHOLE = ("steps", "usable texts", "texts read", "seconds")
_HIDDEN_AT_FIRST = ("linear", "started from", "usable texts", "texts read", "trained on")


def runs_list(runs: list[RunFolder]) -> None:
    """The rows that match search and filters, in groups, with actions for the ticked ones."""
    show_refusal(_REFUSED)
    names, rows = run_names(runs), rows_of(runs, shown_distance())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Search", key=SEARCH, placeholder="name, tag, note, corpus, encoder, recipe", width=300,
                              persist_state="session")  # fmt: skip
        chosen = sum(bool(st.session_state.get(f"runs.only-{name}")) for name in (*FILTERS, "tags"))
        with st.popover("Filter, group, columns" + f" ({chosen})" * bool(chosen), width="content"):
            filters = _filters(rows)
            group = st.selectbox("Group by", ["", *FILTERS[:4]], key=GROUP, persist_state="session",
                                 format_func=lambda name: name or "nothing")  # fmt: skip
            offered = [name for name in rows[0] if name != ALWAYS and any(row[name] is not None for row in rows)]
            other = DISTANCES[other_distance(shown_distance())].partition(" ")[0]
            first = [name for name in offered if not name.startswith(_HIDDEN_AT_FIRST) and f", {other} (" not in name]
            key = f"{COLUMNS}-{shown_distance()}"  # the first choice is of the shown distance
            picked = several_of("Columns", offered, key=key, first=first)
    columns = [ALWAYS, *(name for name in offered if name in picked)]
    left = [(run, row) for run, row in zip(runs, rows, strict=True) if is_wanted(row, words, filters)]
    if not left:
        st.info("No run matches the search and the filters.")
        return
    if len(left) < len(runs):
        st.caption(f"{len(left)} of {counted(len(runs), 'run')} shown.")
    ticked: list[RunFolder] = []
    for value, members in grouped(left, group):
        if group:
            st.subheader(escaped(f"{value or 'none'} · {counted(len(members), 'run')}"), anchor=False)
        ticked += _table(members, columns, key=f"runs.table-{group}-{value}")
    _with_ticked(ticked, [row for _, row in left], columns)
    if len(ticked) > 1:
        brief_comparison(ticked[:MOST], names)
        settings_that_differ(ticked[:MOST], names)
    for run_id, sentence in list(failures([run for run, _ in left]).items())[:FAILURES_SHOWN]:
        st.caption(f":red[Failed:] {escaped(names[run_id])}. {escaped(sentence, 400)}")


def _filters(rows: list[dict]) -> dict[str, list[str]]:
    """Draws the filters; returns the values to keep by column, empty for all."""
    filters = {}
    tags = tags_in_use(tidy_tags([row["tags"] or ""]) for row in rows)
    for name in (*FILTERS, *(["tags"] if tags else [])):
        values = tags if name == "tags" else sorted({str(row[name]) for row in rows if row[name] is not None})
        filters[name] = several_of(name.capitalize(), values, key=f"runs.only-{name}", placeholder="all")
    return filters


def _table(members: list[tuple[RunFolder, dict]], columns: list[str], *, key: str) -> list[RunFolder]:
    """One table; a click on a cell opens its run. -> the ticked runs"""
    runs = [run for run, _ in members]
    kinds = {ALWAYS: st.column_config.TextColumn(pinned=True), "outcome": st.column_config.TextColumn(width=150)}
    for name in columns:
        if name not in _WORDS:
            kinds[name] = st.column_config.NumberColumn(format="localized" if name in _WHOLE else "%.1f")
    event = st.dataframe(
        pa.table({name: [row[name] for _, row in members] for name in columns}), key=key, hide_index=True,
        column_config=kinds, placeholder="–", height=table_height(len(runs)),
        on_select="rerun", selection_mode=["multi-row", "single-cell"],
        alt=f"{counted(len(runs), 'run')}, one row each.",
    )  # fmt: skip
    if event.selection.cells:
        pick_run(runs[event.selection.cells[0][0]])
        go_to("result")
    return [runs[number] for number in event.selection.rows if number < len(runs)]


def _with_ticked(ticked: list[RunFolder], rows: list[dict], columns: list[str]) -> None:
    """Compare, delete, and the table as a file."""
    with st.container(horizontal=True, vertical_alignment="center"):
        few = len(ticked) < 2
        label = "Compare" if few else f"Compare {counted(min(len(ticked), MOST), 'run')}"
        compared = {KEY: [run.id for run in ticked[:MOST]], VIEW_KEY: "metrics"}
        st.button(label, key="runs.compare", type="primary", disabled=few, on_click=st.session_state.update,
                  args=(compared,), help="Tick two runs or more." if few else None)  # fmt: skip
        with st.popover("Tag or delete", disabled=not ticked, width="content"):
            _tag_form(ticked, rows)
            st.divider()
            _deletion(ticked)
        csv_download(lambda: pa.Table.from_pylist(rows), "runs.csv", "Download as CSV", key="runs.csv")
        st.caption("Click a row to open the run; tick rows to compare, tag or delete them.")


def _tag_form(ticked: list[RunFolder], rows: list[dict]) -> None:
    """Tags to add to the ticked runs, and tags to remove."""
    with st.form("runs.tagging", border=False):
        in_use = tags_in_use(tidy_tags([row["tags"] or ""]) for row in rows)
        of_ticked = tags_in_use(map(tags_of, ticked))
        st.multiselect("Add tags", in_use, key="runs.tags-add", accept_new_options=True, max_selections=MOST_TAGS,
                       placeholder="Choose or type")  # fmt: skip
        st.multiselect("Remove tags", of_ticked, key="runs.tags-remove", placeholder="none")
        st.form_submit_button(f"Tag {counted(len(ticked), 'run')}", on_click=_tag, args=(ticked,))


def _tag(ticked: list[RunFolder]) -> None:
    added, removed = st.session_state["runs.tags-add"], st.session_state["runs.tags-remove"]
    attempt(lambda: change_tags(ticked, add=added, remove=removed), _REFUSED)


def _deletion(ticked: list[RunFolder]) -> None:
    """Delete the ticked runs, below what that frees; running ones stay."""
    over = [run for run in ticked if read_state(run).is_over]
    working = len(ticked) - len(over)
    if over:
        freed = in_bytes(sum(map(bytes_of, over)))
        which = f"Delete {counted(len(over), 'run')} with encoders, embeddings, maps and curves?"
        st.write(f"{which} They hold {freed}; the corpora stay. {RESTORABLE}")
    if others := sum(started_elsewhere(run) is not None for run in over):
        st.write(f"{counted(others, 'run')} of them {'was' if others == 1 else 'were'} started elsewhere.")
    if working:
        st.caption(f"{counted(working, 'run')} still running {'stays' if working == 1 else 'stay'}.")
    st.button("Delete them", key="runs.delete", type="primary", disabled=not over, on_click=_delete, args=(over,))


def _delete(runs: list[RunFolder]) -> None:
    refused = []
    for run in runs:
        try:
            delete_unused_run(run)
        except FileNotFoundError:
            continue  # another tab was first
        except EmbedlabError as error:
            refused.append(error.message)
    if refused:
        st.session_state[_REFUSED] = " ".join(dict.fromkeys(refused))


def settings_that_differ(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """The settings in which these runs differ, one column per run."""
    if len(chosen) < 2:
        return
    st.subheader("Settings that differ", anchor=False)
    table = differences(chosen, names)
    if table is None:
        st.caption("None: all settings are the same.")
    else:
        show_table(table, alt="Settings in which the chosen runs differ, one column per run.")


def example_compared() -> None:
    """Shows the packaged runs side by side until there are own ones."""
    whose = "the encoder `mini`, trained with text crops and with dropout pairs on the same texts (`docs-topics`)"
    if example_instead("Your runs appear here side by side, with the best ones marked.", whose=whose) is None:
        return
    runs = {"mini, text crops": example_run(MINI), "mini, dropout pairs": example_run(DROPOUT)}
    rows = [run_row(run, name, CORPUS, shown_distance()) for name, run in runs.items() if run is not None]
    columns = [head for head in rows[0] if any(row[head] is not None for row in rows) and head not in ("made", "state")]
    table = pa.table({head: [row[head] for row in rows] for head in columns})
    kinds = {head: st.column_config.NumberColumn(format="%.1f") for head in columns if "kNN" in head or "±" in head}
    show_table(table, alt="The example's runs, one row each.", formats=kinds)


def recipes_by_corpus(runs: list[RunFolder]) -> None:
    """Recipe by corpus, over these runs."""
    names = run_names(runs)
    _not_followed(runs, names)
    pivot_view(runs, names)


def chosen_runs(view: str, runs: list[RunFolder]) -> None:
    """A view of those among these runs that the user chooses; above it defects of their vectors, and who lacks a
    result and why.
    """
    names = run_names(runs)
    chosen = choose_runs(runs, names)
    _not_followed(chosen, names)
    if not chosen:
        st.info("Choose the runs to compare.")
        return
    if view in ("curves", "glance"):
        cautions(chosen)
    results = {run: read_result(run) for run in chosen}
    for run, result in results.items():
        if result is None and view == "glance" and not read_state(run).is_over:
            continue  # its curve is being drawn
        if result is None:
            st.caption(escaped(f"{names[run.id]} has no result. {why_no_result(run)}", 600))
        else:
            faults_line(result.vector_faults, of=names[run.id] if len(chosen) > 1 else "")
    measured = [run for run, result in results.items() if result is not None]
    if view == "curves":
        race_or_curves(chosen, names)
        settings_that_differ(chosen, names)
    elif view == "glance":
        glance(chosen, names)
        settings_that_differ(chosen, names)
    elif not measured:
        st.info("None of these runs has a result to compare. Choose others.")
    elif view == "maps":
        gallery(measured, names)
    elif view == "side":
        side_view(measured, names)
    else:
        metrics_view(measured, names)
        diagnosed_numbers(measured, names)


def _not_followed(runs: list[RunFolder], names: dict[str, str]) -> None:
    """What embedlab does not do although an encoder of these runs requests it, a line each."""
    for line in not_followed_by(runs, names):
        st.caption(escaped(line, 600))
