"""The demo from an empty store: seconds and processor seconds to the verdict and to its end, of commits in turns.

python -m tests.benchmarks.demo [--beside COMMIT] [--turns N] [COMMAND …]

COMMAND stands for ``demo`` where another one is to be timed, for instance ``train --corpus texts.csv``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
LOOKED_EVERY = 0.1  # seconds
MOMENTS = ("verdict", "end")


@dataclass
class Demo:
    """One run of the command; moments are seconds since it was given."""

    seconds: dict[str, float]  # to each of MOMENTS
    processor: dict[str, float]  # seconds of all its processes until then
    stages: list[tuple[str, float]]  # of its run: what began when
    result: dict

    def in_words(self) -> str:
        """Both moments."""
        told = (f"{name} {self.seconds[name]:.1f} s ({self.processor[name]:.1f} of processor)" for name in MOMENTS)
        return ", ".join(told)


def main() -> None:
    """Run the command in turns, here and in a worktree of the other commit; print least times and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", metavar="COMMIT", help="another commit to compare with")
    parser.add_argument("--turns", type=int, default=1)
    asked, command = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as aside:
        roots = {"here": ROOT}
        if asked.beside:
            roots = {asked.beside: Path(aside) / "beside"} | roots
            _git("worktree", "add", "--quiet", "--detach", str(roots[asked.beside]), asked.beside)
        try:
            taken = in_turns(roots, command or ["demo"], asked.turns)
        finally:
            if asked.beside:
                _git("worktree", "remove", "--force", str(roots[asked.beside]))
    for name, demos in taken.items():
        tell(name, demos[-1])
    least = {name: [least_of(demos, moment) for moment in MOMENTS] for name, demos in taken.items()}
    for place, moment in enumerate(MOMENTS):
        print(f"{moment:10}", ", ".join(f"{name} {least[name][place][0]:.1f} s" for name in least), end="")
        print("; of processor", ", ".join(f"{name} {least[name][place][1]:.1f} s" for name in least), end="")
        if asked.beside:
            ratios = (
                ours / theirs for ours, theirs in zip(least["here"][place], least[asked.beside][place], strict=True)
            )
            print("; here as a part of it {:.2f}, of processor {:.2f}".format(*ratios), end="")
        print()


def in_turns(roots: dict[str, Path], command: list[str], turns: int) -> dict[str, list[Demo]]:
    """Every root once a turn."""
    taken: dict[str, list[Demo]] = {name: [] for name in roots}
    for turn in range(turns):
        for name, root in roots.items():
            taken[name].append(run(root, command))
            print(f"turn {turn + 1}, {name}: {taken[name][-1].in_words()}", file=sys.stderr, flush=True)
    return taken


def least_of(demos: list[Demo], moment: str) -> tuple[float, float]:
    """Least seconds and least processor seconds: other work on the machine only adds."""
    return min(each.seconds[moment] for each in demos), min(each.processor[moment] for each in demos)


def run(root: Path, command: list[str]) -> Demo:
    """One run from an empty store."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "EMBEDLAB_HOME": home}
        began, clock = time.time(), ProcessorClock(home)
        with subprocess.Popen(
            [sys.executable, "-m", "embedlab", *command, "--json"], cwd=root, env=environment, stdout=subprocess.PIPE
        ) as process:
            verdict = None
            while process.poll() is None:
                spent = clock.seconds()
                written = next(Path(home).glob("runs/*/result.json"), None)
                if verdict is None and written is not None and json.loads(written.read_text()).get("folds"):
                    verdict = written.stat().st_mtime - began, spent
                time.sleep(LOOKED_EVERY)
            end = time.time() - began, clock.seconds()
            result = json.loads(process.stdout.read())
        verdict = verdict or end
        rows = [json.loads(line) for file in Path(home).glob("runs/*/stages.jsonl") for line in file.open()]
        stages = [(row["kind"], row["at"] - began) for row in rows]
    moments = dict(zip(MOMENTS, (verdict, end), strict=True))
    seconds, processor = ({name: both[place] for name, both in moments.items()} for place in (0, 1))
    return Demo(seconds, processor, stages, result)


class ProcessorClock:
    """Processor seconds of all processes that work for one store, those that ended included."""

    def __init__(self, home: str):
        self.home = home
        self.spent: dict[tuple[int, float], float] = {}  # (number, start) -> seconds, as last seen
        self.others: set[tuple[int, float]] = set()

    def seconds(self) -> float:
        """Until now."""
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                key = process.pid, process.create_time()
                if key not in self.spent and key not in self.others:
                    is_ours = process.environ().get("EMBEDLAB_HOME") == self.home
                    if not is_ours:
                        self.others.add(key)
                if key not in self.others:
                    times = process.cpu_times()
                    self.spent[key] = times.user + times.system
        return sum(self.spent.values())


def tell(name: str, demo: Demo) -> None:
    """The stages of a run up to its verdict, and what it found."""
    print(f"{name}:")
    ends = [at for _, at in demo.stages[1:]] + [demo.seconds["end"]]
    for (kind, at), until in zip(demo.stages, ends, strict=True):
        print(f"  {at:6.1f} s  {until - at:5.1f} s  {kind}")
    if "knn" in demo.result:
        knn, kept = demo.result["knn"], "best" if demo.result["stopped"] else "after"
        print(f"  kNN accuracy {100 * knn['before']:.1f} % -> {100 * knn[kept]:.1f} %", end="")
        print(f", cosine {100 * knn['cosine']['before']:.1f} % -> {100 * knn['cosine'][kept]:.1f} %", end="")
        print(f"; {demo.result['steps']} steps; weights {demo.result['weights_hash'][:12]}")
        print(f"  {demo.result['verdict']}")


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
