"""The thread that writes the beat of a training, and watches for the signals that the main thread cannot see."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass

from embedlab.errors import LeaveRequested
from embedlab.jobs.progress import forget_signals, leave_when_told
from embedlab.runs.beat import STEP, Beat, read_beat
from embedlab.runs.folder import RunFolder

BEAT_SECONDS = 1.0
LEAVE_SECONDS = 8.0  # for the current step, once a signal came: whoever sends it waits ten seconds or more


@dataclass(frozen=True)
class Piece:
    """A piece of work, and when it began by ``time.monotonic``."""

    work: str
    began: float


class Pulse:
    """What one training is at. The main thread says so; another thread writes it."""

    def __init__(self, folder: RunFolder):
        self.folder = folder
        self.piece: Piece | None = None
        self.done = self.planned = 0
        earlier = read_beat(folder)  # of a run that goes on: its steps are as long as they were
        before = None if earlier is None else earlier.beat.longest_step
        self.longest: dict[str, float] = {} if before is None else {STEP: before}

    @contextmanager
    def during(self, work: str) -> Iterator[None]:
        """Time a piece of work of this kind. One inside another replaces it for as long as it takes."""
        outer, self.piece = self.piece, Piece(work, began := time.monotonic())
        try:
            yield
            self.longest[work] = max(self.longest.get(work, 0.0), time.monotonic() - began)
        finally:
            self.piece = outer

    def beat(self) -> Beat:
        """Return the beat of this moment."""
        piece = self.piece
        return Beat(
            work=None if piece is None else piece.work,
            seconds=0.0 if piece is None else time.monotonic() - piece.began,
            longest=None if piece is None else self.longest.get(piece.work),
            longest_step=self.longest.get(STEP),
            done=self.done,
            planned=self.planned,
        )

    def write(self) -> None:
        """Write the beat, whole or not at all; a disk that refuses it ends no training."""
        temporary = self.folder.path / ".beat.part"
        with suppress(OSError):
            temporary.write_text(self.beat().model_dump_json(), encoding="utf-8")
            os.replace(temporary, self.folder.beat)


_current: list[Pulse] = []  # of this process: one at most


@contextmanager
def during(work: str, *, done: int | None = None, planned: int | None = None) -> Iterator[None]:
    """Time a piece of work for the beat, where this process writes one. ``done`` and ``planned``: steps, if known."""
    if not _current:
        yield
        return
    pulse = _current[-1]
    pulse.done = pulse.done if done is None else done
    pulse.planned = pulse.planned if planned is None else planned
    with pulse.during(work):
        yield


@contextmanager
def beating(folder: RunFolder, *, leave: Callable[[], None] | None = None) -> Iterator[None]:
    """Write the beat of this training until it ends.

    ``leave``: the worker is one of this computer, which SIGTERM asks to leave. The first signal lets the current step
    end. If that takes longer than ``LEAVE_SECONDS`` and nobody pressed Stop, whose patience is the reader's, ``leave``
    is called from here, and the process ends. A second signal ends the process at once.
    """
    pulse, over = Pulse(folder), threading.Event()
    _current.append(pulse)
    with _signals_as_bytes() if leave is not None else nullcontext() as pipe:
        signals, waking = (None, None) if pipe is None else pipe
        thread = threading.Thread(target=_beat, args=(pulse, over, signals, leave), name="pulse", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            if waking is not None:
                os.write(waking, b"\0")  # the end is not waited for
            thread.join()
            _current.remove(pulse)


def _beat(pulse: Pulse, over: threading.Event, signals: int | None, leave: Callable[[], None] | None) -> None:
    came = _Signals(signals)
    while not over.is_set():
        pulse.write()
        came.wait(over)
        if came.count > 1:
            os._exit(LeaveRequested.exit_code)
        is_late = came.first is not None and time.monotonic() - came.first >= LEAVE_SECONDS
        if leave is not None and is_late and pulse.piece is not None and not pulse.folder.stop.exists():
            pulse.write()
            leave()
            os._exit(LeaveRequested.exit_code)
    pulse.write()  # where the training was in the end


class _Signals:
    """The signals that have come through the pipe that Python's C handler writes to, also while torch computes."""

    def __init__(self, pipe: int | None):
        self.pipe = pipe
        self.count = 0
        self.first: float | None = None

    def wait(self, over: threading.Event) -> None:
        """Return after ``BEAT_SECONDS``, or earlier when a signal has come or the training is over."""
        if self.pipe is None:
            over.wait(BEAT_SECONDS)
            return
        ready, _, _ = select.select([self.pipe], [], [], BEAT_SECONDS)
        if ready:
            self._count(os.read(self.pipe, 64))

    def _count(self, numbers: bytes) -> None:
        terms = numbers.count(signal.SIGTERM)
        self.count += terms
        if terms and self.first is None:
            self.first = time.monotonic()


@contextmanager
def _signals_as_bytes() -> Iterator[tuple[int, int] | None]:
    """Take SIGTERM as a request to leave from now on.

    -> the pipe that has a byte for each signal, as descriptors to read and to write; None where there are no signals
    """
    if os.name == "nt" or threading.current_thread() is not threading.main_thread():
        yield None
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.getsignal(signal.SIGTERM)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    leave_when_told("SIGTERM")
    try:
        yield reading, writing
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.set_wakeup_fd(wakeup)
        forget_signals()
        os.close(reading)
        os.close(writing)
