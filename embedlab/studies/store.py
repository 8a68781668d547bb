"""A study on disk: a folder whose study.json says what was asked and which runs were started; runs are only added."""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from embedlab.config import validated
from embedlab.errors import EmbedlabError, RunError
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_job
from embedlab.runs.state import RunState, State, now, read_state
from embedlab.runs.store import delete_run, new_id, open_run
from embedlab.store_root import discard, make_folder, read_json, store_root, whole_folder, write_json
from embedlab.studies.base import StudySettings
from embedlab.studies.plan import Cell

SCHEMA = 1
_RUN = {"part", "value", "seed", "run"}  # what a row of a study's runs holds at least
_ID = re.compile(r"[0-9a-z]{6,26}")


@dataclass(frozen=True)
class Study:
    """The folder of one study."""

    path: Path

    @property
    def id(self) -> str:
        """Sortable by time, as a run's."""
        return self.path.name

    @property
    def file(self) -> Path:
        """``{schema, created, asked, runs}``"""
        return self.path / "study.json"

    @property
    def lock(self) -> Path:
        """Held by the one worker that starts runs for it."""
        return self.path / "study.lock"


def create_study(asked: StudySettings) -> Study:
    """A study without runs."""
    path = store_root() / "studies" / new_id()
    with whole_folder(path) as beside:
        write_json(
            beside / "study.json",
            {"schema": SCHEMA, "created": now(), "asked": asked.model_dump(mode="json"), "runs": []},
        )
    return Study(path)


def create_once(asked: StudySettings) -> Study:
    """The same study where it is at work already, else a new one: two clicks make one study."""
    locks = store_root() / "locks"
    make_folder(locks)
    with FileLock(locks / "studies.lock", timeout=10):
        for study in list_studies():
            with suppress(EmbedlabError):  # a damaged one
                if asked_of(study) == asked and ((job := job_of(study)) is None or not read_state(job).is_over):
                    return study
        return create_study(asked)


def open_study(study_id: str) -> Study:
    """The study of this id."""
    if _ID.fullmatch(study_id):
        study = Study(store_root() / "studies" / study_id)
        if study.file.is_file():
            return study
    newest = ", ".join(study.id for study in list_studies()[:3])
    known = f"The newest are {newest}." if newest else "There are none yet."
    raise RunError("E-UNKNOWN-STUDY", f"There is no study with the id {study_id!r}. {known}")


def list_studies() -> list[Study]:
    """All studies, newest first."""
    parent = store_root() / "studies"
    if not parent.is_dir():
        return []
    found = [Study(path) for path in parent.iterdir() if _ID.fullmatch(path.name)]
    return sorted((study for study in found if study.file.is_file()), key=lambda study: study.id, reverse=True)


def asked_of(study: Study) -> StudySettings:
    """What was asked; never changes."""
    return validated(StudySettings, _read(study)["asked"], where="study")


def created(study: Study) -> str:
    """When it was asked for, ISO 8601."""
    return _read(study).get("created", "")


def runs_of(study: Study) -> dict[str, str]:
    """The newest run of each cell: the cell's key -> the run's id."""
    return {Cell(row["part"], row["value"], row["seed"], row["series"]).key: row["run"] for row in _read(study)["runs"]}


def run_of(study: Study, cell: Cell) -> RunFolder | None:
    """The run of a cell, or None where there is none (any more)."""
    run_id = runs_of(study).get(cell.key)
    return opened_run(run_id)


def opened_run(run_id: str | None) -> RunFolder | None:
    """A run by its id, None where it was deleted."""
    if run_id is None:
        return None
    try:
        return open_run(run_id)
    except EmbedlabError:
        return None


def add_run(study: Study, cell: Cell, run: RunFolder) -> None:
    """Write down the run of a cell; for the holder of the study's lock."""
    known = _read(study)
    known["runs"].append({**vars(cell), "run": run.id})
    write_json(study.file, known)


def job_of(study: Study) -> RunFolder | None:
    """The newest job that works, or worked, on this study."""
    return find_job("study", study=study.id)


def state_of(study: Study) -> RunState:
    """How its newest job stands; a study nobody works on, because none was started, is interrupted."""
    job = job_of(study)
    return RunState(state=State.INTERRUPTED) if job is None else read_state(job)


def own_runs(study: Study) -> list[RunFolder]:
    """Its runs that are still there and that no other study has."""
    others = {run for each in list_studies() if each != study for run in _run_ids(each)}
    found = [opened_run(run) for run in sorted(_run_ids(study) - others)]
    return [run for run in found if run is not None]


def delete_study(study: Study, *, with_runs: bool = False) -> list[str]:
    """Remove it for good; its runs stay as ordinary runs, or go with it where no other study has them.

    The ids of the deleted runs. Refused while it works.
    """
    if not state_of(study).is_over:
        raise RunError("E-STUDY-BUSY", f"Study {study.id} is still at work. Stop it first, then delete it.")
    gone = own_runs(study) if with_runs else []
    for run in gone:
        delete_run(run)
    discard(study.path)
    return [run.id for run in gone]


def _run_ids(study: Study) -> set[str]:
    try:
        return {row["run"] for row in _read(study)["runs"]}
    except EmbedlabError:
        return set()


def _read(study: Study) -> dict:
    try:
        found = read_json(study.file)
        schema = found.get("schema")
        is_whole = isinstance(found["asked"], dict) and all(_RUN <= row.keys() for row in found["runs"])
    except (OSError, KeyError, TypeError, AttributeError):
        is_whole = False
    if is_whole and schema != SCHEMA:
        raise RunError(
            "E-SCHEMA",
            f"Studies of schema {SCHEMA} can be read, but study {study.id} has {schema or 'none'}: "
            "another version of embedlab made it. It is left as it is: open it with that version or delete its folder.",
        )
    if not is_whole:
        raise RunError("E-DAMAGED-STUDY", f"Study {study.id} cannot be read. Delete its folder.")
    return found
