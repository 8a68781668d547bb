"""The demo from an empty store: seconds in all, and by how many points kNN accuracy rises.

python tests/benchmarks/demo.py
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from embedlab.jobs.stages import FOLDS  # noqa: E402


def main() -> None:
    """Run the command a newcomer runs, and print what it took."""
    with tempfile.TemporaryDirectory() as home:
        began, clock = time.perf_counter(), time.time()
        done = subprocess.run(
            [sys.executable, "-m", "embedlab", "demo", "--json"],
            cwd=ROOT,
            env={**os.environ, "EMBEDLAB_HOME": home},
            stdout=subprocess.PIPE,
            check=True,
        )
        seconds = time.perf_counter() - began
        verdict, maps = (moment - clock for moment in moments(Path(home)))
    result = json.loads(done.stdout)
    knn, references = result["knn"], result["references"]
    print(f"demo in all          {seconds:.0f} s  (goal: under 120)")
    print(f"  verdict            after {verdict:.0f} s  (goal: 60)")
    print(f"  both maps          after {maps:.0f} s  (goal: 90)")
    print(f"  training           {result['training_seconds']:.0f} s, {result['steps']} steps")
    print(f"  kNN accuracy       {100 * knn['before']:.1f} % -> {100 * knn['after']:.1f} %  (goal: 8 points)")
    print(f"  cosine             {100 * knn['cosine']['before']:.1f} % -> {100 * knn['cosine']['after']:.1f} %")
    print(f"  standard error     {100 * knn['standard_error']:.1f} points, {knn['test_texts']} test texts")
    print(f"  TF-IDF, SVD-100    {100 * references['tfidf']['value']:.1f} %, {100 * references['svd']['value']:.1f} %")
    print(f"  {result['verdict']}")


def moments(home: Path) -> tuple[float, float]:
    """When the verdict was known and when the last map was drawn: the folds begin after it, maps are jobs."""
    (run,) = (home / "runs").iterdir()
    rows = [json.loads(line) for line in (run / "stages.jsonl").read_text(encoding="utf-8").splitlines()]
    verdict = next(row["at"] for row in rows if row["kind"] == FOLDS)
    drawn = [
        folder for folder in (home / "jobs").iterdir() if _read(folder / "settings.json")["task"].startswith("map")
    ]
    ends = [_read(folder / "state.json")["ended"] for folder in drawn]
    return verdict, max(datetime.fromisoformat(end).timestamp() for end in ends)


def _read(file: Path) -> dict:
    return json.loads(file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
