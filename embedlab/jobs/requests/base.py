"""From a job to its request, and from a request to its job."""

from typing import TypeVar

from embedlab.config import Request, validated
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.store import stored_request

RequestT = TypeVar("RequestT", bound=Request)


def read_request(job: RunFolder, kind: type[RequestT]) -> RequestT:
    """The request of a job of this kind; raises RunError or SettingsError if ``settings.json`` does not hold one."""
    return validated(kind, stored_request(job).settings)


def find_job(request: Request) -> RunFolder | None:
    """The newest job with exactly this request, in any state."""
    return next(find_jobs(request.task, request.stored), None)
