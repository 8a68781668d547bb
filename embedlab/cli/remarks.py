"""What the encoders of a command ask for and is not done: said after its result, and in its ``warnings``."""

from argparse import Namespace

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.cli.say import Terminal
from embedlab.runs.drawn_map import UNTOUCHED
from embedlab.runs.result import OF_THE_ENCODER, Remark, RunResult, read_result
from embedlab.runs.store import open_run

_NONE = {None, "untouched", UNTOUCHED, *BASELINE_METHODS.keys()}  # names that stand for no further encoder


def with_remarks(typed: Namespace, result: dict, terminal: Terminal) -> dict:
    """The result with those that the command has not said itself."""
    existing = result.get("warnings", [])
    fresh = [each for each in _remarks(typed) if each not in existing]
    for each in fresh:
        terminal.note(each["message"])
    return {**result, "warnings": [*existing, *fresh]} if fresh else result


def _remarks(typed: Namespace) -> list[dict]:
    """Of the runs and encoders that the command's options name, each once."""
    runs, encoders = (_named(typed, options) for options in (typed.command.runs, typed.command.encoders))
    remarks = [each for run in runs for each in (read_result(open_run(run)) or RunResult()).warnings]
    remarks += [each for name in encoders for each in _of_encoder(name)]
    unique = {each.code + each.message: each for each in remarks if each.code.startswith(OF_THE_ENCODER)}
    return [{"code": each.code, "message": each.message} for each in unique.values()]


def _named(typed: Namespace, options: tuple[str, ...]) -> list[str]:
    values = [getattr(typed, option) for option in options]
    return [name for value in values for name in (value if isinstance(value, list) else [value]) if name not in _NONE]


def _of_encoder(name: str) -> tuple[Remark, ...]:
    from embedlab.encoders.load import remarks_on  # torch takes seconds to import

    return remarks_on(name)
