"""A command run in this process."""

import json

import pytest

from embedlab.cli import main


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
