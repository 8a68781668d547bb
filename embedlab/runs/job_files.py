"""``files.json``: which files a job's worker wrote into the job's folder, listed when it ends.

A job is removed as a whole when it is old. A file that is neither listed nor of a name that every job has was put there
by somebody else, and then the job stays.
"""

from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_model_if_whole
from embedlab.own_files import WRITTEN, files_in
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json

_FILE = "files.json"


class JobFiles(BaseModel):
    """The contents of ``files.json``: paths relative to the job's folder, with ``/``."""

    model_config = ConfigDict(frozen=True)

    files: tuple[str, ...]


def list_own_files(job: RunFolder) -> None:
    """Write down what is in a job's folder; only for its worker, at the end of its work."""
    files = [file for file in files_in(job.path) if not WRITTEN["job"].fullmatch(file)]
    if files:
        write_json(job.path / _FILE, JobFiles(files=tuple(files)).model_dump(mode="json"))


def are_all_own(job: RunFolder) -> bool:
    """Return whether embedlab wrote every file in a job's folder."""
    listed = read_model_if_whole(job.path / _FILE, JobFiles)
    of_worker = frozenset(() if listed is None else listed.files)
    return all(file in of_worker or WRITTEN["job"].fullmatch(file) for file in files_in(job.path))
