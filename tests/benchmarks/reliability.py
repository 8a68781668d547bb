"""Hostile inputs, damages, kills, full disks, markup, doors, secrets, scale and a soak: what breaks, counted by kind.

``python -m tests.benchmarks.reliability`` (10,000 inputs and the whole of each part; hours) or ``--quick`` (a tenth,
drawn by ``--seed``); ``--only inputs,damages,kills,disks,markup,doors,canaries,scale,soak`` runs some parts,
``--inputs N`` so many inputs. Each input is read in the process with limits that users' files are read in. It counts
uncaught exceptions, over ten seconds of processor time, and over a gigabyte of memory beyond this process's own. Each
other part is a group of tests, or a benchmark that can be run by itself; ``markup`` needs a browser.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "corpora"), str(TESTS / "ui"), str(TESTS / "encoders")]

import psutil  # noqa: E402
import test_damaged_files as made  # noqa: E402
from hostile_files import HOSTILE  # noqa: E402

from embedlab.corpora import load_corpus  # noqa: E402
from embedlab.corpora.files import first_rows  # noqa: E402
from embedlab.corpora.notes import ReadOptions  # noqa: E402
from embedlab.corpora.sets.pairs import read_pairs  # noqa: E402
from embedlab.corpora.sets.reading import read_set  # noqa: E402
from embedlab.encoders.tokenizer_files import read_tokenizer  # noqa: E402
from embedlab.errors import EmbedlabError  # noqa: E402
from embedlab.report.settings_file import read_settings_file  # noqa: E402
from embedlab.vectors.opened import all_rows, open_vectors  # noqa: E402

SECONDS, BYTES = 10, 2**30  # of one input
READERS: dict[str, Callable[[Path], object]] = {
    "corpus": lambda path: load_corpus(str(path)),
    "preview": lambda path: first_rows(path, ReadOptions()),
    "pairs": read_pairs,
    "set": lambda path: read_set(str(path)),
    "vectors": lambda path: all_rows(open_vectors(path)),
    "settings": lambda path: read_settings_file(str(path)),
    "tokenizer": lambda path: read_tokenizer(path.parent),
}
FILES = made.CORPORA | made.SETS | made.BROUGHT
TESTS_OF = {  # whole: their slow parts too
    "damages": ["tests/ui/test_damage_table.py", "tests/ui/test_damaged_pages.py", "tests/cli/test_damaged_lists.py"],
    "disks": ["tests/ui/test_store_troubles.py", "tests/ui/test_store_refused.py", "tests/tasks/test_bad_weather.py"],
    "markup": ["tests/ui/test_text.py", "tests/report/test_replay.py"]
    + [f"tests/browser/test_{name}.py" for name in ("under_the_mouse", "whole_way", "with_layers", "replay_file")],
    "doors": ["tests/ui/test_guard.py", "tests/browser/test_strangers.py"],
    "canaries": ["tests/jobs/test_secrets.py"],
}
BENCHMARKS = {  # whole, and quick
    "kills": (["kills", "200"], ["kills", "20"]),
    "scale": (["many_folders"], ["many_folders", "--runs", "100", "--jobs", "500"]),
    "soak": (["soak", "--hours", "2"], ["soak", "--changes", "30"]),
}
PARTS = ("inputs", *TESTS_OF, *BENCHMARKS)


def main() -> int:
    """Run the parts; 1 where anything broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--inputs", type=int, default=None)
    parser.add_argument("--only", default=",".join(PARTS))
    options = parser.parse_args()
    chosen = options.only.split(",")
    count = options.inputs or (1_000 if options.quick else 10_000)
    broken = inputs(count, options.seed) if "inputs" in chosen else 0
    for part in PARTS[1:]:
        if part in chosen:
            broken += (tests if part in TESTS_OF else benchmark)(part, is_quick=options.quick)
    return int(bool(broken))


def inputs(count: int, seed: int) -> int:
    """So many inputs: every hand-made one once, then drawn damages of ordinary files; how many broke."""
    rng, kinds, broken, began = random.Random(seed), Counter[str](), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EMBEDLAB_HOME"] = str(Path(folder) / "store")
        hostile = [(name, make, reader) for name, (make, readers) in HOSTILE.items() for reader in readers]
        for number in range(count):
            place = Path(folder) / f"{number}"
            place.mkdir()
            if number < len(hostile):
                name, make, reader = hostile[number]
                path = make(place)
            else:
                name, reader = rng.choice(list(FILES)), rng.choice([each for each in READERS if each != "tokenizer"])
                path = place / name
                path.write_bytes(made.damaged(FILES[name], rng.randrange(2**32)))
            what = _outcome(path, READERS[reader])
            if what not in ("read", "refused"):
                broken += 1
                print(f"  {number} (seed {seed}) {name} as {reader}: {what}", flush=True)
            kinds[what.split(":")[0]] += 1
            subprocess.run(["rm", "-rf", str(place)], check=True)
    print(f"inputs: {count:,} by seed {seed} in {time.monotonic() - began:,.0f} s: {dict(kinds)}", flush=True)
    return broken


def _outcome(path: Path, read: Callable[[Path], object]) -> str:
    """``read``, ``refused`` in a sentence, or what broke."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak of this process begins anew
    before, spent = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    own = psutil.Process().memory_info().rss  # which a reader that is forked from this process shares
    try:
        read(path)
        what = "read"
    except EmbedlabError as error:
        what = "refused" if error.message.rstrip().endswith((".", "?")) else f"no sentence: {error.message[-80:]}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        what = f"uncaught: {type(error).__name__}: {str(error)[-300:]}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime + time.process_time() - spent
    most = after.ru_maxrss * 1024 if after.ru_maxrss > before.ru_maxrss else 0
    peak = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    most = max(most, int(peak.group(1)) * 1024 if peak else 0)
    if seconds > SECONDS:
        return f"over {SECONDS} s: {seconds:.1f} ({what})"
    return f"over 1 GB: {(most - own) / 1e9:.1f} ({what})" if most - own > BYTES else what


def tests(part: str, *, is_quick: bool) -> int:
    """The tests of a part, the whole of its table where it is not quick; 1 where one failed."""
    whole = {} if is_quick else {"EMBEDLAB_DAMAGE_CELLS": "all"}
    marks = [] if is_quick else ["-m", ""]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *marks, *TESTS_OF[part]]
    done = subprocess.run(command, cwd=TESTS.parent, env=os.environ | whole, capture_output=True, text=True)
    print(f"{part}: {done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-300:]}", flush=True)
    return int(done.returncode not in (0, 5))


def benchmark(part: str, *, is_quick: bool) -> int:
    """A benchmark with its own table; 1 where it failed."""
    script, *options = BENCHMARKS[part][is_quick]
    print(f"{part}:", flush=True)
    command = [sys.executable, "-m", f"tests.benchmarks.{script}", *options]
    return int(subprocess.run(command, cwd=TESTS.parent, check=False).returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
