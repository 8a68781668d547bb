"""The demo from an empty store: seconds in all, and by how many points kNN accuracy rises.

python tests/benchmarks/demo.py
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the command a newcomer runs, and print what it took."""
    with tempfile.TemporaryDirectory() as home:
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "embedlab", "demo", "--json"],
            cwd=ROOT,
            env={**os.environ, "EMBEDLAB_HOME": home},
            stdout=subprocess.PIPE,
            check=True,
        )
        seconds = time.perf_counter() - began
    result = json.loads(done.stdout)
    knn, references = result["knn"], result["references"]
    print(f"demo in all          {seconds:.0f} s  (goal: under 120)")
    print(f"  training           {result['training_seconds']:.0f} s, {result['steps']} steps")
    print(f"  kNN accuracy       {100 * knn['before']:.1f} % -> {100 * knn['after']:.1f} %  (goal: 8 points)")
    print(f"  cosine             {100 * knn['cosine']['before']:.1f} % -> {100 * knn['cosine']['after']:.1f} %")
    print(f"  standard error     {100 * knn['standard_error']:.1f} points, {knn['test_texts']} test texts")
    print(f"  TF-IDF, SVD-100    {100 * references['tfidf']['value']:.1f} %, {100 * references['svd']['value']:.1f} %")
    print(f"  {result['verdict']}")


if __name__ == "__main__":
    main()
