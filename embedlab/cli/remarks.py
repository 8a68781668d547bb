"""What the encoders of a command ask for and is not done: said after its result, and in its ``warnings``."""

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.cli.say import Terminal
from embedlab.runs.result import OF_THE_ENCODER, Remark, RunResult, read_result
from embedlab.runs.store import open_run

_EVALUATE = "evaluating.evaluate"
_COMMANDS = {  # those that print or write what an encoder gives
    *("running.train", "measuring.embed", _EVALUATE, "mapping.draw_map", "mapping.figure", "moving.moves"),
    *("diagnosing.layers", "diagnosing.diagnose", "diagnosing.length", "benchmarking.benchmark", "comparing.compare"),
    *("classes.classes", "studying.run"),
}


def with_remarks(asked, result: dict, terminal: Terminal) -> dict:
    """The result with those that the command has not said itself."""
    if asked.command not in _COMMANDS:
        return result
    told = result.get("warnings", [])
    fresh = [each for each in _remarks(asked) if each not in told]
    for each in fresh:
        terminal.note(each["message"])
    return {**result, "warnings": [*told, *fresh]} if fresh else result


def _remarks(asked) -> list[dict]:
    """Of ``--run``, ``--encoder``, ``--against`` and the runs to compare, each once."""
    given = vars(asked)
    runs, named = [given.get("run"), *(given.get("runs") or ())], [given.get("encoder")]
    against = given.get("against")
    if against != "untouched" and against not in BASELINE_METHODS:
        (named if asked.command == _EVALUATE else runs).append(against)
    found = [each for run in runs if run for each in (read_result(open_run(run)) or RunResult()).warnings]
    found += [each for name in named if name for each in _of_encoder(name)]
    said = {each.code + each.message: each for each in found if each.code.startswith(OF_THE_ENCODER)}
    return [{"code": each.code, "message": each.message} for each in said.values()]


def _of_encoder(name: str) -> tuple[Remark, ...]:
    from embedlab.encoders.load import remarks_on  # torch takes seconds to import

    return remarks_on(name)
