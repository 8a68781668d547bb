"""What embedlab needs from an executor: is it reachable, take, look after, stop, log."""

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import ClassVar

from embedlab.damage import read_log
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import RunState
from embedlab.store_root import MissingFile

KEYS = (
    "No key or token is passed on: a worker reads HF_TOKEN from the environment of its machine, or what “hf auth "
    "login” stored there."
)


class Executor(ABC):
    """Finds a machine for a run. The run folder remains the only truth: progress, Stop, log and result are read and
    written there, and ``runs/lease.py`` tells whether its worker lives.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[str]  # a sentence

    @abstractmethod
    def unreachable(self) -> str | None:
        """Why no run can be submitted now, in a sentence; None if one can."""

    @abstractmethod
    def at_once(self, folder: RunFolder) -> int:
        """How many runs like this one it works on at the same time."""

    @abstractmethod
    def take(self, folder: RunFolder) -> None:
        """Record that it has this run from now on, and submit it.

        Raises
        ------
        UserError
            it cannot be reached, lacks its package, or has no machine that the run would fit on.
        """

    @abstractmethod
    def look_after(self, folder: RunFolder) -> RunState:
        """The state of a run; one that waits ends here, with the reason, if its job has ended there."""

    @abstractmethod
    def stop(self, folder: RunFolder, *, firmly: bool = True) -> None:
        """End the run's worker: by asking, or ``firmly``, which it cannot refuse."""

    def log(self, folder: RunFolder) -> str:
        """Everything that the run's worker, and before it the executor, has printed."""
        with suppress(MissingFile):
            return read_log(folder.log)
        return ""
