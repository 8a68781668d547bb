"""One Find: at work its curves, leaderboard and time left; at the end its verdict first, and the next steps: use its
encoder, run longer, export, delete.
"""

from functools import partial

import pyarrow as pa
import streamlit as st

from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.errors import EmbedlabError
from embedlab.figures.find_curves import find_curves
from embedlab.finds.budget import winner_seconds
from embedlab.finds.curves import curves_of, longer, references_of, tried
from embedlab.finds.in_words import change_line, is_share, metric_by, value_line
from embedlab.finds.leaderboard import columns, csv_of, cuts_line, failed, leader, not_tried, rows_of
from embedlab.finds.lines import (
    NAMES,
    alike_line,
    all_dimensions_line,
    at_rest,
    not_tried_line,
    stage_with_candidate,
    verdict_heading,
    verdict_sentence,
    what_remains,
)
from embedlab.finds.methods import methods_of_find
from embedlab.finds.model import FindResults, FindSettings
from embedlab.finds.store import Find, delete_find, going_on, results_of
from embedlab.jobs.campaigns import asked_of, job_of, state_of
from embedlab.jobs.progress import read_progress
from embedlab.jobs.requests.working import RunFind
from embedlab.numbers import count, counted, duration
from embedlab.report.exports import encoder_bytes, encoder_zip
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import RunState, State
from embedlab.runs.store import run_if_readable
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.frame.files import download, offer_made, paragraph_shown
from embedlab.ui.frame.layout import (
    chart,
    errors_shown,
    escaped,
    fragment,
    number_row,
    show_error,
    show_table,
    without_options,
)
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import delete_popover
from embedlab.ui.frame.progress import budget_bar, find_left, show_outcome, start_once, stop_button, watch_for_resume
from embedlab.ui.frame.state import FIND_VIEW, TRAIN_VIEW, by_distance, is_dark, one_of, pick_run, shown_distance

POLL_SECONDS = 1.5
SHOWN, NEW, IN_URL = "find.shown", "new", "find"


def show_find(find: Find) -> None:
    """Refreshed while it works, then redrawn once more."""
    try:
        settings, results, facts = asked_of(find), results_of(find), state_of(find)
    except EmbedlabError as error:
        show_error(error)
        find_deletion(find)
        return
    if not facts.state.is_over:
        fragment(_live, run_every=POLL_SECONDS, key=f"find-{find.id}")(find, settings)
        return
    if facts.state is State.FINISHED:
        _verdict(results)
    else:
        _ended_early(find, settings, results, facts)
        results = at_rest(results)
    if results.too_few and results.verdict is not None:
        st.warning(escaped(without_options(results.too_few), 600))
    if results.candidates:
        next_steps(find, settings, results)
        if facts.state is State.FINISHED and (winner := run_if_readable(results.winner_run)) is not None:
            map_pair(winner)
        curves(find, results)
        leaderboard(results)
    if (methods := methods_of_find(settings, results)) is not None:
        with st.expander("Methods"):
            paragraph_shown(methods.text, methods.bibtex, of=find.id)
    find_deletion(find)


def _live(find: Find, settings: FindSettings) -> None:
    try:
        facts, job, results = state_of(find), job_of(find), results_of(find)
    except EmbedlabError:  # deleted or damaged at this moment: the page says it
        st.rerun()
    if job is None or facts.is_over:
        st.rerun()
    left = find_left(find, settings, results, job)
    progress = read_progress(job)
    stage = escaped(stage_with_candidate(progress.stage, results), 200) if progress else "Waiting for its worker"
    with st.container(horizontal=True, vertical_alignment="center"):
        budget_bar(settings, left, f"{stage}; ")
        stop_button(job, "Stop the search")
    row, best, distance = number_row(), leader(results, shown_distance()), shown_distance()
    if best is not None and best.value is not None:
        row.metric(metric_by(results.metric, distance), value_line(results.metric, best.value.by(distance)),
                   help="Of the leader, on the texts that select.")  # fmt: skip
    row.metric("Candidates tried", count(tried(results)))
    if results.rung is not None and results.rungs:
        row.metric("Rung", f"{min(results.rung + 1, len(results.rungs))} of {len(results.rungs)}",
                   help="At the end of each rung the worse two thirds stop; the others continue.")  # fmt: skip
    row.metric("Time left", duration(left) if left else "–",
               help="Of its minutes. The search keeps to three quarters of them; the winner's full training may take "
               "longer.")  # fmt: skip
    if best is not None:
        seconds = winner_seconds(best)
        full = "" if seconds is None else f" Its full training afterwards takes about {duration(seconds)}."
        st.markdown(escaped(f"{best.described} leads.{full}", 400))
    if results.too_few:
        st.warning(escaped(without_options(results.too_few), 600))
    curves(find, results)
    leaderboard(results)


def _verdict(results: FindResults) -> None:
    """The sentence first, then its basis, the alternatives, and the numbers."""
    verdict = results.verdict
    if verdict is None:
        st.subheader(escaped(without_options(results.too_few or "No candidate was ranked."), 600), anchor=False)
        return
    heading, distance = verdict_heading(results, verdict), shown_distance()
    decided = (
        f"Decided with {DISTANCES[SHOWN_FIRST]}, which also selects candidates." if is_share(verdict.metric) else None
    )
    st.subheader(escaped(heading, 300), anchor=False, help=decided)
    facts = verdict.model_dump(include={"compared", "metric", "beats_counting", "visible"})
    sentence = verdict_sentence(verdict.value, verdict.against, **facts, distance=distance)
    lines = [sentence.removeprefix(heading).strip(), all_dimensions_line(results), alike_line(results), results.ended]
    st.caption("  \n".join(escaped(line, 900) for line in lines if line))
    row = number_row()
    row.metric(metric_by(verdict.metric, distance), value_line(verdict.metric, verdict.value.by(distance)),
               help="Of the winner, trained in full, on texts that selected nothing.")  # fmt: skip
    for key, change in verdict.against.items():
        value, _, interval = change_line(verdict.metric, change.by(distance)).partition(" (")
        row.metric(f"against {NAMES[key]}", value, help=f"{interval.removesuffix(')')}, over the same texts.")


def _ended_early(find: Find, settings: FindSettings, results: FindResults, facts: RunState) -> None:
    """Failed, stopped or interrupted: its sentence, and the button that goes on from where it stands.

    A search that ended before anything was measured would end so again: it is offered more minutes instead.
    """
    show_outcome(facts, remedy="Continue starts from what was measured.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if results.ended and results.chosen is None:
            run_longer(find, settings)
        else:
            st.button("Continue", key=f"find-on-{find.id}", type="primary", on_click=_go_on, args=(find,))
            st.caption(what_remains(settings, results))
    watch_for_resume(find.id, lambda: state_of(find).is_over)


def _go_on(find: Find) -> None:
    start_once(going_on(find))


X_NAMES = {"steps": "Steps", "seconds": "Seconds", "share": "Share of training"}


def curves(find: Find, results: FindResults) -> None:
    """All candidates in one picture, over steps, seconds or the share of their training."""
    distance = shown_distance()
    rows = curves_of(results, distance)
    if not rows:
        st.caption("The first candidates are being measured.")
        return
    key = f"find.x-{find.id}"
    x = st.session_state.get(key) or "steps"
    in_shares = is_share(results.metric)
    figure = find_curves(
        rows, references=references_of(results, distance), rungs=results.rungs[:-1], x=x, metric=results.metric,
        by=by_distance(distance) if in_shares else "", in_shares=in_shares, identity=find.id, dark=is_dark(),
    )  # fmt: skip
    chart(figure, key=f"find-curves-{find.id}")
    one_of("Over", X_NAMES, key=key, first="steps", is_labelled=False)
    if results.development_texts:
        one, where = ("development text", "") if in_shares else ("row", " of the half that selects")
        measured = f"Measured on {counted(results.development_texts, one)}{where}"
        st.caption(f"{measured}; click a name in the legend to hide its curves.")


def leaderboard(results: FindResults) -> None:
    """The candidates, the best by the shown distance first; below them those that did not fit the budget, with cost."""
    if rows := rows_of(results, shown_distance()):
        _ranked(results, rows)
    if left_out := not_tried(results):
        with st.expander(f"Not tried: {count(len(left_out))}"):
            for candidate in left_out:
                st.write(escaped(not_tried_line(candidate), 400))


def _ranked(results: FindResults, rows: list[dict]) -> None:
    value, error = columns(results.metric, shown_distance())
    names = [name for name in rows[0] if name != error or any(row[name] is not None for row in rows)]
    table = pa.table({name: [row[name] for row in rows] for name in names})
    digits = "%.1f" if is_share(results.metric) else "%.3f"
    numbers = {value: digits, error: digits, "seconds": "%.0f"}
    formats = {
        "rank": st.column_config.NumberColumn("rank", width=60),
        "against the best": st.column_config.TextColumn("against the best", width=150),
        "settings": st.column_config.TextColumn("settings", width=300),
        **{name: st.column_config.NumberColumn(name, format=format_) for name, format_ in numbers.items()},
    }
    alt = f"{len(rows)} candidates, best first {by_distance(shown_distance())}."
    show_table(table, alt=alt, formats=formats, placeholder="–")
    if line := cuts_line(results):
        st.caption(line)
    for candidate in failed(results):
        st.caption(escaped(f"{candidate.title} failed: {candidate.reason}", 600))


def start_find(settings: FindSettings) -> None:
    """Start a Find and show it; for callbacks."""
    with errors_shown():
        find = Find.create_once(settings)
        start_once(RunFind(find=find.id))
        show_next(find)


def next_steps(find: Find, settings: FindSettings, results: FindResults) -> None:
    """The buttons in one row, the winner's first."""
    with st.container(horizontal=True):
        if results.winner_run is not None:
            _winner_buttons(find, run_if_readable(results.winner_run))
        if state_of(find).state.is_over and results.verdict is not None:
            run_longer(find, settings)
        download("Download the table", csv_of(results), f"find-{find.id}.csv", key=f"find-csv-{find.id}")


def run_longer(find: Find, settings: FindSettings) -> None:
    """A button that starts the same Find with more minutes."""
    more = settings.model_copy(update={"minutes": longer(settings.minutes)})
    explained = f"A Find of {duration(60 * more.minutes)}, starting with the best settings of this one."
    st.button("Run longer", key=f"find-longer-{find.id}", on_click=start_find, args=(more,), help=explained)


def _winner_buttons(find: Find, run: RunFolder | None) -> None:
    gone = "The run of its winner was deleted." if run is None else None
    if st.button("Use this encoder", key=f"find-use-{find.id}", type="primary", disabled=run is None, help=gone,
                 on_click=pick_run, args=(run,)):  # fmt: skip
        go_to("result")
    if run is not None and (run.encoder / "modules.json").exists():
        offer_made("Download the encoder as ZIP", partial(encoder_zip, run), f"encoder-{run.id}.zip",
                   size=encoder_bytes(run), path=run.encoder)  # fmt: skip


def find_deletion(find: Find) -> None:
    """Delete a Find that has ended."""

    def delete() -> None:
        delete_find(find)
        forget()

    delete_popover(
        "Delete this Find", "Delete this Find, its candidates and the run of its winner?", delete, job=job_of(find),
        key=f"find-delete-{find.id}", gone="This Find was already deleted in another tab.",
    )  # fmt: skip


def show_next(find: Find) -> None:
    """Show this one from the next rerun on; for callbacks."""
    st.session_state[SHOWN], st.session_state[TRAIN_VIEW] = find.id, FIND_VIEW


def forget() -> None:
    """Show the newest one, or the form."""
    st.session_state.pop(SHOWN, None)
    st.query_params.pop(IN_URL, None)
