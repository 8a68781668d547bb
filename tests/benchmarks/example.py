"""Makes the example that comes with embedlab: the demo, a token layer, an encoder with layers, measured and packed.

python -m tests.benchmarks.example

About a quarter of an hour on two cores. Writes embedlab/example/data and prints its bytes.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "embedlab" / "example" / "data"
RANDOM = ["--encoder", "token", "--recipe", "sentences", "--epochs", "6", "--name", "token"]
LAYERED = ["--encoder", "scratch:bert-mini", "--recipe", "sentences", "--epochs", "1", "--set", "batch_size=64",
           "--set", "learning_rate=0.001", "--name", "layers"]  # fmt: skip
TEXTS = ["what is NLP?", "what is computer vision?"]  # the pair of LA(SER)³, section 3


def main() -> None:
    """Train all three, measure every layer, the length attack and all diagnostics of the last, pack."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        words = told("demo")
        token = told("train", "--corpus", "docs", *RANDOM)
        layered = told("train", "--corpus", "docs", *LAYERED)
        told("layers", "--run", layered["run"], "--token", "7", "--linear", "--maps")
        told("length", "--run", layered["run"])
        told("diagnose", "--run", layered["run"], "--texts", *TEXTS)
        for run in (token, layered):
            told("map", "--run", run["run"], "--out", str(Path(home) / "map.parquet"))

        from embedlab.corpora.base import open_corpus
        from embedlab.example.packing import write_example
        from embedlab.runs.store import open_run

        runs = {name: open_run(each["run"]) for name, each in (("words", words), ("token", token), ("layers", layered))}
        size = write_example(OUT, open_corpus(words["corpus"]["fingerprint"]), runs)
        print(f"{size:,} bytes, {sum(1 for file in OUT.rglob('*') if file.is_file())} files")


def told(*command: str) -> dict:
    """What a command prints with --json."""
    asked = [sys.executable, "-m", "embedlab", *command, "--json"]
    return json.loads(subprocess.run(asked, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


if __name__ == "__main__":
    main()
