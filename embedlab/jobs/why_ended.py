"""Why a job has no result, in words: memory that ran out, what it needed and what to change; or its last error."""

import re
from contextlib import suppress

import psutil

from embedlab.damage import read_log
from embedlab.errors import EmbedlabError, UserError
from embedlab.jobs.executors.local import signal_that_ended
from embedlab.jobs.resources import peak_bytes
from embedlab.machine_refusals import GPU_MEMORY, Refusal, refusal_in_log, refusal_of, refusal_of_signal
from embedlab.numbers import gigabytes
from embedlab.private import without_secrets
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import RunState, State
from embedlab.runs.store import read_rows

INSTEAD = "Choose a smaller batch size (batch_size, or micro_batch for the same result), max_length or encoder."
_TRIED = re.compile(r"(?:allocate|size) (\d+)(?: bytes)?")  # how torch and Arrow say what they asked for
_LOG_END = 20_000  # characters
_FEW = 0.1  # of what a machine has, free at the last look: the system was about to end a process


def memory_sentence(error: BaseException) -> str:
    """What this process needed, what it asked for, and what there is."""
    if refusal_of(error) is GPU_MEMORY:
        return f"The GPU ran out of memory. Nothing else was lost. {INSTEAD}"
    machine, peak, tried = psutil.virtual_memory(), peak_bytes(), _TRIED.search(str(error))
    needed = "" if peak is None else f" It used up to {gigabytes(peak)}"
    if needed and tried is not None:
        needed += f" and asked for {gigabytes(int(tried.group(1)))} more"
    there = f"of {gigabytes(machine.total)} in this machine {gigabytes(machine.available)} are free"
    return f"It ran out of memory.{needed}{';' if needed else ''} {there}. Nothing else was lost. {INSTEAD}"


def no_result(folder: RunFolder, facts: RunState) -> EmbedlabError:
    """The error for a run that ended without a result and without failing."""
    verb = "was stopped before anything was measured" if facts.state is State.STOPPED else "was interrupted"
    refusal = refusal_of_process(folder, facts)
    why = likely_out_of_memory(folder, facts) or (refusal.sentence if refusal is not None else last_error(folder))
    message = f"Run {folder.id} {verb}. {why and f'{why} '}Continue with: python -m embedlab runs resume {folder.id}"
    return EmbedlabError(f"E-{facts.state.upper()}" if refusal is None else refusal.code, message)


def error_of(facts: RunState, job: RunFolder) -> EmbedlabError:
    """The error recorded by a worker, as an error of this process with the same code, sentence and exit code."""
    if facts.state is not State.FAILED:
        refusal = refusal_of_process(job, facts)
        error = last_error(job) if refusal is None else refusal.sentence
        ended = f"{State.INTERRUPTED.sentence.removesuffix('.')}{f': {error}' if error else '.'}"
        code = "E-INTERRUPTED" if refusal is None else refusal.code
        return EmbedlabError(code, f"{ended} What was finished is kept; start it again.")
    kind = UserError if facts.exit_code == UserError.exit_code else EmbedlabError
    return kind(facts.failure.code, facts.failure.message)


def refusal_of_process(folder: RunFolder, facts: RunState) -> Refusal | None:
    """Return what ended the process of an interrupted run without an error of Python's: by the last lines of its log,
    else by the signal, which only the process that started it knows; None for any other run.
    """
    if facts.state is not State.INTERRUPTED:
        return None
    with suppress(OSError):  # UnreadableFile is one
        if (printed := refusal_in_log(read_log(folder.log)[-_LOG_END:])) is not None:
            return printed
    number = signal_that_ended(facts.pid)
    return None if number is None else refusal_of_signal(number)


def likely_out_of_memory(run: RunFolder, facts: RunState) -> str:
    """The sentence for a training whose process vanished when hardly any memory was left; empty for any other."""
    if facts.state is not State.INTERRUPTED or not facts.worker_vanished:
        return ""
    rows = read_rows(run.resources)
    last = rows[-1] if rows else {}
    used, free = last.get("memory"), last.get("free")
    if not isinstance(used, int) or not isinstance(free, int) or free > _FEW * (used + free):
        return ""
    there = f"it used {gigabytes(used)}, and {gigabytes(free)} were free"
    return f"The system most likely ended it for lack of memory: when it was last looked at, {there}. {INSTEAD}"


def last_error(folder: RunFolder) -> str:
    """The error that ended a process before it could record it, as the last line of its log; empty where none did."""
    try:
        lines = read_log(folder.log)[-_LOG_END:].splitlines()
    except OSError:  # UnreadableFile is one
        return ""
    ended = any(line.startswith("Traceback (most recent call last)") for line in lines)
    words = without_secrets(lines[-1]).strip().rstrip(".") if ended else ""
    return f"{words}." if words else ""
