"""Kills at random moments, for a release: every run that was killed must end with the bits of one that was not.

python -m tests.benchmarks.kills [200] [--seed S]

Families in turn, as tests/jobs/test_kills.py does it with twenty. One table; the exit code is 1 where anything differs.
"""

import argparse
import itertools
import os
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from embedlab.jobs.requests.measuring import CompareRuns

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS)]
os.environ.update(OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1")

AT_ONCE = 4  # kills of a story: a run or more, and one that is left alone to compare with


def main() -> int:
    """One row a family."""
    asked = argparse.ArgumentParser()
    asked.add_argument("kills", nargs="?", type=int, default=200)
    asked.add_argument("--seed", type=int, default=0)
    asked = asked.parse_args()
    with tempfile.TemporaryDirectory() as home:
        warm = Path(home) / f"{os.getpid()}.socket"
        command = [sys.executable, "-S", "-E", str(TESTS / "warm_worker.py")]
        os.environ.update(EMBEDLAB_HOME=home, EMBEDLAB_WORKER=shlex.join(command), EMBEDLAB_WARM=str(warm))
        return killed(asked.kills, asked.seed, warm)


def killed(kills: int, seed: int, warm: Path) -> int:
    """How many runs ended otherwise decides the exit code."""
    from killing import FAMILIES, PLACES, story
    from toy_corpora import toy_texts

    from embedlab.corpora.base import Draft, store_corpus
    from embedlab.jobs.runner import submit, wait

    wait(submit(CompareRuns(rows=())))
    while not warm.exists():  # a worker that starts before would not be killed
        time.sleep(0.1)
    texts, labels = toy_texts()
    summaries = [[" ".join(text.split()[start : start + 8]) for start in (4, 12, 20)] for text in texts]
    corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels, summaries=summaries))
    rng, places, done = random.Random(seed), itertools.cycle(PLACES), 0
    found = {family: [] for family in FAMILIES}
    for family in itertools.cycle(FAMILIES):
        if done >= kills:
            break
        number = min(AT_ONCE, kills - done)
        found[family].append(story(family, corpus.info.fingerprint, kills=number, rng=rng, places=places))
        done += number
        print(f"{done} of {kills}: {found[family][-1]}", file=sys.stderr, flush=True)
    print(f"seed {seed}\n\n| family | {' | '.join(PLACES)} | not equal |\n|{'---|' * (len(PLACES) + 2)}")
    for family, stories in found.items():
        counts = Counter(place for each in stories for place, _ in each.kills)
        wrong = sum(len(each.differences) for each in stories)
        print(f"| {family} | {' | '.join(str(counts[place]) for place in PLACES)} | {wrong} |")
    return int(any(each.differences for stories in found.values() for each in stories))


if __name__ == "__main__":
    sys.exit(main())
