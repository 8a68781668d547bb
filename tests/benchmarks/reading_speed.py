"""Reading a clean CSV and JSON Lines file of 100 MB: least processor seconds of three reads, of commits in turns.

python -m tests.benchmarks.reading_speed [--beside COMMIT] [--turns N]
"""

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BYTES = 100 * 10**6  # of text, about
READ = """
import resource, sys
from pathlib import Path
from embedlab.corpora.files import read_table
def spent():
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)
began = spent()
rows = read_table(Path(sys.argv[1])).columns.num_rows
print(rows, spent() - began)
"""


def write_files(folder: Path) -> list[Path]:
    """Rows of id, a text of 150 words (each third with quotes and a comma), label and year, in both formats."""
    draw, words = random.Random(1), [f"w{number}" for number in range(5000)]
    table, lines = folder / "texts.csv", folder / "texts.jsonl"
    names, written, number = ("id", "text", "label", "year"), 0, 0
    with table.open("w", newline="") as first, lines.open("w") as second:
        rows = csv.writer(first, lineterminator="\n")
        rows.writerow(names)
        while written < BYTES:
            text = " ".join(draw.choices(words, k=150)) + ', "so" it goes' * (number % 3 == 0)
            row = (number, text, f"class {number % 20}", 2000 + number % 20)
            rows.writerow(row)
            second.write(json.dumps(dict(zip(names, row, strict=True))) + "\n")
            written, number = written + len(text) + 30, number + 1
    return [table, lines]


def seconds_of(tree: Path, file: Path) -> float:
    """Processor seconds of one read, by a process of its own with an empty store."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "EMBEDLAB_HOME": home, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(tree)}
        command = [sys.executable, "-c", READ, str(file)]
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[1])


def main() -> None:
    """Prints the least of all turns, by file and commit."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--beside", metavar="COMMIT")
    options.add_argument("--turns", type=int, default=3)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trees = {"here": ROOT}
        if asked.beside is not None:
            trees[asked.beside] = Path(folder) / "other"
            subprocess.run(["git", "clone", "-q", ROOT, trees[asked.beside]], check=True)
            subprocess.run(["git", "checkout", "-q", asked.beside], cwd=trees[asked.beside], check=True)
        files = write_files(Path(folder))
        least: dict[tuple[str, str], float] = {}
        for _ in range(asked.turns):
            for name, tree in trees.items():
                for file in files:
                    least[file.suffix, name] = min(least.get((file.suffix, name), 1e9), seconds_of(tree, file))
        for (suffix, name), seconds in sorted(least.items()):
            print(f"{suffix:6s} {name:8s} {seconds:.2f} s")


if __name__ == "__main__":
    main()
