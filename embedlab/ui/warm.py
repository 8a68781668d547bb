"""Imports that the first click would wait for, done in a thread while the first page is read."""

import threading
from functools import cache

PACKAGES = ("plotly.graph_objects", "pandas", "pyarrow.parquet")


@cache
def warm() -> None:
    """Start the thread; once in a process, whoever asks."""
    threading.Thread(target=_import, name="embedlab-warm", daemon=True).start()


def _import() -> None:
    from importlib import import_module

    for package in PACKAGES:
        import_module(package)
