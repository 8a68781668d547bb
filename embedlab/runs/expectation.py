"""What a run will take, from a run of the same settings that this machine has done before."""

from dataclasses import dataclass

from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import bytes_of, list_runs

LOOKED_AT = 40  # newest runs


@dataclass(frozen=True)
class Expectation:
    """Seconds to the last number, memory at most and room on the disk, in bytes; memory is None in runs of before."""

    run: RunFolder
    seconds: float
    peak_bytes: int | None
    disk_bytes: int


def expected(asked: dict) -> Expectation | None:
    """By the newest finished run whose worker read the same settings, its epochs aside; None where there is none.

    ``asked``: all settings of a run, those of its parts included.
    """
    for folder in list_runs()[:LOOKED_AT]:
        try:
            state = read_state(folder)
            share = None if state.settings is None else _steps_of(asked, state.settings)
            if share is None or state.state is not State.FINISHED:
                continue
            result = read_result(folder)
        except EmbedlabError:
            continue
        if result is not None and not result.stopped:
            rest = result.seconds - result.training_seconds
            seconds = rest + share * result.training_seconds
            return Expectation(folder, seconds, state.peak_bytes, bytes_of(folder))
    return None


def _steps_of(asked: dict, before: dict) -> float | None:
    """How many of the earlier run's steps a run of these settings takes: 2 is twice as many; None: it is another."""
    compared = (asked.keys() & before.keys()) - {"seed", "epochs"}  # a setting of today was not there long ago
    if any(asked[name] != before[name] for name in compared):
        return None
    epochs = asked.get("epochs"), before.get("epochs")
    if None not in epochs and asked.get("max_steps") is None:
        return epochs[0] / epochs[1]
    return 1.0 if epochs[0] == epochs[1] else None
