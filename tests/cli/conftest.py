"""A command run in this process."""

import json

import pytest

from embedlab.cli import main
from embedlab.training import completing


@pytest.fixture
def call(capfd):
    """``call("metrics")``: exit code, and what was printed, which must be JSON as the standard has it."""

    def called(*arguments: str) -> tuple[int, dict]:
        capfd.readouterr()
        code = main([*arguments, "--json"])
        written = capfd.readouterr()
        assert "Traceback" not in written.err
        return code, json.loads(written.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))

    return called


@pytest.fixture(autouse=True)
def completed_here(monkeypatch):
    """Settings are completed in this process, which has torch anyhow: one of its own takes two seconds each time.

    The real way is gone by ``test_one_file_one_entry.py``.
    """
    monkeypatch.setattr(completing, "answered", lambda module, asked: completing.answer(asked))
