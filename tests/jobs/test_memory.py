"""Memory that runs out is said as memory: what was needed, what there is, what to change."""

import errno
import sys
from types import SimpleNamespace

import pytest
from builders import leave_state

from embedlab.jobs import why_ended
from embedlab.jobs.resources import device_peak_bytes
from embedlab.jobs.why_ended import error_of, last_error, likely_out_of_memory, memory_sentence, no_result
from embedlab.machine_refusals import ran_out_of_memory
from embedlab.runs.state import Failure, State, read_state, write_state
from embedlab.runs.store import append_row, create_run

TORCH = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 8000000000 bytes."


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (RuntimeError(TORCH), True),
        (RuntimeError("std::bad_alloc"), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"), True),
        (OSError(errno.ENOSPC, "No space left on device"), False),
        (RuntimeError("shape mismatch"), False),
    ],
)
def test_an_error_for_want_of_memory_is_told_from_others(error, is_memory):
    assert ran_out_of_memory(error) is is_memory


@pytest.mark.parametrize(("code", "exit_code"), [("E-MEMORY", 1), ("E-UNEXPECTED", 1), ("E-SETTING", 2)])
def test_whoever_waits_for_a_failed_job_ends_as_its_worker_did(store, code, exit_code):
    job = create_run("ingest", {})
    failure = Failure(code=code, message="It failed.")
    error = error_of(write_state(job, State.FAILED, error=failure, exit_code=exit_code), job)
    assert (error.code, error.message, error.exit_code) == (code, "It failed.", exit_code)


def test_the_sentence_names_what_was_used_asked_for_and_free(monkeypatch):
    monkeypatch.setattr(why_ended, "peak_bytes", lambda: 6 * 10**9)
    monkeypatch.setattr(why_ended.psutil, "virtual_memory", lambda: SimpleNamespace(total=8 * 10**9, available=10**9))
    sentence = memory_sentence(RuntimeError(TORCH))
    assert "used up to 6.0 GB and asked for 8.0 GB more; of 8.0 GB in this machine 1.0 GB are free" in sentence
    assert "micro_batch" in sentence and "max_length" in sentence
    assert memory_sentence(RuntimeError("CUDA out of memory")).startswith("The GPU ran out of memory.")


def test_a_training_that_vanished_when_no_memory_was_left_says_so(store):
    run = create_run("train", {})
    leave_state(run, State.RUNNING)
    assert likely_out_of_memory(run, read_state(run)) == ""
    append_row(run.resources, {"at": 1.0, "memory": 6 * 10**9, "cores": 1.0, "free": 5 * 10**9})
    assert likely_out_of_memory(run, read_state(run)) == ""
    append_row(run.resources, {"at": 2.0, "memory": 11 * 10**9, "cores": 1.0, "free": 10**8})
    assert "it used 11.0 GB, and 0.1 GB were free" in likely_out_of_memory(run, read_state(run))
    assert "lack of memory" in no_result(run, read_state(run)).message
    leave_state(run, State.FAILED)
    assert likely_out_of_memory(run, read_state(run)) == ""


def test_the_peak_of_a_gpu_is_read_where_this_process_uses_one(monkeypatch):
    cuda = SimpleNamespace(is_initialized=lambda: True, max_memory_allocated=lambda: 3 * 10**9)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    assert device_peak_bytes() == 3 * 10**9
    cuda.is_initialized = lambda: False  # the machine may have one, but this run works on the CPU
    assert device_peak_bytes() is None
    monkeypatch.delitem(sys.modules, "torch")
    assert device_peak_bytes() is None


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("Traceback (most recent call last):\n  File x\nModuleNotFoundError: No module named 'a'\n", True),
        ("step 3\nModuleNotFoundError: No module named 'a'\n", False),
        ("", False),
        (None, False),
    ],
)
def test_what_ended_a_process_before_it_could_say_so_is_in_its_log(store, log, expected):
    run = create_run("train", {})
    if log is not None:
        run.log.write_text(log, encoding="utf-8")
    assert last_error(run) == ("ModuleNotFoundError: No module named 'a'." if expected else "")
