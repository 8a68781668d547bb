"""A run here and its copy in a shared place; with it those of its jobs, which its worker does after it, as ``jobs/ID``.

What a worker writes goes one way and what it is told (``job.json``, ``control/``) the other, so nothing is merged.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from embedlab.runs.elsewhere.job import read_job
from embedlab.runs.elsewhere.shared_place import SharedPlace
from embedlab.runs.folder import RunFolder
from embedlab.store_root import by_number, read_json, store_root, write_json

KNOWN = "copied.json"
_NEVER = ("run.lock", KNOWN, "workers/clock")
_CONTROL = ("control/stop", "control/stop-now")


class RunCopy:
    """``known``: of each file its size and time here, and what the place said of it, when both were last the same."""

    def __init__(self, run: RunFolder, url: str):
        self.run, self.place = run, SharedPlace(url)
        self.root = f"runs/{run.id}"
        try:
            self.known: dict[str, list] = read_json(run.path / KNOWN)
        except (FileNotFoundError, ValueError):
            self.known = {}

    def keep(self) -> None:
        """Remember for later processes what is the same on both sides."""
        write_json(self.run.path / KNOWN, self.known)

    def here(self, name: str) -> Path:
        """Where a file lies in the store of this machine."""
        return (store_root() if name.startswith("jobs/") else self.run.path) / name

    def there(self) -> dict[str, dict]:
        """The files of the copy, with what the place says of each."""
        found = self.place.files(self.root)
        names = {path.removeprefix(f"{self.root}/"): info for path, info in found.items()}
        return {name: info for name, info in names.items() if _counts(name)}

    def names_here(self) -> list[str]:
        """The files of the run, and of the jobs that were given to the same worker."""
        told, folders = read_job(self.run), {"": self.run.path}
        for path in sorted((store_root() / "jobs").glob("[0-9a-z]*")) if told is not None else ():
            own = read_job(RunFolder(path))
            if own is not None and own.token == told.token:
                folders[f"jobs/{path.name}/"] = path
        found = []
        for before, folder in folders.items():
            files = (Path(top, name) for top, _, names in os.walk(folder) for name in names)
            found += [before + file.relative_to(folder).as_posix() for file in files]
        return [name for name in found if _counts(name)]

    def put(self, name: str, held: Path | None = None) -> None:
        """Copy it there, if it changed here since; a file that goes meanwhile is passed over.

        ``held``: a link to it, which does not go.
        """
        with suppress(FileNotFoundError):
            file = self.here(name) if held is None else held
            stands = _stands(file)
            if self.known.get(name, [])[:2] != stands:
                info = self.place.put(file, f"{self.root}/{name}")
                self.known[name] = [*stands, _mark(info)]

    def look(self, name: str) -> tuple[list[int], bytes]:
        """A small file here as it stands now, to be put as such later."""
        return _stands(self.here(name)), self.here(name).read_bytes()

    def put_as(self, name: str, stands: list[int], contents: bytes) -> None:
        """As ``put``, what ``look`` saw."""
        if self.known.get(name, [])[:2] != stands:
            self.known[name] = [*stands, _mark(self.place.write(f"{self.root}/{name}", contents))]

    def get(self, name: str, info: dict) -> None:
        """Copy it here, if it changed there since; a file that goes meanwhile is passed over."""
        with suppress(FileNotFoundError):
            if self.known.get(name, [])[2:] != [_mark(info)] or not self.here(name).exists():
                self.place.get(f"{self.root}/{name}", self.here(name))
                self.known[name] = [*_stands(self.here(name)), _mark(info)]

    def drop(self, name: str) -> None:
        """Remove it there."""
        self.place.remove(f"{self.root}/{name}")
        self.known.pop(name, None)

    def read(self, name: str) -> bytes:
        """A small file as it is there."""
        return self.place.read(f"{self.root}/{name}")

    def age(self, name: str) -> float:
        """Seconds since it was written there."""
        return self.place.age(f"{self.root}/{name}")

    def note_age(self, name: str, age: float, seen: float) -> None:
        """Let the file of a worker here tell how long ago it gave a sign of life, when that was ``seen`` last."""
        file = self.here(name)
        os.utime(file, (seen - age, seen - age))
        file.with_name("clock").touch()
        os.utime(file.with_name("clock"), (seen, seen))


def job_of(name: str) -> str:
    """``jobs/ID`` of a file of a job, "" of one of the run."""
    return "/".join(name.split("/")[:2]) if name.startswith("jobs/") else ""


def is_control(name: str) -> bool:
    """Whether it asks a worker to stop."""
    return _inner(name) in _CONTROL


def is_of_the_worker(name: str) -> bool:
    """Whether the worker writes it; who asked for the run writes what the worker is told."""
    return not is_control(name) and name not in ("job.json", "settings.json")


def is_state(name: str) -> bool:
    """Whether it says where the run or a job stands."""
    return _inner(name) == "state.json"


def is_holder(name: str) -> bool:
    """Whether it is the file of one worker."""
    return _inner(name).startswith("workers/")


def newest_holders(names: list[str]) -> list[str]:
    """The newest worker's file of the run and of each of its jobs."""
    return list({job_of(name): name for name in sorted(filter(is_holder, names), key=by_number)}.values())


def is_checkpoint(name: str) -> bool:
    """Whether it is a part of one."""
    return name.startswith("checkpoints/")


def is_half_written(name: str) -> bool:
    """Whether it will have another name when it is whole."""
    return any(part.startswith(".") or part.endswith(".part") for part in name.split("/"))


def _counts(name: str) -> bool:
    inner = _inner(name)
    return not is_half_written(name) and inner not in _NEVER and (inner in _CONTROL or not inner.startswith("control/"))


def _inner(name: str) -> str:
    job = job_of(name)
    return name.removeprefix(f"{job}/") if job else name


def _stands(file: Path) -> list[int]:
    facts = file.stat()
    return [facts.st_size, facts.st_mtime_ns]


def _mark(info: dict) -> str:
    return json.dumps(sorted((key, str(value)) for key, value in info.items() if key != "name"))
