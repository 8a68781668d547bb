"""Waiting for a worker process: look again and again, with a limit, without taking the processor from it."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], *, seconds: float = 120) -> None:
    """Return as soon as it holds; fail when it has not after so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it did not happen within {seconds:.0f} seconds"
        time.sleep(0.01)
