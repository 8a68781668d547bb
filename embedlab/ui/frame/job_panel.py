"""One job of a page, wherever it stands: the button, the progress, the sentence it failed of, what it found."""

from collections.abc import Callable

import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_job
from embedlab.runs.state import State
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import start_once

TRY_AGAIN = "Try again"


def job_panel(
    task: str, asked: dict, *, key: str, start: str | None = None, line: str = "",
    show: Callable[[RunFolder], None] | None = None, is_outdated: Callable[[RunFolder], bool] | None = None,
    stop: str = "Cancel", primary: bool = True, help: str | None = None,  # noqa: A002
) -> None:  # fmt: skip
    """The newest job that was asked this, else the button that starts it.

    ``start``: what the button says, without it the job begins by itself; ``line`` stands beside it.  ``show`` draws
    what was found, in place of the button.  ``is_outdated``: whether what a finished job found holds no longer.
    """
    job = find_job(task, **asked)
    if job is None and start is None:
        job = start_once(task, asked)
    state = None if job is None else follow_job(job, stop=stop)
    if state is State.FINISHED and is_outdated is not None and is_outdated(job):
        state = None
    if state is State.FINISHED and show is not None:
        show(job)
        return
    label = TRY_AGAIN if state in (State.FAILED, State.INTERRUPTED) else start
    if label is not None and (state is None or state.is_over):
        place = st.container(border=True, horizontal=True, vertical_alignment="center") if line else st.container()
        with place:
            if line:
                st.write(line)
            kind = "primary" if primary else "secondary"
            st.button(label, key=key, type=kind, help=help, on_click=start_once, args=(task, asked))
