"""What embedlab asks of a cluster: begin a worker on a run folder, say if it is gone, end it."""

from abc import ABC, abstractmethod
from typing import ClassVar

from embedlab.runs.folder import RunFolder


class Executor(ABC):
    """An existing engine that finds a machine for a run; the run folder on shared storage stays the only truth."""

    key: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[str]  # a sentence

    @abstractmethod
    def unreachable(self) -> str | None:
        """Why no run can be given to it now, in a sentence; None where one can."""

    @abstractmethod
    def submit(self, folder: RunFolder, environment: dict[str, str]) -> str:
        """Give it the run; what it calls the job.

        Raises
        ------
        RunError
            it cannot be reached, lacks its package, or has no device of the kind the run asks for.
        """

    @abstractmethod
    def ended(self, job: str) -> str | None:
        """A sentence on how the job ended there; None while it waits or works, or while nobody answers."""

    @abstractmethod
    def stop(self, job: str) -> None:
        """End the job now."""
