"""What every request is: typed settings that know which task they are for."""

from typing import ClassVar, TypeVar

from embedlab.config import Config, validated
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.store import read_settings


class Request(Config):
    """What one job is asked. ``settings.json`` keeps all of its fields, so equal requests are equal files."""

    task: ClassVar[str]  # key of the task that does it (embedlab/tasks)

    @property
    def stored(self) -> dict:
        """Plain values of every field, as ``settings.json`` keeps them."""
        return self.model_dump(mode="json")

    @property
    def waits_for(self) -> str:
        """The device that it needs, ``auto`` for the best one; a task that needs none does not ask."""
        return "auto"


RequestT = TypeVar("RequestT", bound=Request)


def read_request(job: RunFolder, kind: type[RequestT]) -> RequestT:
    """What a job of this kind was asked; raises RunError or SettingsError where its ``settings.json`` does not say."""
    return validated(kind, read_settings(job)["settings"])


def find_job(request: Request) -> RunFolder | None:
    """The newest job that was asked exactly this, in whatever state."""
    return next(find_jobs(request.task, request.stored), None)
