"""What trains and measures on the stand-in, in a process of its own: autograd counts devices at its first backward."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).with_name("on_stand_in.py")


@pytest.mark.parametrize("chosen", ["not slow", pytest.param("slow", marks=pytest.mark.slow)])
def test_all_of_it_gives_the_cpus_numbers(chosen, tmp_path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        str(TESTS),
        "-q",
        "-n",
        "0",
        "--tb=short",
        "-m",
        chosen,
        "--basetemp",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TESTS.parents[2], check=False)
    assert done.returncode == 0, done.stdout[-8_000:]
