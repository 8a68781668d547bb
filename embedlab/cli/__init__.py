"""Parses a command, runs it, prints its result; a user's mistake is one sentence and exit code 2."""

import json
import os
import sys
import traceback
from argparse import Namespace
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from embedlab.cli.arguments import USUAL, Outcome, called, named, parser
from embedlab.cli.terminal import Terminal, show_one
from embedlab.disk_trouble import trouble_said
from embedlab.errors import EmbedlabError
from embedlab.plain_text import printable, printable_json
from embedlab.runs.readers import register_reader, run_ids_in
from embedlab.session import COMMAND_LINE, working_for
from embedlab.torchrun import is_one_of_several, is_started_by_torchrun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from embedlab.measurement import Note

_ABOUT_RUNS = ("delete", "stop", "resume", "rename", "tag", "show", "log", "train")  # or their own job reads the run


def main(argv: list[str]) -> int:
    """Run one command; the exit code is 0 done, 1 failed, 2 a user's mistake, 3 stopped, 75 interrupted.

    What was measured and could not be kept is printed in full; then comes the reason, and the exit code is 2.

    Several that torchrun started embed a corpus together; the first of them is the command.
    """
    try:
        typed = parser().parse_args(_in_full(argv))
        with working_for(COMMAND_LINE):
            outcome = _by_several(typed) if is_started_by_torchrun() else _by_one(typed)
    except EmbedlabError as error:
        return _failed(error, "--json" in argv)
    except Exception as error:
        if (refused := trouble_said(error)) is None:
            raise
        return _failed(refused, "--json" in argv)
    except KeyboardInterrupt:
        print(_interrupted(), file=sys.stderr)
        return 130
    if typed.json:
        print(printable_json(json.dumps(outcome.facts, indent=2, ensure_ascii=False)))
        return outcome.code
    failure = outcome.facts.get("error") if outcome.code else None
    for line in outcome.lines if outcome.lines is not None else show_one({} if failure else outcome.facts):
        print(printable(line))
    failure = failure or outcome.facts.get("not_kept")
    if failure is not None:
        print(printable(failure["message"]), file=sys.stderr)
    return outcome.code


def _interrupted() -> str:
    """Return the sentence after Ctrl-C; it names what the command started and leaves at work, if anything."""
    runner = sys.modules.get("embedlab.jobs.runner")  # of a command that started nothing it is not loaded
    left = [] if runner is None else runner.left_at_work()
    if not left:
        return "Interrupted. Nothing keeps running."
    kind = "Run" if left[-1].path.parent.name == "runs" else "Job"
    return (
        f"Interrupted. {kind} {left[-1].id} keeps running. Follow it with: python -m embedlab runs log {left[-1].id} "
        f"--follow. Stop it with: python -m embedlab runs stop {left[-1].id}"
    )


def _in_full(argv: list[str]) -> list[str]:
    """``find --corpus …`` means ``find run --corpus …``, and ``storage`` means ``storage show``."""
    if argv == ["storage"]:
        return ["storage", USUAL["storage"]]
    is_short = len(argv) > 1 and argv[0] in USUAL and argv[1].startswith("-") and argv[1] not in ("-h", "--help")
    return [argv[0], USUAL[argv[0]], *argv[1:]] if is_short else argv


def _by_one(typed: Namespace) -> Outcome:
    terminal = Terminal(quiet=typed.quiet, as_json=typed.json)
    with _read_runs_noted(typed):
        outcome: Outcome = called(typed.command, typed, terminal)
    facts, lines, code = outcome.facts, outcome.lines, outcome.code
    if facts.get("error"):
        return outcome
    if terminal.reading is not None:
        facts.setdefault("reading", terminal.reading.as_json)  # of whatever file the command read
    if outcome.warnings is not None:
        facts["warnings"] = [{"code": each.code, "message": each.message} for each in outcome.warnings]
    existing = facts.get("warnings", [])
    remarks = [{"code": each.code, "message": each.message} for each in _remarks(typed)]
    remarks = [each for each in remarks if each not in existing]
    for each in remarks:
        terminal.note(each["message"])
    if remarks:
        facts["warnings"] = [*existing, *remarks]
    if outcome.warnings is not None and lines is not None:
        lines = [*lines, *(each["message"] for each in facts["warnings"])]
    if (refusal := terminal.refusal) is not None:
        message = f"What was measured could not be kept. {refusal.message}"
        facts["not_kept"], code = {"code": refusal.code, "message": message}, code or refusal.exit_code
    return Outcome(facts, lines, code)


def _read_runs_noted(typed: Namespace) -> AbstractContextManager[object]:
    """Note which runs a command reads, so that they are not deleted meanwhile."""
    name = typed.command.__name__
    ids = run_ids_in(vars(typed).values()) if name not in _ABOUT_RUNS else set()
    module = typed.command.__module__.rpartition(".")[2]
    of_corpus = module in ("evaluating", "embedding", "diagnosing", "mining", "benchmarking")
    return register_reader(f"The command “{name.replace('_', ' ')}”", ids) if ids or of_corpus else nullcontext()


def _remarks(typed: Namespace) -> "Sequence[Note]":
    """What the named encoders and runs request but embedlab does not do, each sentence once."""
    runs, encoders = (named(what, typed.command, typed) for what in ("run", "encoder"))
    if not runs and not encoders:
        return []
    from embedlab.baseline_methods import BASELINE_METHODS  # these take longer to import than the parser
    from embedlab.runs.drawn_map import UNTOUCHED
    from embedlab.runs.result import OF_THE_ENCODER, RunResult, read_result
    from embedlab.runs.store import open_run

    no_encoder = {None, "untouched", UNTOUCHED, *BASELINE_METHODS.keys()}  # names that stand for no further encoder
    results = (read_result(open_run(run)) or RunResult() for run in runs if run not in no_encoder)
    remarks = [each for result in results for each in result.warnings]
    for name in encoders:
        if name not in no_encoder:
            from embedlab.encoders.load import remarks_on  # torch takes seconds to import

            remarks += remarks_on(name)
    unique = {each.code + each.message: each for each in remarks if each.code.startswith(OF_THE_ENCODER)}
    return list(unique.values())


def _by_several(typed: Namespace) -> Outcome:
    """The first of several processes runs the command and reports failures; the others only embed their shares."""
    from embedlab.encoders.processes import TrainingOver, joined
    from embedlab.tasks.fine_tune.preparing import take_part

    with joined() as processes:
        if processes is None or not is_one_of_several():
            return _by_one(typed)
        try:
            take_part(None, processes)
        except TrainingOver:
            pass
        except EmbedlabError as error:
            processes.end((error.code, error.message, error.exit_code))
        except Exception as error:
            traceback.print_exc()
            message = f"One of the {os.environ['WORLD_SIZE']} processes failed with an unexpected error: {error!r}."
            failure = trouble_said(error) or EmbedlabError("E-UNEXPECTED", message)
            processes.end((failure.code, failure.message, failure.exit_code))
    sys.exit(0)


def _failed(error: EmbedlabError, as_json: bool) -> int:
    if as_json:
        print(printable_json(json.dumps({"error": {"code": error.code, "message": error.message}}, ensure_ascii=False)))
    else:
        print(printable(error.message), file=sys.stderr)
    return error.exit_code
