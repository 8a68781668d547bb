"""What a training leaves whose process ended early: the encoder that it kept so far becomes its result.

Nothing here needs torch, so that whoever looks at the run can do it at once, in the milliseconds that links take.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from embedlab.damage import read_model_if_whole
from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.measurement import Note, from_row
from embedlab.numbers import by_number, percent
from embedlab.runs.beat import STEP, Beat
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import has_worker, read_job
from embedlab.runs.result import W_NOT_MEASURED, KeptStep, RunResult, read_result, write_result
from embedlab.runs.state import RunState, State, now, read_state, seconds_of, write_state, written_state
from embedlab.runs.store import read_rows
from embedlab.store_root import Json, whole_folder

FACTS = "kept.json"
ENCODER = "encoder"
_KEPT_NAME = re.compile(r"step-\d{6,}")


class KeptEncoder(BaseModel):
    """The contents of ``kept.json``, beside the folder of the encoder.

    ``result`` is what is known of the run without the texts and weights: all but what is measured in the end.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    step: int = Field(ge=0)
    planned: int = Field(ge=0)
    judge: str = ""  # what found it the best so far, in words; empty where nothing compares steps
    result: RunResult


def newest_kept(run: RunFolder) -> tuple[Path, KeptEncoder] | None:
    """Return the folder and the facts of the encoder kept last; None if none is kept, or the facts are damaged."""
    for folder in sorted(run.encoder_so_far.glob("step-*"), key=by_number, reverse=True):
        facts = read_model_if_whole(folder / FACTS, KeptEncoder)
        if facts is not None and (folder / ENCODER).is_dir():
            return folder, facts
    return None


def drop_kept(run: RunFolder, *, but: Path | None = None) -> None:
    """Remove the kept encoders, or all but one of them."""
    for folder in run.encoder_so_far.glob("step-*"):
        if folder != but and _KEPT_NAME.fullmatch(folder.name):
            shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # it is not empty
        run.encoder_so_far.rmdir()


def record_ending(folder: RunFolder) -> RunState:
    """Write down how a run ended whose worker has gone without doing so, and return its state.

    After Stop it is stopped. A training without Stop stays interrupted, and its ``state.json`` as it is: what is there
    tells why it ended. In both cases the encoder that was kept becomes the result. One process does this, under the
    run's lock.
    """
    facts = read_state(folder)
    if not _is_unsettled(folder, facts):
        return facts
    with _lock_if_free(folder.lock) as is_ours:
        if not is_ours:  # another process does it, or a new worker begins
            return facts
        if facts.state is State.STOPPED and folder.stop.exists() and written_state(folder) is not State.STOPPED:
            keep_encoder(folder, "Stopped")
            return write_state(folder, State.STOPPED, ended=facts.ended or now())
        if facts.state is State.INTERRUPTED:
            keep_encoder(folder, "Interrupted")
    return facts


def _is_unsettled(folder: RunFolder, facts: RunState) -> bool:
    """Return whether there is something to write. A worker elsewhere may only be silent, unless Stop was pressed."""
    if facts.damaged or not folder.lock.exists() or has_worker(folder):
        return False
    if facts.state is State.STOPPED:
        return written_state(folder) is not State.STOPPED
    return facts.state is State.INTERRUPTED and read_job(folder) is None and _lacks_result(folder)


def keep_encoder(run: RunFolder, verb: str) -> RunResult | None:
    """Make the encoder kept so far the run's encoder, and write its result. For the holder of the run's lock.

    ``verb``: ``Stopped`` or ``Interrupted``. Returns None if nothing is kept, or if the run has its result already.
    """
    newest = newest_kept(run)
    if newest is None or not _lacks_result(run):
        return None
    folder, facts = newest
    with whole_folder(run.encoder) as temporary:
        shutil.copytree(folder / ENCODER, temporary, dirs_exist_ok=True, copy_function=_link)
    result = unmeasured_result(run, facts, verb)
    write_result(run, result)
    return result


def unmeasured_result(run: RunFolder, so_far: KeptEncoder, verb: str) -> RunResult:
    """Return the result of a run that ended before its kept encoder was measured."""
    rows = read_rows(run.terms)
    last: Json = rows[-1] if rows else {}
    beat = read_model_if_whole(run.beat, Beat) or Beat()
    done = min(max(so_far.step, beat.done, int(last.get("step", 0))), so_far.planned)
    is_within = beat.work == STEP and done < so_far.planned
    where = f"{verb} at step {done:,} of {so_far.planned:,}"
    where += f"; step {done + 1:,} was not kept." if is_within else "."
    reason = f"{where} Kept the encoder of step {so_far.step:,}{', before training' if so_far.step == 0 else ''}"
    reason += f", the best so far by the {so_far.judge}." if so_far.judge else ", the last that was saved."
    seconds = float(last.get("seconds", 0.0)) if last.get("step") == done else so_far.result.training_seconds
    changes: dict[str, Any] = {
        "steps": done,
        "texts_read": int(last.get("texts", so_far.result.texts_read)) if done else 0,
        "training_seconds": round(seconds, 2),
        "seconds": round(max(seconds, _seconds_at_work(run)), 2),
        "stopped": True,
        "kept": (so_far.result.kept or KeptStep()).model_copy(update={"step": so_far.step, "reason": reason}),
        "warnings": (Note(code=W_NOT_MEASURED, message=_live_sentence(run, so_far.step)), *so_far.result.warnings),
        "paths": existing_paths(run),
    }
    return so_far.result.model_copy(update=changes)


def existing_paths(run: RunFolder) -> dict[str, str]:
    """Return the paths in a result: of those files and folders that exist."""
    named = {
        "run": run.path,
        "encoder": run.encoder,
        "best_encoder": run.best_encoder,
        "embeddings_before": run.embeddings("before"),
        "embeddings_after": run.embeddings("after"),
        "metrics": run.metrics,
        "log": run.log,
    }
    return {name: str(path) for name, path in named.items() if path.exists()}


def _live_sentence(run: RunFolder, step: int) -> str:
    """Say that the kept encoder was not measured in the end, and what the live curve says of it."""
    points = {row["step"]: row for row in read_rows(run.metrics) if not row.get("full") and row.get("knn")}
    ended = "The kept encoder was not measured on all test texts, because the run's process had ended"
    if step not in points:
        return f"{ended}."
    at, first = (from_row(points[each]["knn"]) if each in points else None for each in (step, 0))
    assert at is not None, "points without accuracy were left out"
    before = "" if first is None or step == 0 else f", and {percent(first.by(SHOWN_FIRST).value)} before training"
    texts = points[step].get("test_texts", 0)
    value = percent(at.by(SHOWN_FIRST).value)
    return f"{ended}. On the {texts:,} test texts of the live curve its kNN accuracy is {value}{before} ({_SHOWN})."


_SHOWN = DISTANCES[SHOWN_FIRST]


def _seconds_at_work(run: RunFolder) -> float:
    """Return the seconds from the worker's start to its last beat; 0 if either is unknown."""
    started = seconds_of(read_state(run).started)
    with suppress(OSError):
        return max(0.0, run.beat.stat().st_mtime - started) if started is not None else 0.0
    return 0.0


def _lacks_result(run: RunFolder) -> bool:
    """Return whether what was kept is newer than the result, or the result is of an earlier end of that encoder."""
    newest = newest_kept(run)
    if newest is None:
        return False
    result = read_result(run)
    if result is None:
        return True
    written, saved = _time(run.result), _time(newest[0] / FACTS)
    return written < saved or (result.is_unmeasured and written < _time(run.beat))


@contextmanager
def _lock_if_free(lock: Path) -> Iterator[bool]:
    """Hold this kernel lock, if nobody does. -> whether it is held here. The file is not made: its run may be gone."""
    if os.name == "nt":
        from filelock import FileLock, Timeout

        try:
            with FileLock(lock, timeout=0):
                yield True
        except Timeout:
            yield False
        return
    import fcntl

    try:
        descriptor = os.open(lock, os.O_RDWR)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_held_here = True
    except OSError:
        is_held_here = False
    try:
        yield is_held_here
    finally:
        os.close(descriptor)


def _time(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _link(source: str, target: str) -> str:
    """Give a file of weights a second name, because it is only ever replaced; copy other files, and on disks without
    links.
    """
    if source.endswith(".safetensors"):
        with suppress(OSError):
            os.link(source, target)
            return target
    return shutil.copy2(source, target)
