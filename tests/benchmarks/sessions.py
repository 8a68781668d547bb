"""How many people one app serves: pages answered to one session alone, and to many.  ``[SESSIONS=30] [PAGES=10]``

python -m tests.benchmarks.sessions 30 10 [--store FOLDER]

The app's real process serves real sessions, which speak Streamlit's protocol over a WebSocket as a browser does: each
opens Home, then changes the page again and again, thinks one second after each answer, and meanwhile asks for what
pages ask again by themselves (the foot of the sidebar every two seconds). Told are the seconds from the request of a
page to the end of its script, the seconds of processor time that the server spent for a page (all that sessions ask
by themselves counted in), failures, and the server's memory. What a browser draws and fetches besides is not in it.
``--store`` keeps the store with its one run (``docs``, ``token``, crops) for the next call.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from tests.benchmarks.browser import ROOT, served

THOUGHT = 1.0  # seconds
PATIENCE = 60.0  # seconds; a page that is not answered by then has failed
GOAL_SECONDS, GOAL_MEGABYTES = 2.0, 6.0
BROKEN = ForwardMsg.FINISHED_WITH_COMPILE_ERROR
# a fragment never interrupts its page, and the server may tell of the end of both by that of the fragment alone
ENDED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, BROKEN)
RUNS_KEPT = 2  # a browser forgets a large message that so many pages did not use


class Session:
    """One reader: its connection, the pages it was told of, and what went wrong on them."""

    def __init__(self, url: str, run: str):
        self.url, self.address = url, f"run={run}"
        self.pages: dict[str, str] = {}  # name in the address -> hash
        self.failures: list[str] = []
        self._wanted, self._shown, self._page = "", "", "/"
        self._answered = asyncio.Event()
        self._timers: dict[str, asyncio.Task] = {}
        self._large: dict[str, int] = {}  # hash of a message that the server need not send again -> pages since

    async def __aenter__(self) -> "Session":
        where = self.url.replace("http", "ws") + "/_stcore/stream"
        self._socket = await connect(where, subprotocols=["streamlit"], origin=self.url, max_size=None)
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_) -> None:
        for task in (self._reader, *self._timers.values()):
            task.cancel()
        await self._socket.close()

    async def visit(self, name: str) -> float:
        """Ask for a page; seconds until its script has ended."""
        self._page, self._wanted = name or "/", self.pages.get(name, "")
        self._answered.clear()
        began = time.perf_counter()
        await self._ask()
        answered = asyncio.create_task(self._answered.wait())
        await asyncio.wait([answered, self._reader], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if self._reader.done():
            raise self._reader.exception() or ConnectionError("the server closed the connection")
        if not answered.done():
            self.failures.append(f"{self._page}: not answered within {PATIENCE:g} s")
        return time.perf_counter() - began

    async def _ask(self, fragment: str = "") -> None:
        asked = BackMsg()
        told = asked.rerun_script
        told.query_string, told.page_script_hash = self.address, self._wanted
        told.fragment_id, told.is_auto_rerun = fragment, bool(fragment)
        told.context_info.url, told.context_info.timezone = f"{self.url}/{self._page.strip('/')}", "UTC"
        told.context_info.locale, told.context_info.color_scheme = "en", "light"
        told.cached_message_hashes.extend(self._large)
        await self._socket.send(asked.SerializeToString())

    async def _read(self) -> None:
        async for received in self._socket:
            message = ForwardMsg.FromString(received)
            kind = message.WhichOneof("type")
            if message.metadata.cacheable or kind == "ref_hash":
                self._large[message.hash if message.metadata.cacheable else message.ref_hash] = 0
            if kind == "new_session" and not message.metadata.run.fragment_ids:
                self._shown = message.new_session.page_script_hash
                self._stop(list(self._timers))
                self._large = {known: age + 1 for known, age in self._large.items() if age < RUNS_KEPT}
            elif kind == "navigation":
                pages = message.navigation.app_pages
                self.pages = {"" if page.is_default else page.url_pathname: page.page_script_hash for page in pages}
            elif kind == "page_info_changed":
                self.address = message.page_info_changed.query_string
            elif kind == "auto_rerun":
                again = message.auto_rerun
                self._stop([again.fragment_id])
                self._timers[again.fragment_id] = asyncio.create_task(self._again(again.fragment_id, again.interval))
            elif kind == "stop_auto_rerun":
                self._stop(message.stop_auto_rerun.fragment_ids)
            elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
                found = message.delta.new_element.exception
                self.failures.append(f"{self._page}: {found.type}: {found.message}")
            elif kind == "page_not_found":
                self.failures.append(f"{self._page}: there is no such page")
            elif kind == "script_finished" and message.script_finished in ENDED:
                if message.script_finished == BROKEN:
                    self.failures.append(f"{self._page}: its script is broken")
                if not self._wanted or self._shown == self._wanted:
                    self._answered.set()

    async def _again(self, fragment: str, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._ask(fragment)

    def _stop(self, fragments) -> None:
        for fragment in fragments:
            if fragment in self._timers:
                self._timers.pop(fragment).cancel()


async def read_pages(url: str, run: str, count: int, *, first: int = 0, wait: float = 0.0, done=None) -> dict:
    """One session through so many pages, from the ``first`` of the list on: ``{seconds: {page: […]}, failures}``."""
    await asyncio.sleep(wait)
    seconds: dict[str, list[float]] = {}
    async with Session(url, run) as session:
        await session.visit("")
        order = list(session.pages)
        for turn in range(count):
            await asyncio.sleep(THOUGHT)
            name = order[(first + turn + 1) % len(order)]
            seconds.setdefault(name or "home", []).append(await session.visit(name))
        if done is not None:
            await done()  # all sessions stay open until the memory is read
    return {"seconds": seconds, "failures": session.failures}


async def together(url: str, run: str, sessions: int, count: int, process: psutil.Process) -> dict:
    """So many sessions at once: their pages, the processor time of each, and the memory while all are open."""
    barrier, memory = asyncio.Barrier(sessions), []

    async def done() -> None:
        if await barrier.wait() == 0:
            memory.append(process.memory_info().rss)
        await barrier.wait()

    before, spent = process.memory_info().rss, processor_time(process)
    gaps = [turn * THOUGHT / sessions for turn in range(sessions)]
    each = [read_pages(url, run, count, first=turn, wait=gaps[turn], done=done) for turn in range(sessions)]
    found = await asyncio.gather(*each)
    seconds: dict[str, list[float]] = {}
    for one in found:
        for page, values in one["seconds"].items():
            seconds.setdefault(page, []).extend(values)
    return {
        "seconds": seconds,
        "failures": [failure for one in found for failure in one["failures"]],
        "processor": (processor_time(process) - spent) / (sessions * (count + 1)),
        "before": before / 2**20,
        "with": memory[0] / 2**20,
        "sessions": sessions,
    }


def processor_time(process: psutil.Process) -> float:
    """Seconds of processor time of the server so far."""
    times = process.cpu_times()
    return times.user + times.system


def told(found: dict) -> str:
    """One line of a measurement."""
    every = [value for values in found["seconds"].values() for value in values]
    half, most = np.quantile(every, [0.5, 0.95])
    return (
        f"p50 {half:.2f} s, p95 {most:.2f} s over {len(every)} pages, {len(found['failures'])} failures, "
        f"{found['processor']:.3f} s of processor time a page"
    )


def store_with_a_run(home: Path) -> str:
    """The id of the store's finished run, made where there is none."""
    runs = sorted((home / "runs").glob("*/result.json"))
    if runs:
        return runs[-1].parent.name
    command = [sys.executable, "-m", "embedlab", "train", "--corpus", "docs", "--encoder", "token", "--recipe", "crops"]
    told = {"cwd": ROOT, "env": {**os.environ, "EMBEDLAB_HOME": str(home)}, "stdout": subprocess.PIPE, "check": True}
    return json.loads(subprocess.run([*command, "--json"], **told).stdout)["run"]


async def measure(url: str, run: str, process: psutil.Process, sessions: int, pages: int) -> None:
    """Print what one session and what all of them met."""
    await read_pages(url, run, 22)  # first visits read files and import packages: not what is measured
    alone = await together(url, run, 1, pages, process)
    print(f"one session alone: {told(alone)}")
    print("  " + ", ".join(f"{page} {max(values):.2f}" for page, values in alone["seconds"].items()))
    found = await together(url, run, sessions, pages, process)
    print(f"{sessions} at once: {told(found)}  (goal: p95 at most {GOAL_SECONDS:g} s, none failed)")
    print("  " + ", ".join(f"{page} {np.median(values):.2f}" for page, values in found["seconds"].items()))
    each = (found["with"] - found["before"]) / sessions
    print(f"server's memory: {found['before']:.0f} MB before, {found['with']:.0f} MB with {sessions} sessions: "
          f"{each:.1f} MB a session  (goal: at most {GOAL_MEGABYTES:g})")  # fmt: skip
    for failure in list(dict.fromkeys([*alone["failures"], *found["failures"]]))[:10]:
        print(f"  failed: {failure}")


def main() -> None:
    """Read what is asked, make the store, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="?", type=int, default=30)
    parser.add_argument("pages", nargs="?", type=int, default=10)
    parser.add_argument("--store", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = asked.store or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        run = store_with_a_run(home)
        with served(ROOT / "app.py", home=home) as (url, process, _):
            asyncio.run(measure(url, run, psutil.Process(process.pid), asked.sessions, asked.pages))


if __name__ == "__main__":
    main()
