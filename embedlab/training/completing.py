"""Completes and checks what a run is told, in a process of its own: ``python -m embedlab.training.completing``.

The parts behind the settings load torch. Who only starts a run and waits for it need not hold that.
"""

import json
import sys

from embedlab.errors import UserError
from embedlab.jobs.worker_process import answered


def completed(asked: dict) -> dict:
    """All settings of a run, or the sentence about a wrong one raised here."""
    told = answered(__name__, asked)
    if "error" in told:
        raise UserError(**told["error"])
    return told["settings"]


def answer(asked: dict) -> dict:
    """``settings``, or the ``error``; in the process that may load torch."""
    from embedlab.config import validated
    from embedlab.training.settings import RunSettings

    try:
        return {"settings": validated(RunSettings, asked).model_dump()}
    except UserError as error:
        return {"error": {"code": error.code, "message": error.message}}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
