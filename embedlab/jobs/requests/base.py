"""What every request is: typed settings that know their task."""

from typing import ClassVar, TypeVar

from embedlab.config import Config, validated
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.store import stored_request
from embedlab.store_root import Json


class Request(Config):
    """The request of one job. ``settings.json`` holds all its fields, so equal requests give equal files."""

    task: ClassVar[str]  # key of the task that does it (embedlab/tasks)

    @property
    def stored(self) -> Json:
        """Plain values of every field, as in ``settings.json``."""
        return self.model_dump(mode="json")

    @property
    def waits_for(self) -> str:
        """The device that it needs, ``auto`` for the best one; None for a task without one."""
        return "auto"


RequestT = TypeVar("RequestT", bound=Request)


def read_request(job: RunFolder, kind: type[RequestT]) -> RequestT:
    """The request of a job of this kind; raises RunError or SettingsError if ``settings.json`` does not hold one."""
    return validated(kind, stored_request(job).settings)


def find_job(request: Request) -> RunFolder | None:
    """The newest job with exactly this request, in any state."""
    return next(find_jobs(request.task, request.stored), None)
