"""Does the app's process grow? Page after page of one store, in one process: memory, threads, open files.

python -m tests.benchmarks.soak [--changes 300 | --hours 2]
"""

import argparse
import os
import sys
import tempfile
import time
from itertools import count, cycle
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "ui")]

import psutil  # noqa: E402
from damage_table import one_of_everything, told_by_page, worked_here  # noqa: E402
from odd_runs import finished_run, odd_corpus  # noqa: E402

from embedlab.jobs.executors import LOCAL  # noqa: E402
from embedlab.ui.frame.navigation import PLACES  # noqa: E402

ROWS = 10  # of the table


def held() -> tuple[float, int, int]:
    """MB of memory, threads and open files of this process."""
    process = psutil.Process()
    return process.memory_info().rss / 1e6, process.num_threads(), process.num_fds()


def main() -> None:
    """A row after each tenth of the changes, or of the time."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--changes", type=int, default=300)
    asked.add_argument("--hours", type=float)
    limits = asked.parse_args()
    end = time.monotonic() + 3600 * (limits.hours or 0)
    print("| page changes | processor seconds | memory, MB | threads | open files |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, patch.object(type(LOCAL), "submit", worked_here):
        os.environ["EMBEDLAB_HOME"] = folder
        ids, shown = one_of_everything(finished_run(odd_corpus("partly labelled"))), 0
        type(LOCAL).submit = lambda *_: "1"  # pages ask for work, and nobody does it
        for number, key in zip(count(1), cycle(PLACES), strict=False):
            if (traceback := told_by_page(key, ids)) is not None:
                sys.exit(f"{key}\n{traceback}")
            done = (
                number / limits.changes if limits.hours is None else 1 - (end - time.monotonic()) / 3600 / limits.hours
            )
            if done * ROWS >= shown:
                print("| {:,} | {:.0f} | {:.0f} | {} | {} |".format(number, time.process_time(), *held()), flush=True)
                shown += 1
            if done >= 1:
                return


if __name__ == "__main__":
    main()
