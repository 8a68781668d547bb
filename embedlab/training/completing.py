"""Completes and checks what a run is told, in a process of its own: ``python -m embedlab.training.completing``.

The parts behind the settings load torch. Who only starts a run and waits for it need not hold that.
"""

import json
import sys

from embedlab.errors import UserError
from embedlab.runs.runner import answered


def completed(asked: dict) -> dict:
    """All settings of a run, or the sentence about a wrong one raised here."""
    told = answered(__name__, asked)
    if "error" in told:
        raise UserError(**told["error"])
    return told["settings"]


def main() -> None:
    """JSON in, JSON out."""
    from embedlab.config import validated
    from embedlab.training.settings import RunSettings

    try:
        told = {"settings": validated(RunSettings, json.load(sys.stdin)).model_dump()}
    except UserError as error:
        told = {"error": {"code": error.code, "message": error.message}}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
