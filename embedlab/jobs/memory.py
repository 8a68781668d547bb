"""Why a process ended: memory that ran out, what the run needed and what to change in words; or its last error."""

import re

import psutil

from embedlab.jobs.resources import peak_bytes
from embedlab.numbers import gigabytes
from embedlab.private import without_secrets
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import read_rows

INSTEAD = "Choose a smaller batch size (batch_size, or micro_batch for the same result), max_length or encoder."
_TRIED = re.compile(r"(?:allocate|size) (\d+)(?: bytes)?")  # how torch and Arrow say what they asked for
_LOG_END = 20_000  # characters
_FEW = 0.1  # of what a machine has, free at the last look: the system was about to end a process


def memory_sentence(error: BaseException) -> str:
    """What this process needed, what it asked for, and what there is."""
    if "cuda" in str(error).lower():
        return f"The GPU ran out of memory. Nothing else was lost. {INSTEAD}"
    machine, peak, tried = psutil.virtual_memory(), peak_bytes(), _TRIED.search(str(error))
    needed = "" if peak is None else f" It used up to {gigabytes(peak)}"
    if needed and tried is not None:
        needed += f" and asked for {gigabytes(int(tried.group(1)))} more"
    there = f"of {gigabytes(machine.total)} in this machine {gigabytes(machine.available)} are free"
    return f"It ran out of memory.{needed}{';' if needed else ''} {there}. Nothing else was lost. {INSTEAD}"


def likely_out_of_memory(run: RunFolder) -> str:
    """The sentence for a training whose process vanished when hardly any memory was left; empty for any other."""
    if read_state(run).state is not State.INTERRUPTED or not read_state(run).worker_vanished:
        return ""
    rows = read_rows(run.resources)[0]
    last = rows[-1] if rows else {}
    used, free = last.get("memory"), last.get("free")
    if not isinstance(used, int) or not isinstance(free, int) or free > _FEW * (used + free):
        return ""
    there = f"it used {gigabytes(used)}, and {gigabytes(free)} were free"
    return f"The system most likely ended it for lack of memory: when it was last looked at, {there}. {INSTEAD}"


def last_error(folder: RunFolder) -> str:
    """The error that ended a process before it could record it, as the last line of its log; empty where none did."""
    try:
        lines = folder.log.read_text("utf-8", errors="replace")[-_LOG_END:].splitlines()
    except OSError:
        return ""
    ended = any(line.startswith("Traceback (most recent call last)") for line in lines)
    words = without_secrets(lines[-1]).strip().rstrip(".") if ended else ""
    return f"{words}." if words else ""
