"""What embedlab asks of whoever works on a run: can it now, begin, is it over, end it, what does it say."""

from abc import ABC, abstractmethod
from typing import ClassVar

from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import Job

KEYS = (
    "No key or token is passed on: a worker reads HF_TOKEN from the environment of its machine, or what “hf auth "
    "login” stored there."
)


class Executor(ABC):
    """An engine that finds a machine for a run. The run folder stays the only truth: progress, Stop, log and result are
    read and written there, and whether its worker lives is told by ``runs/lease.py``.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[str]  # a sentence

    @abstractmethod
    def unreachable(self) -> str | None:
        """Why no run can be given to it now, in a sentence; None where one can."""

    @abstractmethod
    def at_once(self, folder: RunFolder) -> int:
        """How many runs like this one it works on at the same time."""

    @abstractmethod
    def submit(self, folder: RunFolder, job: Job) -> str:
        """Give it the run; what it calls the job.

        Raises
        ------
        UserError
            it cannot be reached, lacks its package, or has no machine that the run would fit on.
        """

    @abstractmethod
    def ended(self, folder: RunFolder) -> str | None:
        """A sentence on how the run's job ended there; None while it waits or works, or while nobody answers."""

    @abstractmethod
    def stop(self, folder: RunFolder, *, firmly: bool = True) -> None:
        """End the run's worker: by asking it, or ``firmly``, which it cannot refuse."""

    def log(self, folder: RunFolder) -> str:
        """All that the run's worker has said so far, and before it the executor."""
        try:
            return folder.log.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""
