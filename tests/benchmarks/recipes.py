"""Every recipe on one corpus, one seed: steps, kNN accuracy before and after, seconds; rows of a Markdown table.

python -m tests.benchmarks.recipes docs scratch:bert-tiny learning_rate=5e-4 batch_size=32 epochs=none \\
    max_steps=100 max_length=64 training_length=64
python -m tests.benchmarks.recipes iclr_2017_2021.parquet token

A file name is looked for in EMBEDLAB_TEST_CORPORA. Summaries are made by the extractive stand-in where the corpus has
none; a recipe that does not fit the encoder is said to. ``--only crops,tsdae`` runs some.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOR_TIME = [
    "--set",
    "schedule=epochs",
    "--set",
    "maps=false",
    "--set",
    "inside=false",
    "--set",
    "live_texts=500",
    "--set",
    "evaluate_every=100000",
]  # first and last point


def command(*words: str) -> dict:
    """The JSON that a command prints, also of one that was refused."""
    done = subprocess.run(
        [sys.executable, "-m", "embedlab", *words, "--json", "--quiet"], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    return json.loads(done.stdout)


def row(result: dict) -> str:
    """One line of the table."""
    if "error" in result:
        return result["error"]["message"]
    knn = result["knn"]
    error, change = 100 * knn["standard_error"], 100 * (knn["after"] - knn["before"])
    accuracy = f"{100 * knn['before']:.1f} → {100 * knn['after']:.1f} ± {error:.1f}"
    cosine = f"{100 * knn['cosine']['before']:.1f} → {100 * knn['cosine']['after']:.1f}"
    said = ", ".join(notice["code"] for notice in result["notices"])
    verdict = result.get("verdict", "nothing trained").partition(":")[0]
    seconds = f"{result['training_seconds']:.0f} | {result['seconds']:.0f}"
    return f"{result['steps']:,} | {accuracy} | {change:+.1f} | {cosine} | {verdict} | {seconds} | {said}"


def main(corpus: str, encoder: str, *settings: str, only: str = "") -> None:
    """Print a row a recipe."""
    path = Path(os.environ.get("EMBEDLAB_TEST_CORPORA", ".")) / corpus
    corpus = str(path) if path.is_file() else corpus
    sets = [word for setting in settings for word in ("--set", setting)]
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = os.environ.get("EMBEDLAB_HOME") or home
        command("corpus", "summarise", corpus, "--by", "extractive")
        print(f"{Path(corpus).name}, {encoder}, {' '.join(settings)}")
        print("recipe | steps | kNN before → after, % | change | by cosine | verdict | training, s | all, s | notices")
        for recipe in command("recipes")["recipes"]:
            if not only or recipe["key"] in only.split(","):
                asked = ["--corpus", corpus, "--encoder", encoder, "--recipe", recipe["key"], *FOR_TIME, *sets]
                print(f"`{recipe['key']}` | {row(command('train', *asked))}", flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    chosen = words.pop(words.index("--only") + 1) if "--only" in words else ""
    main(*[word for word in words if word != "--only"], only=chosen)
