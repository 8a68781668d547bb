"""What trains and measures on the stand-in, in a process of its own: autograd counts devices at its first backward."""

import os
import subprocess
from pathlib import Path

import pytest
from warm_worker import warm_python

TESTS = Path(__file__).with_name("on_stand_in.py")


@pytest.mark.parametrize("chosen", ["not slow", pytest.param("slow", marks=pytest.mark.slow)])
def test_all_of_it_gives_the_cpus_numbers(chosen, tmp_path):
    command = [
        *warm_python("import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"),
        str(TESTS),
        "-q",
        "--tb=short",
        "-m",
        chosen,
        "--basetemp",
        str(tmp_path),
    ]
    bare = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # plugins imported there already cannot be rewritten
    done = subprocess.run(command, capture_output=True, text=True, cwd=TESTS.parents[2], env=bare, check=False)
    assert done.returncode == 0, done.stdout[-8_000:]
