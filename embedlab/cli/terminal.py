"""Progress on standard error: a single updating line on a terminal, otherwise one line per stage."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from embedlab.cli.arguments import Json, Outcome
from embedlab.errors import UserError
from embedlab.numbers import duration
from embedlab.plain_text import printable

if TYPE_CHECKING:
    from embedlab.corpora.notes import ReadingReport
    from embedlab.runs.folder import RunFolder
    from embedlab.runs.state import RunState

EXIT_CODES = {"finished": 0, "stopped": 3, "interrupted": 75}  # by how a job ended


class Terminal:
    """Progress for people."""

    def __init__(self, *, quiet: bool = False, as_json: bool = False):
        self.quiet, self.as_json = quiet, as_json
        self.renews = sys.stderr.isatty()
        self.reading: ReadingReport | None = None  # how the corpus's file was read
        self.refusal: UserError | None = None  # why something that was measured could not be kept
        self._stage = ""
        self._began = self._shown = 0.0

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Show the stage, its share and the time left."""
        if self.quiet:
            return
        clock = time.monotonic()
        if stage != self._stage:
            if self.renews and self._stage:
                print(file=sys.stderr)
            self._stage, self._began, self._shown = stage, clock, 0.0
            if not self.renews:
                print(printable(stage), file=sys.stderr, flush=True)
        if self.renews and clock - self._shown > 0.1:
            self._shown = clock
            left = (clock - self._began) / done * (total - done) if done and total else None
            share = f", {100 * done // total} %" if total else ""
            wait = f", {duration(left)} left" if left is not None and clock - self._began > 1 else ""
            print(f"\r\033[K{printable(stage)}{share}{wait}", end="", file=sys.stderr, flush=True)

    def confirmed(self, lines: list[str], question: str) -> bool:
        """Show these lines and ask; no where nobody can answer."""
        if self.quiet or self.as_json or not sys.stdin.isatty():
            return False
        for line in lines:
            self.note(line)
        print(f"{printable(question)} [y/N] ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().casefold() in ("y", "yes")

    def not_kept(self, reason: UserError) -> None:
        """What was measured is printed, and could not be kept."""
        self.refusal = self.refusal or reason

    def note(self, sentence: str) -> None:
        """One sentence on a line of its own."""
        if not self.quiet:
            if self.renews and self._stage:
                print(file=sys.stderr)
                self._stage = ""
            print(printable(sentence), file=sys.stderr, flush=True)


def show_one(result: Json) -> list[str]:
    """Name and value, one per line."""
    return [f"{name}: {value}" for name, value in result.items() if value is not None]


def failed(kind: str, key: str, facts: "RunState") -> Outcome:
    """The outcome of a run, study or Find (``kind``) whose job failed."""
    return Outcome({kind: key, "error": facts.failure.model_dump()}, code=facts.exit_code)


def followed_to_end(
    kind: str, key: str, job: "RunFolder", terminal: Terminal, *, detach: bool, outcome: Callable[[], Outcome]
) -> Outcome:
    """The outcome of a study or Find (``kind``) once its job has ended; with ``detach`` only how to see it later."""
    from embedlab.jobs.runner import wait
    from embedlab.runs.state import State

    if detach:
        queued = f"{kind.capitalize()} {key} is {State.QUEUED}. See: python -m embedlab {kind} show {key}"
        return Outcome({kind: key, "state": str(State.QUEUED)}, [queued])
    facts = wait(job, terminal)
    if facts.state is State.FAILED:
        return failed(kind, key, facts)
    return replace(outcome(), code=EXIT_CODES[facts.state])
