"""A study: its runs one after another as ordinary runs, those that finished passed over; started again it goes on."""

import time

from filelock import FileLock, Timeout

from embedlab.config import validated
from embedlab.corpora.base import open_corpus
from embedlab.errors import EmbedlabError, RunError, StopRequested
from embedlab.jobs.runner import enforce_stop, request_stop, resume, submit
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import decisive, list_runs
from embedlab.store_root import write_json
from embedlab.studies.base import StudySettings
from embedlab.studies.over_corpora import corpus_names
from embedlab.studies.plan import Cell, cells, first_phase_of, run_name, settings_of
from embedlab.studies.store import Study, add_run, asked_of, open_study, run_of
from embedlab.tasks.fine_tune.results import circumstances
from embedlab.training.settings import RunSettings

POLL_SECONDS = 0.3
REUSED_AMONG = 500  # the newest runs, when one with the very same settings is looked for


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``study``: the id. A run that fails or is stopped leaves a gap; Stop ends the present run and the study."""
    study = open_study(asked["study"])
    try:
        with FileLock(study.lock, timeout=0):
            _work(folder, study, progress)
    except Timeout:
        raise RunError("E-STUDY-BUSY", f"Study {study.id} is at work already. Wait for it, or stop it first.") from None


def check(asked: StudySettings) -> None:
    """Refuse a study of which a run could not be asked for: a wrong setting is said before the first run."""
    for cell in cells(asked):
        validated(RunSettings, settings_of(asked, cell, first_run="0"))


def _work(folder: RunFolder, study: Study, progress) -> None:
    asked = asked_of(study)
    check(asked)
    planned, names = cells(asked), corpus_names()
    for number, cell in enumerate(planned):
        name = run_name(asked, cell, names)
        _do(study, asked, cell, name, progress, f"Run {number + 1} of {len(planned)}: {name}", number, len(planned))
    found = [run_of(study, cell) for cell in planned]
    done = [run for run in found if run is not None and read_state(run).state is State.FINISHED]
    if not done:
        raise EmbedlabError("E-STUDY-EMPTY", f"No run of the study finished. {_first_reason(found)}")
    write_json(folder.result, {"study": study.id, "runs": len(planned), "finished": len(done)})


def _do(study: Study, asked: StudySettings, cell: Cell, name: str, progress, stage: str, done: int, total: int) -> None:
    progress(stage, done, total)
    run = run_of(study, cell)
    state = read_state(run).state if run is not None else None
    if state is State.FINISHED:
        return
    if run is None:
        first = first_phase_of(asked, cell)
        earlier = run_of(study, first) if first is not None else None
        if first is not None and (earlier is None or read_state(earlier).state is not State.FINISHED):
            return  # a gap: its first phase is one
        told = settings_of(asked, cell, first_run=earlier.id if earlier is not None else None)
        run = same_run(told) or submit("train", told, name=name)
        add_run(study, cell, run)
    elif state.is_over:
        resume(run)
    _wait(run, progress, stage, done, total)


def same_run(told: dict) -> RunFolder | None:
    """A finished run of the very same settings and versions: it would be the same again."""
    settings = validated(RunSettings, told)
    now = circumstances(settings, open_corpus(settings.corpus))
    wanted = decisive(now["settings"])
    for folder in list_runs()[:REUSED_AMONG]:
        facts = read_state(folder)
        alike = facts.state is State.FINISHED and facts.versions == now["versions"]
        if alike and decisive(facts.settings or {}) == wanted and read_result(folder) is not None:
            return folder
    return None


def _wait(run: RunFolder, progress, stage: str, done: int, total: int) -> None:
    try:
        while not read_state(run).is_over:
            progress(stage, done, total)
            time.sleep(POLL_SECONDS)
    except StopRequested:
        _stop(run)
        raise


def _stop(run: RunFolder) -> None:
    """End the present run without measuring what it kept: it is a gap, and goes on when the study does."""
    request_stop(run)
    request_stop(run)
    while not read_state(run).is_over:
        enforce_stop(run)
        time.sleep(POLL_SECONDS)


def _first_reason(runs: list[RunFolder | None]) -> str:
    for run in runs:
        error = read_state(run).error if run is not None else None
        if error:
            return error.message
    return "See the runs for the reason."
