"""Find against the proposed default and TF-IDF: ``python -m tests.benchmarks.find_table FILE… [--minutes 2 5 15]``.

Each Find's winner is trained with several seeds (``--seeds 0 1 2``), and so is the default (words, with the recipe
proposed for the texts); accuracies are of test texts, with the interval over texts and seeds together. Each Find has a
store of its own, so that none takes over what another one measured. Of each it is said how many trainings it began, how
many went past the first and the second rung, and its seconds with the winner's. Hours on two cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from embedlab.augmentations.fit import ENCODER, proposed_recipe
from embedlab.corpora import load_corpus
from embedlab.distance import SHOWN_FIRST
from embedlab.jobs.runner import submit, wait
from embedlab.measurement import share_error
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.store import stored_request
from embedlab.training.settings import RunSettings


def main() -> None:
    """A table for each corpus, and one JSON line for each of its rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", help="files, or docs")
    parser.add_argument("--minutes", nargs="+", type=float, default=[2, 5, 15])
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=[0, 1, 2], help="of the winner's and the default's runs"
    )
    asked = parser.parse_args()
    for name in asked.corpora:
        corpus = load_corpus(name)
        recipe = proposed_recipe(corpus.info.two_views).recipe
        default = {"corpus": corpus.fingerprint, "encoder": ENCODER, "recipe": recipe, "maps": False, "inside": False}
        results = trained(default, asked.seeds)
        tfidf = results[0].references["tfidf"].measured.by(SHOWN_FIRST)
        row(name, "TF-IDF", [tfidf.value], tfidf.n)
        row(name, f"default: {recipe} on {ENCODER}", values(results), tfidf.n)
        for minutes in asked.minutes:
            winner, counts = searched(name, minutes)
            found = trained(winner | {"maps": False, "inside": False}, asked.seeds)
            row(name, f"Find, {minutes:g} min", values(found), tfidf.n, **counts)


def searched(corpus: str, minutes: float) -> tuple[dict, dict]:
    """A Find from start to end, by the command, in a store of its own.  -> settings of its winner, counts"""
    command = [sys.executable, "-m", "embedlab", "find", "run", "--corpus", corpus, "--minutes", str(minutes), "--json"]
    with tempfile.TemporaryDirectory(prefix="find-table-", ignore_cleanup_errors=True) as home:
        how = {"cwd": Path(__file__).parents[2], "env": {**os.environ, "EMBEDLAB_HOME": home}}
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True, **how)
        seconds = time.perf_counter() - began
        found = json.loads(done.stdout)
        settings = stored_request(RunFolder(Path(home) / "runs" / found["winner_run"])).settings
    begun = [each for each in found["candidates"] if each["kind"] == "trained" and each["points"]]
    first = [each for each in begun if not each["branch_of"]]
    rungs = [sum(each["rung"] >= rung for each in first) for rung in range(3)]
    chosen = next(each["title"] for each in found["candidates"] if each["key"] == found["chosen"])
    counts = {"rungs": rungs, "other_lengths": len(begun) - len(first), "seconds": round(seconds), "chosen": chosen}
    return settings, counts


def trained(settings: dict, seeds: list[int]) -> list[RunResult]:
    """With each seed, one after the other."""
    runs = [submit(RunSettings(**{**settings, "seed": seed}), name="find table") for seed in seeds]
    for run in runs:
        wait(run)
    return [read_result(run) for run in runs]


def values(results: list[RunResult]) -> list[float]:
    """kNN accuracy of the encoder that each run opens."""
    return [(each.knn.best if each.stopped else each.knn.after).by(SHOWN_FIRST).value for each in results]


def row(corpus: str, what: str, accuracies: list[float], texts: int, **counts) -> None:
    """Mean, half-width of the interval from texts and seeds together, and each seed."""
    mean = sum(accuracies) / len(accuracies)
    spread = sum((each - mean) ** 2 for each in accuracies) / max(len(accuracies) - 1, 1) / len(accuracies)
    half = 1.96 * (share_error(mean, texts) ** 2 + spread) ** 0.5
    told = "".join(f"  {name.replace('_', ' ')} {value}" for name, value in counts.items())
    print(f"{Path(corpus).stem:<32} {what:<36} {100 * mean:5.1f} ± {100 * half:.1f}{told}", flush=True)
    facts = {"corpus": corpus, "what": what, "accuracies": accuracies, "texts": texts, **counts}
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
