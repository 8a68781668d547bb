"""Work of the app's own process that may take longer than a click: done in a thread, shown when it is there."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from threading import Lock

import streamlit as st

WAIT_SECONDS = 0.3  # most answers are there by then
KEPT = 24

_pool = ThreadPoolExecutor(1, thread_name_prefix="embedlab-page")
_futures: OrderedDict[Hashable, Future] = OrderedDict()
_lock = Lock()


def awaited(key: Hashable, work: Callable, sentence: str):
    """What ``work`` gives, kept under ``key``; None (and ``sentence`` on the page) while it is not there yet."""
    future = _future(key, work)
    if future not in wait([future], timeout=WAIT_SECONDS).done:
        st.fragment(_wait, run_every=1, key=f"awaited-{hash(key)}")(future, sentence)
        return None
    if future.exception() is not None:
        _forget(key, future)  # said now; whoever asks again has it tried again
    return future.result()


def _wait(future: Future, sentence: str) -> None:
    if future.done():
        st.rerun()
    st.caption(sentence)


def _future(key: Hashable, work: Callable) -> Future:
    with _lock:
        if key not in _futures:
            _futures[key] = _pool.submit(work)
            while len(_futures) > KEPT:
                _futures.popitem(last=False)[1].cancel()
        _futures.move_to_end(key)
        return _futures[key]


def _forget(key: Hashable, future: Future) -> None:
    with _lock:
        if _futures.get(key) is future:
            del _futures[key]


_beside = ThreadPoolExecutor(1, thread_name_prefix="embedlab-beside")
_last: dict[Hashable, Future] = {}


def run_in_background(key: Hashable, work: Callable[[], object]) -> None:
    """Have it done in another thread, unless it still is since it was asked for last."""
    with _lock:
        if key not in _last or _last[key].done():
            _last[key] = _beside.submit(work)


PACKAGES = ("plotly.graph_objects", "pandas", "pyarrow.parquet")


@cache
def warm() -> None:
    """Start the thread; once in a process, whoever asks."""
    threading.Thread(target=_import, name="embedlab-warm", daemon=True).start()


def _import() -> None:
    from importlib import import_module

    for package in PACKAGES:
        import_module(package)
