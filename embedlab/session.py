"""Who asks for the work of now: every run and job that is created meanwhile carries that session."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

COMMAND_LINE = "command line"  # the session of what a command begins
NOTEBOOK = "notebook"  # of what a notebook or script begins through ``import embedlab``
_session: ContextVar[str | None] = ContextVar("session", default=None)


def current_session() -> str | None:
    """The session that asks for the work of now; None where nobody set one."""
    return _session.get()


@contextmanager
def working_for(session: str | None) -> Iterator[None]:
    """Give this session everything that is created inside."""
    token = _session.set(session)
    try:
        yield
    finally:
        _session.reset(token)
