"""One process, one run, started as ``python -m embedlab.worker FOLDER``.

Several work on one run together as ``torchrun --nproc-per-node 2 -m embedlab.worker FOLDER`` (encoders/processes.py):
the first is the worker, the others only take part, in training and where a corpus is embedded.
"""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from embedlab.disk_trouble import trouble_said
from embedlab.errors import EmbedlabError, GiveWayRequested, LeaveRequested, RunError, StopRequested
from embedlab.jobs.executors.cluster import start_here
from embedlab.jobs.progress import FolderProgress, begins_again, is_told_to_leave, leave_when_told
from embedlab.jobs.pulse import beating
from embedlab.jobs.resources import device_peak_bytes, peak_bytes
from embedlab.jobs.sampling import sampling
from embedlab.jobs.storage import prune_jobs
from embedlab.jobs.versions import difference, versions_here
from embedlab.jobs.why_ended import memory_sentence
from embedlab.jobs.worker_process import ONE_THREAD, TOKEN, give_way, is_elsewhere
from embedlab.machine_refusals import DISK_FULL, ran_out_of_memory, refusal_of
from embedlab.offline import go_offline
from embedlab.private import without_secrets
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.job_files import list_own_files
from embedlab.runs.kept import keep_encoder
from embedlab.runs.lease import has_worker, hold_lease, read_job, start_of, this_host
from embedlab.runs.state import Failure, State, moment_of, read_state, steady_time, write_state
from embedlab.runs.store import remove_ghost, stored_request, task_of
from embedlab.session import working_for
from embedlab.store_root import store_root
from embedlab.torchrun import is_one_of_several, is_started_by_torchrun
from embedlab.training.settings import RunSettings


def main(path: str) -> int:
    """Do the work requested in the folder's settings.json; the exit code says how it ended."""
    folder = RunFolder(Path(path).resolve())
    token = os.environ.get(TOKEN)
    try:
        if is_one_of_several():
            return _take_part(folder)
        if token is not None:
            return _work_elsewhere(folder, token)
        _require_settings(folder)  # before the lock, which would make the folder of a deleted run again
        store_root()  # from now on it is noticed when the store vanishes
        with FileLock(folder.lock, timeout=5):
            _require_settings(folder)
            with hold_lease(folder):
                code = _work(folder)
                if folder.path.parent.name == "jobs":
                    list_own_files(folder)
        prune_jobs()
        return code
    except RunError as error:
        print(error.message, file=sys.stderr)
        return 2
    except Timeout:
        print(f"Run {folder.id} already has a worker.", file=sys.stderr)
        return 2


def _require_settings(folder: RunFolder) -> None:
    if not os.path.lexists(folder.settings):
        remove_ghost(folder)
        raise RunError("E-DELETED", f"Run {folder.id} was deleted before its worker began, so this worker stops.")


def _work_elsewhere(folder: RunFolder, token: str) -> int:
    """The worker of an executor's job, possibly on another machine that may be taken away."""
    leave_when_told("SIGTERM", "SIGUSR2")
    if not folder.settings.exists():
        seen = f"does not see the run's folder {folder.path}: EMBEDLAB_HOME must be a folder that all machines share"
        raise RunError("E-STORE", f"The worker on {this_host()} {seen}.")
    code = 0
    with hold_lease(folder, token):
        given = read_job(folder)
        if given is not None and (differs := difference(given.versions, versions_here(), this_host())) is not None:
            error = Failure(code="E-VERSIONS", message=f"{differs} {start_here(folder)}")
            write_state(folder, State.FAILED, ended=moment_of(steady_time()), error=error, exit_code=2)
            return 2
        log_into(folder)
        state = read_state(folder).state
        if state is State.INTERRUPTED or not state.is_over:  # else its job begins again for what is done after it
            code = _work(folder)
    for job in reversed(at_work("jobs")) if not is_told_to_leave() else ():
        handed_on = read_job(job)
        if handed_on is not None and handed_on.token == token and not read_state(job).is_over:
            with hold_lease(job, token):
                _work(job)
    return LeaveRequested.exit_code if is_told_to_leave() else code


def log_into(folder: RunFolder) -> None:
    """From here on, output goes to the run's log, as with a worker on this computer."""
    log = os.open(folder.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        os.dup2(log, stream.fileno())
    os.close(log)


def _work(folder: RunFolder) -> int:
    stored = stored_request(folder)
    from embedlab.tasks import TASKS
    from embedlab.tasks.device_queue import device_held

    task = TASKS[stored.task]
    if not task.may_connect:
        go_offline()
    process = psutil.Process()
    write_state(folder, State.QUEUED, pid=process.pid, pid_started=start_of(process))
    progress = FolderProgress(folder)
    try:
        request = task.read(stored.settings)
        if not (task.needs_device or task.only_waits or is_elsewhere()):
            _step_aside(folder, getattr(request, "run", None))
        state: State | None = None
        while state is None:  # once, unless it gives way
            folder.give_way.unlink(missing_ok=True)
            with suppress(GiveWayRequested), device_held(folder, task, request, progress) as device:
                write_state(folder, State.RUNNING, started=moment_of(steady_time()), device=device)
                with _others_joined():
                    # what it begins besides belongs to who asked for it
                    with working_for(stored.session), _observed(folder, stored.task):
                        state = task.run(folder, request, progress) or State.FINISHED
            if state is None:
                write_state(folder, State.QUEUED)
        peaks = {"peak_bytes": peak_bytes(), "device_peak_bytes": device_peak_bytes()}
        write_state(folder, state, ended=moment_of(steady_time()), **peaks)
        return 0 if state is State.FINISHED else 3
    except StopRequested:
        keep_encoder(folder, "Stopped")
        write_state(folder, State.STOPPED, ended=moment_of(steady_time()))
        return 3
    except LeaveRequested as error:
        if begins_again():
            write_state(folder, State.QUEUED, ended=moment_of(steady_time()))
        else:
            _leave(folder)
        return error.exit_code
    except Exception as error:
        code, message, exit_code = _failure(error, folder)
        failure = Failure(code=code, message=message)
        write_state(folder, State.FAILED, ended=moment_of(steady_time()), error=failure, exit_code=exit_code)
        return exit_code


@contextmanager
def _observed(folder: RunFolder, task: str) -> Iterator[None]:
    """Sample a training's resources and write its beat; on this computer, SIGTERM then asks it to leave."""
    if task != RunSettings.task:
        yield
        return
    is_asked_by_signal = not is_elsewhere() and not is_started_by_torchrun()  # there, the signals are others' to send
    leave = partial(_leave, folder) if is_asked_by_signal else None
    with sampling(folder), beating(folder, leave=leave):
        yield


def _leave(folder: RunFolder) -> None:
    """Keep what a training has reached, and write that it was told to leave. After Stop it is stopped."""
    is_stopped = folder.stop.exists()
    keep_encoder(folder, "Stopped" if is_stopped else "Interrupted")
    write_state(folder, State.STOPPED if is_stopped else State.INTERRUPTED, ended=moment_of(steady_time()))


def _failure(error: Exception, folder: RunFolder) -> tuple[str, str, int]:
    """Code, sentence and exit code for what ended a run; the log gets the traceback of unexpected errors."""
    if isinstance(error, EmbedlabError):
        return error.code, without_secrets(error.message), error.exit_code
    refusal, sentence = refusal_of(error), trouble_said(error)
    if sentence is not None and not (refusal is DISK_FULL or ran_out_of_memory(error)):
        return sentence.code, without_secrets(sentence.message), sentence.exit_code
    print(without_secrets(traceback.format_exc()), file=sys.stderr)
    if refusal is DISK_FULL:
        why = f"The disk of {store_root()} is full. What was already written is kept: free some space, then resume."
        return refusal.code, why, 1
    if refusal is not None and ran_out_of_memory(error):
        return refusal.code, memory_sentence(error), 1
    why = f"{folder.id} failed with an unexpected error ({type(error).__name__}). Its log has the details."
    return "E-UNEXPECTED", why, 1


def _others_joined() -> AbstractContextManager[object]:
    """The processes that torchrun started besides this one, which is the first."""
    if not is_started_by_torchrun():
        return nullcontext()
    from embedlab.encoders.processes import joined  # torch takes seconds to import

    return joined()


def _take_part(folder: RunFolder) -> int:
    """Work with the first process until it ends the work; it alone reports how the run ended, also an error of ours."""
    go_offline()
    from embedlab.encoders.processes import TrainingOver, joined
    from embedlab.tasks.fine_tune.preparing import take_part

    with joined() as processes:
        assert processes is not None  # torchrun started several
        try:
            take_part(folder, processes)
        except TrainingOver:
            pass
        except Exception as error:
            processes.end(_failure(error, folder))
    return 0


def _step_aside(folder: RunFolder, served: str | None) -> None:
    """Work beside training: low priority, and one thread while anything except the served run is at work."""
    served_runs = {folder.id, served}
    others = [other for other in at_work() if other.id not in served_runs and read_job(other) is None]
    if any(has_worker(other) and task_of(other) != "ask" for other in others):
        os.environ.update(ONE_THREAD)
    give_way()
