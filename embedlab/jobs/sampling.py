"""Memory and processor use of a worker: a row every two seconds, later fewer, in resources.jsonl."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from threading import Event, Thread

import psutil

from embedlab.jobs.progress import Beginning, beginnings
from embedlab.jobs.resources import gpu_in_use
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import steady_time
from embedlab.runs.store import append_row, read_rows

SECONDS = 2.0  # between two looks at first
LOOKS = 300  # after so many the time between them is doubled: ten hours are about 1,800 rows
MOST_POINTS = 600  # of a picture
_NUMBERS = ("at", "memory", "cores")  # in a row
_PAUSE = 30.0  # longer without a row than this and than twice the last interval: nobody worked


@contextmanager
def sampling(folder: RunFolder, wait: Callable[[float], bool] | None = None) -> Iterator[None]:
    """Sample this process and its children until the work is done.

    ``wait(seconds)``: whether the work is done, at the latest after so many seconds; by default it waits for the end.
    """
    done = Event()
    thread = Thread(target=_sample, args=(folder, wait or done.wait), name="sampling", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=5)


def _sample(folder: RunFolder, wait: Callable[[float], bool]) -> None:
    process, interval, looks = psutil.Process(), SECONDS, 0
    children: dict[int, psutil.Process] = {}
    _look(process, children)  # a share of the processor is since the last look
    over = wait(min(interval, 0.5))
    with suppress(OSError, psutil.Error):  # a full disk stops the samples, not the run
        while True:
            append_row(folder.resources, {"at": round(steady_time(), 1), **_look(process, children)})
            if over:
                return
            looks += 1
            if looks % LOOKS == 0:
                interval *= 2
            over = wait(interval)


def _look(process: psutil.Process, children: dict[int, psutil.Process]) -> dict[str, float]:
    """Bytes of memory and cores in use now, of the process and its children, and of the GPU, where torch has one; and
    the bytes that the machine has left.
    """
    present = {each.pid: children.get(each.pid, each) for each in process.children(recursive=True)}
    children.clear()
    children.update(present)
    memory, percent = 0, 0.0
    for each in (process, *present.values()):
        with suppress(psutil.Error):  # it ended at this moment
            percent += each.cpu_percent()
            memory += each.memory_info().rss
    usage = {"memory": memory, "cores": round(percent / 100, 2), "free": psutil.virtual_memory().available}
    if (cuda := gpu_in_use()) is not None:
        usage["gpu_memory"] = int(cuda.memory_reserved())
    return usage


@dataclass(frozen=True)
class Resources:
    """What a run used over its working time, without pauses between interruption and resume."""

    seconds: list[float]
    memory: list[int]  # bytes
    cores: list[float]
    gpu_memory: list[int]  # bytes; empty without a GPU
    stages: list[str]  # what the worker did then


def resources_of(run: RunFolder) -> Resources | None:
    """At most 600 points, each the maximum of those it represents; None if nothing was recorded."""
    rows = [row for row in read_rows(run.resources) if all(isinstance(row.get(each), int | float) for each in _NUMBERS)]
    if len(rows) < 2:
        return None
    apart = [0.0, *(max(after["at"] - row["at"], 0.0) for row, after in zip(rows, rows[1:], strict=False))]
    seconds, total, usual = [], 0.0, SECONDS
    for gap in apart:
        is_pause = gap > max(_PAUSE, 2.5 * usual)
        total += 0.0 if is_pause else gap
        usual = usual if is_pause else max(gap, SECONDS)
        seconds.append(total)
    began = [Beginning("Starting", float("-inf")), *beginnings(run)]
    every = -(-len(rows) // MOST_POINTS)
    parts = [range(start, min(start + every, len(rows))) for start in range(0, len(rows), every)]
    has_gpu = any("gpu_memory" in row for row in rows)
    return Resources(
        seconds=[seconds[part[-1]] for part in parts],
        memory=[max(rows[number]["memory"] for number in part) for part in parts],
        cores=[sum(rows[number]["cores"] for number in part) / len(part) for part in parts],
        gpu_memory=[max(rows[number].get("gpu_memory", 0) for number in part) for part in parts] if has_gpu else [],
        stages=[began[bisect_right(began, rows[part[-1]]["at"], key=attrgetter("at")) - 1].kind for part in parts],
    )
