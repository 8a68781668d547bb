"""A study: ordinary runs, as many at once as their executor takes; a restart continues with the missing ones."""

import time

from filelock import FileLock, Timeout

from embedlab.errors import EmbedlabError, RunError, StopRequested
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.executors import executor_of
from embedlab.jobs.requests.working import RunStudy
from embedlab.jobs.runner import POLL_SECONDS, is_over, resume, stop_all, submit
from embedlab.jobs.versions import library_versions
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import decisive
from embedlab.store_root import write_json
from embedlab.studies.plan import Cell, StudySettings, cells, corpus_names, first_phase_of, run_name, settings_of
from embedlab.studies.store import Study, add_run, run_of
from embedlab.training.settings import RunSettings


def run(folder: RunFolder, request: RunStudy, progress: Progress) -> None:
    """A run that fails or is stopped leaves a gap; Stop ends the running runs and the study."""
    study = Study.open(request.study)
    try:
        with FileLock(study.lock, timeout=0):
            _work(folder, study, progress, request.on, request.at_once)
    except Timeout:
        raise RunError("E-STUDY-BUSY", f"Study {study.id} is already running. Wait for it, or stop it first.") from None


def check(design: StudySettings) -> None:
    """Refuse a study with a run that could not be requested: a wrong setting is reported before the first run."""
    for cell in cells(design):
        settings_of(design, cell, first_run="0")


def _work(folder: RunFolder, study: Study, progress: Progress, on: str | None, at_once: int | None) -> None:
    design = asked_of(study)
    check(design)
    executor = executor_of(on)
    if (why := executor.unreachable()) is not None:  # said once, not by each of its runs
        raise RunError("E-EXECUTOR", f"{why} Continue with: python -m embedlab study resume {study.id} --on local")
    planned, titles = cells(design), corpus_names()
    names = [run_name(design, cell, titles) for cell in planned]
    waiting = dict(enumerate(planned))
    working: dict[int, RunFolder] = {}
    try:
        while waiting or working:
            number = min(working or waiting)  # the oldest run at work, or the next one
            others = f", and {len(working) - 1} more" if len(working) > 1 else ""
            over = len(names) - len(waiting) - len(working)
            progress(f"Run {number + 1} of {len(names)}: {names[number]}{others}", over, len(names))
            for number in list(waiting):
                if len(working) >= (at_once or 1):
                    break
                first = first_phase_of(design, waiting[number])
                earlier = None if first is None else run_of(study, first)
                if first is not None and working and (earlier is None or not read_state(earlier).is_over):
                    continue  # its first phase is not over; if nothing is running any more, it does not wait
                run = _begun(study, design, waiting.pop(number), names[number], on)
                if run is not None:
                    working[number] = run
                    at_once = at_once or executor.at_once(run)
            working = {number: run for number, run in working.items() if not is_over(run)}
            if working:
                time.sleep(POLL_SECONDS)
    except StopRequested:
        stop_all(list(working.values()))
        raise
    runs = [run_of(study, cell) for cell in planned]
    done = [run for run in runs if run is not None and read_state(run).state is State.FINISHED]
    if not done:
        errors = [read_state(run).error for run in runs if run is not None]
        reason = next((error.message for error in errors if error), "See the runs for the reason.")
        raise EmbedlabError("E-STUDY-EMPTY", f"No run of the study finished. {reason}")
    write_json(folder.result, {"study": study.id, "runs": len(planned), "finished": len(done)})


def _begun(study: Study, design: StudySettings, cell: Cell, name: str, on: str | None) -> RunFolder | None:
    """The run of a cell, started or resumed; None if it exists already, or cannot run."""
    run = run_of(study, cell)
    if run is None:
        first = first_phase_of(design, cell)
        earlier = run_of(study, first) if first is not None else None
        if first is not None and (earlier is None or read_state(earlier).state is not State.FINISHED):
            return None  # a gap: its first phase is one
        settings = settings_of(design, cell, first_run=earlier.id if earlier is not None else None)
        run = same_run(settings) or submit(settings, name=name, on=on)
        add_run(study, cell, run)
        return run
    state = read_state(run).state
    if state is State.FINISHED:
        return None
    if state.is_over:
        resume(run, on)
    return run


def same_run(settings: RunSettings) -> RunFolder | None:
    """A finished run with identical settings and versions, which would be the same again."""
    same, versions = decisive(settings.stored), library_versions()
    named = {name: same[name] for name in ("corpus", "encoder", "recipe", "seed")}
    for folder in find_jobs("train", standing=State.FINISHED, **named):
        facts = read_state(folder)
        alike = facts.versions == versions and decisive(facts.settings or {}) == same
        if alike and read_result(folder) is not None:
            return folder
    return None
