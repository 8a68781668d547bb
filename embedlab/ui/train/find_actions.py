"""The shown Find, and the actions on one that has ended: use its encoder, run longer, export, delete."""

from functools import partial

import streamlit as st

from embedlab.finds.curves import longer
from embedlab.finds.leaderboard import csv_of
from embedlab.finds.model import FindResults, FindSettings
from embedlab.finds.store import Find, delete_find
from embedlab.jobs.campaigns import job_of, state_of
from embedlab.jobs.requests.working import RunFind
from embedlab.numbers import duration
from embedlab.report.exports import encoder_bytes, encoder_zip
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import run_if_readable
from embedlab.ui.frame.files import download, offer_made
from embedlab.ui.frame.layout import errors_shown
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import delete_popover
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.state import FIND_VIEW, TRAIN_VIEW, pick_run


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


SHOWN, NEW, IN_URL = "find.shown", "new", "find"


def show_next(find: Find) -> None:
    """Show this one from the next rerun on; for callbacks."""
    st.session_state[SHOWN], st.session_state[TRAIN_VIEW] = find.id, FIND_VIEW


def forget() -> None:
    """Show the newest one, or the form."""
    st.session_state.pop(SHOWN, None)
    st.query_params.pop(IN_URL, None)
