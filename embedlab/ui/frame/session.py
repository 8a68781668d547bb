"""Sessions: jobs carry the session that started them, and ending another session's job asks for confirmation once."""

import hashlib
import secrets
from http.cookies import SimpleCookie

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embedlab.jobs.runner import request_stop, submit_once
from embedlab.numbers import ago
from embedlab.request import Request
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import request_if_readable
from embedlab.session import COMMAND_LINE, NOTEBOOK, working_for

COOKIE = "embedlab-session"
COOKIE_SECONDS = 400 * 24 * 3600  # as long as browsers keep one
_WHERE = {COMMAND_LINE: "on the command line", NOTEBOOK: "in a notebook or script"}
_AGREED = "session.agreed"  # ids of other sessions' jobs about which this one was asked


def session_id() -> str:
    """The session of this page: the browser by its cookie, so that a reload keeps it; otherwise the page's own."""
    identity = st.context.cookies.get(COOKIE)
    if not isinstance(identity, str):  # no cookie, or a page without a browser
        context = get_script_run_ctx()
        identity = context.session_id if context is not None else ""
    return hashlib.sha256(identity.encode()).hexdigest()[:16]  # stored with runs, so never the cookie itself


def session_cookie(cookies: str) -> str | None:
    """The header that sets the cookie; None if there is one. cookies: the request's Cookie header"""
    if f"{COOKIE}=" in cookies:
        return None
    cookie = SimpleCookie({COOKIE: secrets.token_urlsafe(16)})
    cookie[COOKIE].update({"path": "/", "max-age": str(COOKIE_SECONDS), "httponly": "true", "samesite": "Lax"})
    return cookie[COOKIE].OutputString()


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
    return f"Started {_WHERE.get(request.session, 'elsewhere')} {ago(request.created)}."


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
