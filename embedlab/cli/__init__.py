"""Parses a command, runs it, prints its result; a user's mistake is one sentence and exit code 2."""

import importlib
import json
import sys
from collections.abc import Callable

from embedlab.cli.arguments import parser
from embedlab.cli.say import Terminal
from embedlab.errors import EmbedlabError

INTERRUPTED = 75  # the exit code of a run whose worker died, as sysexits.h names a temporary failure


def main(argv: list[str]) -> int:
    """Run one command; the exit code is 0 done, 1 failed, 2 a user's mistake, 3 stopped, 75 interrupted."""
    asked = None
    try:
        asked = parser().parse_args(argv)
        result, code = _named(asked.command)(asked, Terminal(quiet=asked.quiet))
    except EmbedlabError as error:
        return _failed(error, "--json" in argv)
    except KeyboardInterrupt:
        print("Left; a run that was started goes on. See it with: python -m embedlab runs list", file=sys.stderr)
        return 130
    if asked.json:
        print(json.dumps(result, indent=2, ensure_ascii=False))
    elif code and result.get("error"):
        print(result["error"]["message"], file=sys.stderr)
    else:
        for line in _named(asked.show)(result):
            print(line)
    return code


def _named(name: str) -> Callable:
    module, _, function = name.partition(".")
    return getattr(importlib.import_module(f"embedlab.cli.{module}"), function)


def _failed(error: EmbedlabError, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"error": {"code": error.code, "message": error.message}}, ensure_ascii=False))
    else:
        print(error.message, file=sys.stderr)
    return error.exit_code
