"""Find against the proposed default and TF-IDF: ``python -m tests.benchmarks.find_table FILE… [--minutes 2 5 15]``.

Each Find's winner is trained with three seeds, and so is the default (words, with the recipe proposed for the texts);
accuracies are of test texts, with the interval over texts and seeds together. Hours on two cores.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from embedlab.augmentations.proposal import ENCODER, proposed_recipe
from embedlab.corpora import load_corpus
from embedlab.distance import SHOWN_FIRST
from embedlab.finds.store import open_find, results_of
from embedlab.jobs.runner import submit, wait
from embedlab.measurement import share_error
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.store import open_run, read_settings
from embedlab.training.settings import RunSettings

SEEDS = (0, 1, 2)


def main() -> None:
    """A table for each corpus, and one JSON line for each of its rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", help="files, or docs")
    parser.add_argument("--minutes", nargs="+", type=float, default=[2, 5, 15])
    asked = parser.parse_args()
    for name in asked.corpora:
        corpus = load_corpus(name)
        recipe = proposed_recipe(corpus).recipe
        default = {"corpus": corpus.fingerprint, "encoder": ENCODER, "recipe": recipe, "maps": False}
        results = trained(default)
        tfidf = results[0].references["tfidf"].measured.by(SHOWN_FIRST)
        row(name, "TF-IDF", [tfidf.value], tfidf.n)
        row(name, f"default: {recipe} on {ENCODER}", values(results), tfidf.n)
        for minutes in asked.minutes:
            find = searched(name, minutes)
            winner = read_settings(open_run(results_of(find).winner_run))["settings"]
            row(name, f"Find, {minutes:g} min", values(trained(winner | {"maps": False})), tfidf.n)


def searched(corpus: str, minutes: float):
    """A Find from start to end, by the command."""
    command = [sys.executable, "-m", "embedlab", "find", "run", "--corpus", corpus, "--minutes", str(minutes), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    return open_find(json.loads(done.stdout)["find"])


def trained(settings: dict) -> list[RunResult]:
    """With each seed, one after the other."""
    runs = [submit(RunSettings(**{**settings, "seed": seed}), name="find table") for seed in SEEDS]
    for run in runs:
        wait(run)
    return [read_result(run) for run in runs]


def values(results: list[RunResult]) -> list[float]:
    """kNN accuracy of the encoder that each run opens."""
    return [(each.knn.best if each.stopped else each.knn.after).by(SHOWN_FIRST).value for each in results]


def row(corpus: str, what: str, accuracies: list[float], texts: int) -> None:
    """Mean, half-width of the interval from texts and seeds together, and each seed."""
    mean = sum(accuracies) / len(accuracies)
    spread = sum((each - mean) ** 2 for each in accuracies) / max(len(accuracies) - 1, 1) / len(accuracies)
    half = 1.96 * (share_error(mean, texts) ** 2 + spread) ** 0.5
    print(f"{corpus:<32} {what:<36} {100 * mean:5.1f} ± {100 * half:.1f}", flush=True)
    print(json.dumps({"corpus": corpus, "what": what, "accuracies": accuracies, "texts": texts}), flush=True)


if __name__ == "__main__":
    main()
