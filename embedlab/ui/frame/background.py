"""What takes longer than a click: files read once, threads of the app, the device, the resident encoder process."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache, partial, wraps
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import ParamSpec, TypeVar

import streamlit as st

from embedlab.damage import Content, as_model
from embedlab.device import Device, known_device
from embedlab.jobs.questions import answer, ask
from embedlab.jobs.worker_process import answered as asked_of_a_process
from embedlab.runs.index.file import changed
from embedlab.ui.frame.layout import fragment, rerun_when, show_error

WAIT_SECONDS = 0.3  # most answers are there by then
KEPT = 24

Answer = TypeVar("Answer")
_pool = ThreadPoolExecutor(1, thread_name_prefix="embedlab-page")
_futures: OrderedDict[Hashable, Future] = OrderedDict()
_lock = Lock()


def awaited(key: Hashable, work: Callable[[], Answer], sentence: str) -> Answer | None:
    """The result of ``work``, cached under ``key``; None (and ``sentence`` on the page) until it is there."""
    future = _future(key, work)
    if future not in wait([future], timeout=WAIT_SECONDS).done:
        rerun_when(future.done, every=1, key=f"awaited-{hash(key)}", meanwhile=sentence)
        return None
    with _lock:
        if future.exception() is not None and _futures.get(key) is future:
            del _futures[key]  # said now; whoever asks again has it tried again
    return future.result()


def _future(key: Hashable, work: Callable) -> Future:
    with _lock:
        if key not in _futures:
            _futures[key] = _pool.submit(work)
            while len(_futures) > KEPT:
                _futures.popitem(last=False)[1].cancel()
        _futures.move_to_end(key)
        return _futures[key]


_beside = ThreadPoolExecutor(1, thread_name_prefix="embedlab-beside")
_last: dict[Hashable, Future] = {}


def run_in_background(key: Hashable, work: Callable[[], object]) -> None:
    """Run it in another thread, unless the previous call is still running."""
    with _lock:
        if key not in _last or _last[key].done():
            _last[key] = _beside.submit(work)


Arguments = ParamSpec("Arguments")
Read = TypeVar("Read")


def read_once(
    files: Callable[..., Iterable[Path]], *, most: int = 8
) -> Callable[[Callable[Arguments, Read]], Callable[Arguments, Read]]:
    """A reader whose results are cached, ``most`` of them, while the ``files`` of its arguments stay unchanged."""

    def cached(read: Callable[Arguments, Read]) -> Callable[Arguments, Read]:
        def uncached(arguments: str, written: tuple[int, ...], _read: Callable[[], Read]) -> Read:
            return _read()

        uncached.__module__, uncached.__qualname__ = read.__module__, read.__qualname__  # Streamlit's name of the cache
        results = st.cache_resource(max_entries=most, show_spinner=False)(uncached)

        @wraps(read)
        def reader(*args: Arguments.args, **more: Arguments.kwargs) -> Read:
            written = tuple(changed(path) for path in files(*args, **more))
            return results(repr((args, more)), written, partial(read, *args, **more))

        return reader

    return cached


def device() -> Device | None:
    """The default device of runs; None until a process that may load torch has looked for a GPU."""
    detected = known_device()
    if detected is None and (looking := _looking()).done():
        detected = looking.result()
    return detected


@cache
def _looking() -> Future[Device]:
    """The search for a GPU, started by the first caller."""
    return ThreadPoolExecutor(1, thread_name_prefix="embedlab-device").submit(
        asked_of_a_process, "embedlab.device", Device
    )


@cache
def warm() -> None:
    """Import in a thread what most pages need, once per process."""

    def load() -> None:
        for package in ("plotly.graph_objects", "pandas", "pyarrow.parquet"):
            import_module(package)

    threading.Thread(target=load, name="embedlab-warm", daemon=True).start()


FIRST_WAIT_SECONDS = 0.3  # a warm process answers within it
PATIENCE_SECONDS = 90
WAITING = "Embedding with both encoders. The first answer takes a few seconds, because they are loaded first."


def answered(question: dict, kind: type[Content], *, key: str, waiting: str = WAITING) -> Content | None:
    """The answer as this ``kind`` of object, cached while the question stays the same; None until it arrives, and the
    page says so.
    """
    pending = st.session_state.get(key)
    if pending is None or pending["question"] != question:
        pending = {"question": question, "number": ask(question), "since": time.monotonic(), "answer": None}
        st.session_state[key] = pending
        pending["answer"] = answer(pending["number"], wait_seconds=FIRST_WAIT_SECONDS)
    reply = pending["answer"]
    if reply is None:
        fragment(_wait_for_answer, run_every=0.5, key=f"{key}-wait")(key, waiting)
        return None
    if "error" in reply:
        show_error(reply["error"]["message"])
        return None
    return as_model(reply, kind)


def ask_again(key: str) -> None:
    """Forget the answer; for callbacks, and when something it named is gone."""
    st.session_state.pop(key, None)


def _wait_for_answer(key: str, waiting: str) -> None:
    pending = st.session_state.get(key)
    if pending is None:
        return
    pending["answer"] = pending["answer"] or answer(pending["number"])
    if pending["answer"] is not None:
        st.rerun()
    if time.monotonic() - pending["since"] < PATIENCE_SECONDS:
        st.caption(waiting)
        return
    st.warning("There is no answer yet. The computer may be busy, or the answering process has ended.")
    st.button("Ask again", key=f"{key}-again", on_click=ask_again, args=(key,))
