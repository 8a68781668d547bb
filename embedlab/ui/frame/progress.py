"""One job on a page: who started it, its button, stage, share and time left, Stop, and how it ended."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embedlab.config import Request
from embedlab.corpora.stored.shelf import CorpusInfo
from embedlab.damage import read_model
from embedlab.errors import EmbedlabError, RunError
from embedlab.finds.curves import seconds_left
from embedlab.finds.model import FindResults, FindSettings
from embedlab.finds.store import Find, results_of
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.eta import eta_of
from embedlab.jobs.requests.base import find_job
from embedlab.jobs.requests.corpora import AddedCorpus, FetchCorpus, ReadCorpus
from embedlab.jobs.runner import enforce_stop, request_stop, stopping_line, submit_once
from embedlab.numbers import ago, duration
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.lease import place_line
from embedlab.runs.state import RunState, State, read_state
from embedlab.runs.store import open_run, request_if_readable, settings_of, task_of
from embedlab.session import COMMAND_LINE, NOTEBOOK, working_for
from embedlab.ui.frame.layout import escaped, fragment, rerun_when, without_options
from embedlab.ui.frame.routes import COOKIE

POLL_SECONDS = 1.0
BROWSER_WAITS = 170.0  # seconds for the content of a download; after 180 Streamlit gives up


def follow_job(folder: RunFolder, *, stop: str = "Cancel") -> State:
    """Show a job until it has ended (then the page reruns); afterwards its failure, if it failed."""
    facts = read_state(folder)
    if facts.is_over:
        show_outcome(facts)
    else:
        fragment(_follow, run_every=POLL_SECONDS, key=f"follow-{folder.id}")(folder, stop)
    return facts.state


def _follow(folder: RunFolder, stop: str) -> None:
    facts = read_state(folder)
    if facts.is_over:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        progress_bar(folder, facts)
        if stop:
            stop_button(folder, stop)


def watch_for_resume(key: str, is_over: Callable[[], bool]) -> None:
    """Rerun the page once the ended job is resumed elsewhere, in another tab or on the command line, or deleted."""

    def is_another() -> bool:
        try:
            return not is_over()
        except EmbedlabError:
            return True

    rerun_when(is_another, every=2 * POLL_SECONDS, key=f"resumed-{key}")


def progress_bar(folder: RunFolder, facts: RunState, *, name: str = "") -> None:
    """The bar of the whole work; above it ``Fine-tuning, step 43 of 94; verdict in about 30 s, maps in about 1 min``.

    ``name`` (Markdown) begins the line.
    """
    eta, times = eta_of(folder), []
    if eta is not None:
        line = escaped(eta.line, 200)
        if eta.verdict:
            times.append(f"verdict in about {duration(eta.verdict)}")
        elif eta.left and eta.maps is None:
            times.append(f"about {duration(eta.left)} left")
        if eta.maps:
            times.append(f"maps in about {duration(eta.maps)}")
    elif facts.state is not State.QUEUED:
        line = "Starting"
    elif (machine := place_line(folder)) is not None:
        line = f"Waiting on {escaped(machine)}"
    else:
        line = "Queued: starting its process"
    line = "; ".join(filter(None, [f"{name} {line}".strip(), ", ".join(times)]))
    st.progress(eta.share if eta is not None else 0.0, text=line)


def stop_button(folder: RunFolder, label: str) -> None:
    """Ask the worker to stop; a worker that shows no sign of life afterwards is ended."""
    is_asked = folder.stop.exists()
    if is_asked:
        enforce_stop(folder)
        if (line := stopping_line(folder)) is not None:
            st.caption(line)
    asking_button("Stopping" if is_asked else label, folder, key=f"stop-{folder.id}", disabled=is_asked)


def show_outcome(facts: RunState, *, remedy: str = "What was finished is kept; start it again.") -> None:
    """How a job that did not finish ended; nothing for one that did. ``remedy``: of one that was interrupted"""
    state = facts.state
    if state is State.FAILED:
        st.error(escaped(without_options(facts.failure.message), 1000))
    elif state is State.INTERRUPTED:
        st.warning(f"{state.sentence} {remedy}")
    elif state is State.STOPPED:
        st.info("Stopped on request.")


def active_corpus_job() -> RunFolder | None:
    """A corpus being read or downloaded now, from any tab."""
    return next((job for job in reversed(at_work("jobs")) if task_of(job) in (ReadCorpus.task, FetchCorpus.task)), None)


def find_left(find: Find, settings: FindSettings, results: FindResults, job: RunFolder) -> float:
    """Seconds left of the budget; on an open page it never increases."""
    try:
        is_running = read_state(job).state is State.RUNNING
        since = time.time() - find.results.stat().st_mtime if is_running else 0.0
    except OSError:  # nothing was written yet
        since = 0.0
    key = f"find.left-{job.id}"
    left = min(seconds_left(settings, results, since), st.session_state.get(key, float("inf")))
    st.session_state[key] = left
    return left


def find_bar(job: RunFolder, name: str) -> None:
    """For the sidebar: the Find's minutes, not the steps of the current training."""
    try:
        find = Find.open(str(settings_of(job).get("find", "")))
        settings, results = asked_of(find), results_of(find)
        assert isinstance(settings, FindSettings)
    except EmbedlabError:  # deleted at this moment
        return
    budget_bar(settings, find_left(find, settings, results, job), f"{name} ")


def budget_bar(settings: FindSettings, left: float, beginning: str) -> None:
    """The used share of the minutes, and what is left of them after this ``beginning``."""
    share = min(max(1 - left / (60 * settings.minutes), 0.0), 1.0)
    remaining = f"about {duration(left)} left" if left else "the time is over: the winner is being trained in full"
    st.progress(share, text=beginning + remaining)


def job_panel(
    request: Request, *, key: str, start: str | None = None, line: str = "",
    show: Callable[[RunFolder], None] | None = None, is_outdated: Callable[[RunFolder], bool] | None = None,
    job: RunFolder | None = None, stop: str = "Cancel", primary: bool = True, help: str | None = None,  # noqa: A002
) -> None:  # fmt: skip
    """The newest job with this request, or the button that starts it.

    ``job`` stands for it where that is not only one that was asked exactly this.  ``start``: what the button says,
    without it the job begins by itself; ``line`` stands beside it.  ``show`` draws what was found, in place of the
    button.  ``is_outdated``: whether what a finished job found holds no longer.
    """
    newest = find_job(request)
    job = job or newest
    if job is None and start is None:
        job = start_once(request)
    state, label = None, start
    if job is not None:
        state = follow_job(job, stop=stop)
        if state is State.FINISHED and is_outdated is not None and is_outdated(job):
            state = None
        if state is State.FINISHED and show is not None:
            show(job)
            return
        if state in (State.FAILED, State.INTERRUPTED):
            watch_for_resume(job.id, lambda: find_job(request) == newest)  # another tab may try again
            label = "Try again"
    if label is not None and (state is None or state.is_over):
        with st.container(border=True, horizontal=True, vertical_alignment="center") if line else st.container():
            if line:
                st.write(line)
            st.button(
                label, key=key, type="primary" if primary else "secondary", help=help, on_click=begin, args=(request,)
            )


def awaited_job(request: Request, session: str, is_outdated: Callable[[RunFolder], bool]) -> RunFolder:
    """The finished job with this request, for a file that is made when its download is pressed, outside of the page.

    session: of the page. Raises ``RunError`` where the job failed or takes longer than a browser waits.
    """
    job = find_job(request)
    if job is None or read_state(job).is_over and (read_state(job).state is not State.FINISHED or is_outdated(job)):
        with working_for(session):
            job = submit_once(request)
    ends = time.monotonic() + BROWSER_WAITS
    while not read_state(job).is_over and time.monotonic() < ends:
        time.sleep(POLL_SECONDS / 10)
    if (state := read_state(job).state) is not State.FINISHED:
        raise RunError("E-NO-FILE", f"The file is not there: its job {job.id} is {state}. Press the button again.")
    return job


def added_corpus(job: RunFolder) -> CorpusInfo:
    """The corpus that a finished job has added; raises ``UnreadableFile`` if its result is damaged."""
    return read_model(job.result, AddedCorpus).corpus


def is_newer(path: Path, job: RunFolder) -> bool:
    """Whether this file was written after the job was started, which then does not show it; not where it is gone."""
    return path.exists() and path.stat().st_mtime > job.settings.stat().st_mtime


@dataclass(frozen=True)
class FormJob:
    """``slot``: where the session stores its id."""

    slot: str

    @property
    def folder(self) -> RunFolder | None:
        """None if nothing was started, or the job was pruned."""
        job = st.session_state.get(self.slot)
        try:
            return open_run(job) if job else None
        except RunError:
            self.forget()
            return None

    def start(self, request: Request) -> None:
        """Start a job; for a button's callback."""
        self.keep(start_once(request))

    def keep(self, job: RunFolder) -> None:
        """Replace it by another job."""
        st.session_state[self.slot] = job.id

    def forget(self) -> None:
        """Forget it."""
        st.session_state.pop(self.slot, None)


_AGREED = "session.agreed"  # ids of other sessions' jobs about which this one was asked


def session_id() -> str:
    """The session of this page: the browser by its cookie, so that a reload keeps it; otherwise the page's own."""
    identity = st.context.cookies.get(COOKIE)
    if not isinstance(identity, str):  # no cookie, or a page without a browser
        context = get_script_run_ctx()
        identity = context.session_id if context is not None else ""
    return hashlib.sha256(identity.encode()).hexdigest()[:16]  # stored with runs, so never the cookie itself


def start_once(request: Request, *, name: str = "", is_own_name: bool = False) -> RunFolder:
    """``submit_once`` for this session."""
    with working_for(session_id()):
        return submit_once(request, name=name, is_own_name=is_own_name)


def begin(request: Request) -> None:
    """``start_once`` for a button's callback, without a return value."""
    start_once(request)


def started_elsewhere(folder: RunFolder) -> str | None:
    """``Started elsewhere 2 min ago.``; None for this session's own or confirmed jobs, and for older ones."""
    if folder.id in st.session_state.get(_AGREED, ()):
        return None
    request = request_if_readable(folder)
    if request is None or request.session in (None, session_id()):
        return None
    names = {COMMAND_LINE: "on the command line", NOTEBOOK: "in a notebook or script"}
    return f"Started {names.get(request.session, 'elsewhere')} {ago(request.created)}."


def agree(folder: RunFolder) -> None:
    """Record that this session confirmed ending another one's job, so that it is not asked again."""
    st.session_state.setdefault(_AGREED, set()).add(folder.id)


def asking_button(label: str, folder: RunFolder, *, key: str, disabled: bool, help: str | None = None) -> None:  # noqa: A002
    """A button that stops a job; if another session started it, it first asks for confirmation, once."""
    elsewhere = None if disabled else started_elsewhere(folder)
    if elsewhere is None:
        st.button(label, key=key, on_click=request_stop, args=(folder,), disabled=disabled, help=help)
        return
    verb = {"Stop": "Stop it", "Cancel": "Cancel it"}.get(label.partition(" ")[0], label)
    with st.popover(label, help=help, width="content"):
        st.write(f"{elsewhere} {verb} anyway?")
        st.button(verb, key=f"{key}.agreed", type="primary", on_click=_stop_agreed, args=(folder,))


def _stop_agreed(folder: RunFolder) -> None:
    agree(folder)
    request_stop(folder)
