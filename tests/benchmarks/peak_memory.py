"""Seconds and peak memory of a piece of work in a child process, so that nothing else is counted."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def in_a_child(script: str, *arguments: object) -> dict:
    """Run ``script --child …`` and return what it prints on its last line, with ``seconds`` and ``gigabytes``."""
    command = [sys.executable, "-m", f"tests.benchmarks.{Path(script).stem}", "--child", *map(str, arguments)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(printed.splitlines()[-1])


def measured(work: Callable[[], dict]) -> None:
    """In the child: do it and print its facts, the seconds and the peak memory of this process."""
    began = time.perf_counter()
    facts = work()
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = round(time.perf_counter() - began, 1)
    print(json.dumps(facts | {"seconds": seconds, "gigabytes": round(kilobytes / 2**20, 2)}))
