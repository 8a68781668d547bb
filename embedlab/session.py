"""The session that requests the current work, stored with every run and job created by it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

COMMAND_LINE = "command line"  # the session of what a command begins
NOTEBOOK = "notebook"  # of what a notebook or script begins through ``import embedlab``
_session: ContextVar[str | None] = ContextVar("session", default=None)


def current_session() -> str | None:
    """The current session, or None."""
    return _session.get()


@contextmanager
def working_for(session: str | None) -> Iterator[None]:
    """Everything created inside belongs to this session."""
    token = _session.set(session)
    try:
        yield
    finally:
        _session.reset(token)
